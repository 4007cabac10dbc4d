/** The reducer: the outputs of all cells are what a plain model says, whenever the changes are taken. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpillEffect, SpillState } from '../../../main/execution/output-area.ts';
import { OutputReducer } from '../../../main/execution/output-reducer.ts';
import type { RawPayload } from '../../../main/execution/run-protocol.ts';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';
import { applyOutputChange, type Output } from '../../../preload/output-change.ts';
import { message } from './messages.ts';

/** A reducer and the outputs that main would have, as the service and the session put them together. */
class Notebook {
  readonly reducer = new OutputReducer();
  readonly outputs = new Map<string, Output<RawPayload>[]>();
  readonly spilled = new Map<number, string>();
  readonly ended = new Set<number>();
  readonly runs = new Map<string, string>();
  spillState: SpillState = { artifactId: '0' };

  run(areaId: string, runId: string): this {
    this.#apply(this.reducer.startRun(areaId, runId, '/folder'));
    this.runs.set(areaId, runId);
    this.outputs.set(areaId, []);
    return this;
  }

  send(...messages: JupyterMessage[]): this {
    for (const item of messages) this.#apply(this.reducer.reduce(item));
    return this;
  }

  take(): this {
    for (const { areaId, runId, changes } of this.reducer.take(() => this.spillState)) {
      if (this.runs.get(areaId) !== runId) continue;
      this.outputs.set(areaId, changes.reduce<Output<RawPayload>[]>(applyOutputChange, this.outputs.get(areaId)!));
    }
    return this;
  }

  answer(runId: string, text: string): this {
    this.#apply(this.reducer.answered(runId, text));
    return this;
  }

  /** The cell's outputs in short. */
  shown(areaId: string): string[] {
    this.take();
    return this.outputs.get(areaId)!.map((output) => {
      if (output.type === 'stream') return `${output.name}:${output.text}`;
      if (output.type === 'error') return `error:${output.ename}`;
      return `${output.type}:${String(output.data['text/plain'])}`;
    });
  }

  #apply(effects: SpillEffect[]): void {
    for (const effect of effects) {
      if ('ended' in effect) this.ended.add(effect.spill);
      else this.spilled.set(effect.spill, (this.spilled.get(effect.spill) ?? '') + effect.text);
    }
  }
}

const out = (parent: string, text: string, name = 'stdout') => message(parent, 'stream', { name, text });
const show = (parent: string, text: string, displayId?: string, type = 'display_data') =>
  message(parent, type, {
    data: { 'text/plain': text },
    metadata: {},
    execution_count: 3,
    ...(displayId ? { transient: { display_id: displayId } } : {}),
  });
const update = (parent: string, text: string, displayId: string) => show(parent, text, displayId, 'update_display_data');
const clear = (parent: string, wait: boolean) => message(parent, 'clear_output', { wait });
const fail = (parent: string) => message(parent, 'error', { ename: 'E', evalue: 'v', traceback: ['a', 'b'] });

describe('streams', () => {
  it('of one name that follow one another are one output', () => {
    const book = new Notebook().run('a', '1').send(out('1', 'x'), out('1', 'y\n'), out('1', 'e', 'stderr'), out('1', 'z'));
    expect(book.shown('a')).toEqual(['stdout:xy\n', 'stderr:e', 'stdout:z']);
  });

  it('carry their state over messages', () => {
    const book = new Notebook().run('a', '1');
    for (let step = 0; step <= 100; step += 1) book.send(out('1', `${step}%\r`)).take();
    expect(book.shown('a')).toEqual(['stdout:100%']);
  });

  it('that alternate make no endless list', () => {
    const book = new Notebook().run('a', '1');
    for (let step = 0; step < 5_000; step += 1) book.send(out('1', `o${step}\n`), out('1', `e${step}\n`, 'stderr'));
    const shown = book.shown('a');
    expect(shown.length).toBe(1_000);
    const text = (name: string) =>
      shown
        .filter((item) => item.startsWith(name))
        .map((item) => item.slice(name.length + 1))
        .join('');
    expect(text('stdout')).toBe(Array.from({ length: 5_000 }, (_, step) => `o${step}\n`).join(''));
    expect(text('stderr')).toBe(Array.from({ length: 5_000 }, (_, step) => `e${step}\n`).join(''));
  });

  it('of no known name, without text or of no text change nothing or are stdout', () => {
    const odd = [message('1', 'stream', {}), message('1', 'stream', { name: 'stdout', text: 5 }), out('1', ''), out('1', 'x', 'pyout')];
    expect(
      new Notebook()
        .run('a', '1')
        .send(...odd)
        .shown('a'),
    ).toEqual(['stdout:x']);
  });
});

