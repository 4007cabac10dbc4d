/** The text of a cell against a model that keeps everything: order, updates in place, clearing, limits. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reserveSync } from '../../../main/artifacts/artifact-file.ts';
import { CellText, type TextBlock } from '../../../main/execution/agents/cell-text.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-text-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function artifact(): { id: string; file: string } {
  return reserveSync(folder, 'txt', { kind: 'stream', mime: 'text/plain', createdAt: 0, source: {} });
}

async function textOf(fill: (text: CellText) => void): Promise<string> {
  const text = new CellText();
  fill(text);
  return (await text.end(1_000_000)).output;
}

describe('a cell’s text', () => {
  it('has streams and blocks in their order, blocks on lines of their own', async () => {
    const text = await textOf((cell) => {
      cell.stream('stdout', 'one');
      cell.block('block', false);
      cell.stream('stdout', 'two\n');
      cell.block('with its own end\n', false);
      cell.stream('stderr', 'three');
    });
    expect(text).toBe('one\nblock\ntwo\nwith its own end\nthree');
  });

  it('has nothing of an empty block', async () => {
    expect(await textOf((cell) => [cell.stream('stdout', 'a'), cell.block('', true), cell.stream('stdout', 'b')])).toBe('ab');
  });

  it('carries out what a terminal would, also across chunks, and has no colours', async () => {
    const text = await textOf((cell) => {
      for (let percent = 0; percent <= 100; percent += 10)
        for (const part of ['\r', '\x1b[3', `2m${percent}`, ' %\x1b[0m']) cell.stream('stderr', part);
      cell.stream('stderr', '\ndone\n');
    });
    expect(text).toBe('100 %\ndone\n');
  });

  it('keeps what a stream wrote before another came', async () => {
    const text = await textOf((cell) => {
      cell.stream('stderr', 'half');
      cell.stream('stdout', 'other');
      cell.stream('stderr', '\rnew');
    });
    expect(text).toBe('halfothernew');
  });

  it('changes a block in its place', async () => {
    const text = await textOf((cell) => {
      const block = cell.block('first', true);
      cell.stream('stdout', 'after\n');
      expect(cell.replace(block, 'second')).toBe(true);
      expect(cell.replace(block, 'third')).toBe(true);
    });
    expect(text).toBe('third\nafter\n');
  });

  it('gives up the place of a block when too much came after it, and loses nothing', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
    const text = new CellText();
    const block = text.block('top', true);
    for (const line of lines) text.stream('stdout', line);
    expect(text.replace(block, 'changed')).toBe(false);
    text.stream('stdout', 'end\n');
    expect((await text.end(10_000_000)).totalBytes).toBe(Buffer.byteLength(`top\n${lines.join('')}end\n`));
  });

  it('holds back no more than its limit behind many blocks', async () => {
    const text = new CellText({ artifact });
    const blocks: TextBlock[] = [];
    for (let index = 0; index < 20_000; index += 1) blocks.push(text.block(`${index}`, true));
    const held = blocks.filter((block) => block.held).length;
    expect(held).toBeGreaterThan(10);
    expect(held).toBeLessThan(2_000);
    const expected = `${Array.from({ length: 20_000 }, (_, index) => index).join('\n')}\n`;
    const dump = await text.end(51_200);
    expect(dump.output).toBe(expected.slice(-51_200));
    expect(await readFile(path.join(folder, `${dump.artifactId}.txt`), 'utf8')).toBe(expected);
  });

  it('begins anew when it is cleared', async () => {
    const text = await textOf((cell) => {
      const block = cell.block('gone', true);
      cell.stream('stdout', 'gone too');
      cell.clear();
      expect(cell.replace(block, 'never')).toBe(false);
      cell.stream('stdout', 'here');
    });
    expect(text).toBe('here');
  });

  it('shows at any time what it would end with', () => {
    const text = new CellText();
    text.block('top', true);
    text.stream('stdout', 'a\nb');
    expect(text.now()).toMatchObject({ output: 'top\na\nb', totalLines: 3, totalBytes: 7, truncated: false });
    text.stream('stdout', '\rc');
    expect(text.now().output).toBe('top\na\nc');
  });
});

describe('a text that is too long', () => {
  const whole = Array.from({ length: 10_000 }, (_, index) => `line ${index}\n`).join('');

  it('keeps its end and lies whole in the artifact', async () => {
    const text = new CellText({ artifact });
    text.stream('stdout', whole);
    const dump = await text.end(51_200);
    expect(dump).toMatchObject({ truncated: true, totalLines: 10_000, totalBytes: whole.length, failure: null });
    expect(whole.endsWith(dump.output)).toBe(true);
    expect(await readFile(path.join(folder, `${dump.artifactId}.txt`), 'utf8')).toBe(whole);
  });

  it('is cut further where its share is smaller, and the numbers stay right', async () => {
    const text = new CellText({ artifact });
    text.stream('stdout', whole);
    const dump = await text.end(1_000);
    expect(dump.outputBytes).toBeLessThanOrEqual(1_000);
    expect(dump).toMatchObject({
      truncated: true,
      totalLines: 10_000,
      totalBytes: whole.length,
      outputBytes: Buffer.byteLength(dump.output),
    });
    expect(await readFile(path.join(folder, `${dump.artifactId}.txt`), 'utf8')).toBe(whole);
  });

  it('gets its artifact also when only its share is too small', async () => {
    const text = new CellText({ artifact });
    text.stream('stdout', 'some words, and then some more');
    const dump = await text.end(10);
    expect(dump).toMatchObject({ output: 'some more'.padStart(10), truncated: true, totalBytes: 30 });
    expect(await readFile(path.join(folder, `${dump.artifactId}.txt`), 'utf8')).toBe('some words, and then some more');
  });

  it('says why there is no artifact', async () => {
    const text = new CellText({
      artifact: () => {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      },
    });
    text.stream('stdout', whole);
    expect(await text.end(51_200)).toMatchObject({ truncated: true, artifactId: null, failure: expect.stringContaining('ENOSPC') });
  });

  it('keeps little of a huge message in memory', async () => {
    const text = new CellText();
    text.stream('stdout', 'x'.repeat(63) + '\n'.repeat(1) + whole.repeat(300));
    const dump = await text.end(51_200);
    expect(dump.outputBytes).toBe(51_200);
    expect(dump.totalLines).toBe(3_000_001);
  });
});

/** What is done to a text, and to the model of it. */
const operation = fc.oneof(
  fc.record({
    do: fc.constant('stream' as const),
    name: fc.constantFrom('stdout', 'stderr'),
    text: fc.constantFrom('a', 'b\n', 'é数', '\n', 'word '),
  }),
  fc.record({ do: fc.constant('block' as const), text: fc.constantFrom('block', 'two\nlines', 'ends\n', ''), updatable: fc.boolean() }),
  fc.record({ do: fc.constant('replace' as const), which: fc.nat(20), text: fc.constantFrom('new', '', 'longer than before') }),
  fc.record({ do: fc.constant('clear' as const) }),
);

it('is what a model says that keeps every piece', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
      const text = new CellText();
      let model: { text: string; isBlock: boolean }[] = [];
      const places: { block: TextBlock; piece: { text: string; isBlock: boolean } }[] = [];
      for (const step of operations) {
        if (step.do === 'clear') {
          text.clear();
          model = [];
        } else if (step.do === 'stream') {
          text.stream(step.name, step.text);
          model.push({ text: step.text, isBlock: false });
        } else if (step.do === 'block') {
          const piece = { text: step.text, isBlock: true };
          model.push(piece);
          places.push({ block: text.block(step.text, step.updatable), piece });
        } else {
          const place = places[step.which % Math.max(places.length, 1)];
          if (place && text.replace(place.block, step.text)) place.piece.text = step.text;
        }
      }
      let expected = '';
      for (const piece of model) {
        if (piece.text === '') continue;
        if (piece.isBlock && expected !== '' && !expected.endsWith('\n')) expected += '\n';
        expected += piece.text;
        if (piece.isBlock && !piece.text.endsWith('\n')) expected += '\n';
      }
      expect(text.now().output).toBe(expected);
      expect((await text.end(1_000_000)).output).toBe(expected);
    }),
    { numRuns: 300 },
  );
});