describe('where output goes', () => {
  it('is the cell of its parent, also after its run and while another runs', () => {
    const book = new Notebook().run('a', '1').send(out('1', 'first ')).run('b', '2').send(out('2', 'other'), out('1', 'late'));
    expect(book.shown('a')).toEqual(['stdout:first late']);
    expect(book.shown('b')).toEqual(['stdout:other']);
  });

  it('is nowhere for an older run of a cell that was run again', () => {
    const book = new Notebook().run('a', '1').send(out('1', 'old')).take().run('a', '2').send(out('1', 'late'), out('2', 'new'));
    expect(book.shown('a')).toEqual(['stdout:new']);
  });

  it('is nowhere for a parent that nobody knows, or none', () => {
    const book = new Notebook().run('a', '1').send(out('unknown', 'x'), out('', 'y'), show('unknown', 'z'));
    expect(book.shown('a')).toEqual([]);
  });

  it('is the last cell for a widget’s callback', () => {
    const text = message('comm-1', 'stream', { name: 'stdout', text: 'clicked' }, undefined, 'comm_msg');
    expect(new Notebook().run('a', '1').run('b', '2').send(text).shown('b')).toEqual(['stdout:clicked']);
  });

  it('says which run it belongs to', () => {
    const { reducer } = new Notebook().run('a', '1').send(out('1', 'x'));
    expect(reducer.take(() => ({ artifactId: null })).map(({ areaId, runId }) => [areaId, runId])).toEqual([['a', '1']]);
  });
});

describe('clear_output', () => {
  it('without wait clears at once', () => {
    expect(new Notebook().run('a', '1').send(out('1', 'x'), clear('1', false)).shown('a')).toEqual([]);
    expect(new Notebook().run('a', '1').send(out('1', 'x')).take().send(clear('1', false)).shown('a')).toEqual([]);
  });

  it.each<[string, JupyterMessage, string[]]>([
    ['stream', out('1', 'new'), ['stdout:new']],
    ['display', show('1', 'new'), ['display_data:new']],
    ['error', fail('1'), ['error:E']],
  ])('with wait clears at the next %s', (_kind, next, shown) => {
    const book = new Notebook().run('a', '1').send(out('1', 'old'), show('1', 'old'), clear('1', true));
    expect(book.shown('a')).toEqual(['stdout:old', 'display_data:old']);
    expect(book.send(next).shown('a')).toEqual(shown);
  });

  it('with wait and nothing after it clears nothing, and a new run forgets it', () => {
    const book = new Notebook().run('a', '1').send(out('1', 'kept'), clear('1', true), update('1', 'u', 'nowhere'), out('1', ''));
    expect(book.shown('a')).toEqual(['stdout:kept']);
    expect(book.run('a', '2').send(out('2', 'x'), out('2', 'y')).shown('a')).toEqual(['stdout:xy']);
  });

  it('shows one line at all times, ten rounds long', () => {
    const book = new Notebook().run('a', '1');
    for (let round = 0; round < 10; round += 1)
      expect(book.send(clear('1', true), out('1', `${round}\n`)).shown('a')).toEqual([`stdout:${round}\n`]);
  });

  it('works from a callback after the run, and only in its own cell', () => {
    const book = new Notebook()
      .run('a', '1')
      .send(show('1', 'old'))
      .run('b', '2')
      .send(out('2', 'stays'), clear('1', true), show('1', 'new'));
    expect(book.shown('a')).toEqual(['display_data:new']);
    expect(book.shown('b')).toEqual(['stdout:stays']);
  });

  it('begins the stream anew', () => {
    const book = new Notebook().run('a', '1').send(out('1', 'abc\x1b[31m'), clear('1', false), out('1', 'x\rX'));
    expect(book.shown('a')).toEqual(['stdout:X']);
  });
});

describe('display_id', () => {
  it('changes the output in the same cell', () => {
    expect(
      new Notebook()
        .run('a', '1')
        .send(show('1', 'p', 'k'), update('1', 'q', 'k'))
        .shown('a'),
    ).toEqual(['display_data:q']);
  });

  it('changes every copy in every cell, also late and from another cell', () => {
    const book = new Notebook()
      .run('a', '1')
      .send(show('1', 'a', 'k'), show('1', 'a', 'k'))
      .run('b', '2')
      .send(show('2', 'b', 'k', 'execute_result'));
    book
      .take()
      .run('c', '3')
      .send(update('3', 'new', 'k'), update('unknown', 'newer', 'k'));
    expect(book.shown('a')).toEqual(['display_data:newer', 'display_data:newer']);
    expect(book.shown('b')).toEqual(['execute_result:newer']);
    expect(book.outputs.get('b')![0]).toMatchObject({ executionCount: 3, displayId: 'k' });
  });

  it('of a cleared or run-again cell is gone', () => {
    const book = new Notebook().run('a', '1').send(show('1', 'x', 'k'), clear('1', true), out('1', 'y'), update('1', 'z', 'k'));
    expect(book.shown('a')).toEqual(['stdout:y']);
    book
      .run('b', '2')
      .send(show('2', 'x', 'm'))
      .run('b', '3')
      .send(update('3', 'z', 'm'), out('3', 'only'));
    expect(book.shown('b')).toEqual(['stdout:only']);
  });

  it('shows only the last of many updates between two looks', () => {
    const book = new Notebook()
      .run('a', '1')
      .send(show('1', '0', 'k'))
      .take();
    for (let step = 1; step <= 1_000; step += 1) book.send(update('1', `${step}`, 'k'));
    const [area] = book.reducer.take(() => ({ artifactId: null }));
    expect(area!.changes).toHaveLength(1);
  });

  it('without an id, or with odd content, does no harm', () => {
    const odd = [
      message('1', 'update_display_data', {}),
      message('1', 'display_data', { data: 'text', metadata: [], transient: null }),
      message('1', 'display_data', { data: { 'text/plain': 'x' }, transient: { display_id: 7 } }),
    ];
    expect(
      new Notebook()
        .run('a', '1')
        .send(...odd)
        .shown('a'),
    ).toEqual(['display_data:undefined', 'display_data:x']);
  });
});

describe('other messages', () => {
  it('about comms, status and input change nothing', () => {
    const others = ['comm_open', 'comm_msg', 'comm_close', 'status', 'execute_input', 'debug_event', 'iopub_welcome', 'unheard_of'];
    const book = new Notebook().run('a', '1').send(...others.map((type) => message('1', type, { data: { state: {} } })));
    expect(book.shown('a')).toEqual([]);
  });

  it('and what a person answers stands between what was printed before and after', () => {
    const book = new Notebook().run('a', '1').send(out('1', 'one')).answer('1', 'n? Ada\n').send(out('1', 'two')).take();
    expect(book.answer('nobody', 'x\n').shown('a')).toEqual(['stdout:one', 'stdin:n? Ada\n', 'stdout:two']);
    expect(
      book
        .send(message('1', 'clear_output', { wait: true }))
        .answer('1', 'm? 1\n')
        .shown('a'),
    ).toEqual(['stdin:m? 1\n']);
  });

  it('with the help of `name?` show it as output', () => {
    const reply = message('1', 'execute_reply', { status: 'ok', payload: [{ source: 'page', data: { 'text/plain': 'help' }, start: 0 }] });
    expect(new Notebook().run('a', '1').send(reply).shown('a')).toEqual(['display_data:help']);
  });

  it('about errors keep a bounded, clean traceback', () => {
    const traceback = ['\x1b[31mred\x1b[0m <b>', 'a\x00b\x1b[2J\x1b]0;t\x07', ...Array.from({ length: 20 }, () => 'x'.repeat(100_000))];
    const book = new Notebook()
      .run('a', '1')
      .send(message('1', 'error', { ename: 'E', evalue: 'v'.repeat(10_000_000), traceback }))
      .take();
    const [error] = book.outputs.get('a')!;
    expect(error).toMatchObject({ type: 'error', ename: 'E' });
    expect(JSON.stringify(error).length).toBeLessThan(400_000);
    const short = new Notebook()
      .run('a', '1')
      .send(message('1', 'error', { ename: 'E', evalue: 5, traceback: traceback.slice(0, 2) }))
      .take();
    expect(short.outputs.get('a')![0]).toEqual({ type: 'error', ename: 'E', evalue: '5', traceback: ['\x1b[31mred\x1b[0m <b>', 'ab'] });
    expect(
      new Notebook()
        .run('a', '1')
        .send(message('1', 'error', { traceback: 'none' }))
        .shown('a'),
    ).toEqual(['error:']);
  });
});

describe('long streams', () => {
  const line = `${'x'.repeat(99)}\n`;

  it('go whole to their artifact, first byte included', () => {
    const book = new Notebook().run('a', '1');
    const raw: string[] = [];
    for (let step = 0; step < 40_000; step += 1) {
      raw.push(`\r\x1b[32m${step}\x1b[0m${line}`);
      book.send(out('1', raw[step]!));
      if (step % 1_000 === 0) book.take();
    }
    expect(book.spilled.get(0)).toBe(raw.join(''));
    const [stream] = book.take().outputs.get('a')!;
    expect(stream).toMatchObject({ type: 'stream', omitted: { artifactId: '0' } });
    expect(book.send(show('1', 'next'), out('1', 'end')).shown('a')[2]).toBe('stdout:end');
    expect([...book.ended]).toEqual([0]);
  });

  it('say when the artifact failed', () => {
    const book = new Notebook()
      .run('a', '1')
      .send(out('1', line.repeat(20_000)))
      .take();
    book.spillState = { artifactId: null, failure: 'ENOSPC: no space left on device' };
    book.reducer.spillChanged(0);
    const [stream] = book.take().outputs.get('a')!;
    expect(stream).toMatchObject({ omitted: { artifactId: null, failure: 'ENOSPC: no space left on device' } });
    expect(book.send(out('1', 'tail')).shown('a')[0]!.endsWith('tail')).toBe(true);
  });

  it('are told in pieces of bounded size', () => {
    const book = new Notebook().run('a', '1').send(out('1', line.repeat(9_000)));
    const [area] = book.reducer.take(() => ({ artifactId: null }));
    expect(area!.changes.map(({ op }) => op)).toEqual(['append', 'text']);
  });

  it('of many cells give back their memory, and still take late text', () => {
    const book = new Notebook();
    for (let cell = 0; cell < 60; cell += 1)
      book
        .run(`cell ${cell}`, `run ${cell}`)
        .send(out(`run ${cell}`, line.repeat(8_000)))
        .take();
    expect(book.ended.size).toBe(0);
    const shown = book.send(out('run 0', 'late'), out('run 59', 'late')).shown('cell 0');
    expect(shown.at(-1)!.endsWith('late')).toBe(true);
    expect(book.shown('cell 59')).toHaveLength(1);
  });
});

describe('any order of messages', () => {
  type Step = { kind: 'run'; area: number } | { kind: 'take' } | { kind: 'message'; run: number; what: number; text: string; id: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('run' as const), area: fc.nat({ max: 2 }) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'take' as const }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('message' as const),
        run: fc.nat({ max: 6 }),
        what: fc.nat({ max: 8 }),
        text: fc.constantFrom('a', 'b\n', 'c'),
        id: fc.nat({ max: 2 }),
      }),
    },
  );

  /** The model: outputs as text, without any merging or memory. */
  function model(steps: readonly Step[]): Map<string, string[]> {
    const cells = new Map<string, { outputs: { shown: string; id: string | null }[]; clearNext: boolean }>();
    const owners = new Map<string, string>();
    let runs = 0;
    for (const item of steps) {
      if (item.kind === 'run') {
        const area = `cell ${item.area}`;
        for (const [run, owner] of owners) if (owner === area) owners.delete(run);
        owners.set(`run ${runs++}`, area);
        cells.set(area, { outputs: [], clearNext: false });
      }
      if (item.kind !== 'message') continue;
      const { what, text } = item;
      const id = `id ${item.id}`;
      if (what === 8) {
        for (const { outputs } of cells.values())
          for (const output of outputs) if (output.id === id) output.shown = `${output.shown.split(':')[0]}:${text}`;
        continue;
      }
      const cell = cells.get(owners.get(`run ${item.run}`) ?? '');
      if (!cell) continue;
      if (what === 7) cell.clearNext = true;
      if (what === 6) {
        cell.outputs = [];
        cell.clearNext = false;
      }
      if (what >= 6) continue;
      if (cell.clearNext) cell.outputs = [];
      cell.clearNext = false;
      const last = cell.outputs[cell.outputs.length - 1];
      const name = what === 1 ? 'stderr' : 'stdout';
      if (what <= 2 && last?.shown.startsWith(`${name}:`)) last.shown += text;
      else if (what <= 2) cell.outputs.push({ shown: `${name}:${text}`, id: null });
      else if (what === 3) cell.outputs.push({ shown: 'error:E', id: null });
      else cell.outputs.push({ shown: `display_data:${text}`, id: what === 4 ? id : null });
    }
    return new Map([...cells].map(([area, { outputs }]) => [area, outputs.map(({ shown }) => shown)]));
  }

  it('gives what the model gives, whenever the changes are taken', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const book = new Notebook();
        let runs = 0;
        for (const item of steps) {
          if (item.kind === 'run') book.run(`cell ${item.area}`, `run ${runs++}`);
          else if (item.kind === 'take') book.take();
          else {
            const parent = `run ${item.run}`;
            const id = `id ${item.id}`;
            const sent = [
              out(parent, item.text),
              out(parent, item.text, 'stderr'),
              out(parent, item.text),
              fail(parent),
              show(parent, item.text, id),
              show(parent, item.text),
              clear(parent, false),
              clear(parent, true),
              update(parent, item.text, id),
            ][item.what]!;
            book.send(sent);
          }
        }
        const expected = model(steps);
        for (const area of expected.keys()) expect(book.shown(area)).toEqual(expected.get(area));
      }),
      { numRuns: 2_000 },
    );
  });
});
