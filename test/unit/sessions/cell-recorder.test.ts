/** From messages to what an agent's cell shows: displays, clears, data, questions. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CellRecorder, type DisplayPlaces } from '../../../main/execution/agents/cell-recorder.ts';
import type { CellOutput } from '../../../main/execution/agents/output-protocol.ts';
import { silentLog } from '../../../main/log/log.ts';
import { message } from '../execution/messages.ts';

let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'cellwright-recorder-')), 'artifacts');
});
afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

class Cells {
  readonly places: DisplayPlaces = new Map();
  readonly recorders = new Map<string, CellRecorder>();
  readonly changes: string[] = [];

  take(cell: string, type: string, content: Record<string, unknown>): void {
    this.of(cell).take(message(cell, type, content));
  }

  of(cell: string): CellRecorder {
    const recorder =
      this.recorders.get(cell) ??
      new CellRecorder({
        cellId: cell,
        runId: cell,
        artifactFolder: folder,
        places: this.places,
        log: silentLog,
        onChange: () => this.changes.push(cell),
      });
    this.recorders.set(cell, recorder);
    return recorder;
  }

  print(cell: string, text: string, name = 'stdout'): void {
    this.take(cell, 'stream', { name, text });
  }

  display(cell: string, data: Record<string, unknown>, displayId?: string, type = 'display_data'): void {
    this.take(cell, type, { data, metadata: {}, transient: displayId === undefined ? {} : { display_id: displayId } });
  }

  end(cell: string): Promise<CellOutput> {
    return this.of(cell).end(51_200);
  }
}

const png = Buffer.from('a small picture').toString('base64');

describe('text', () => {
  it('has streams, results and tracebacks in order', async () => {
    const cells = new Cells();
    cells.print('a', 'printed');
    cells.display('a', { 'text/plain': '42' }, undefined, 'execute_result');
    cells.take('a', 'error', { ename: 'E', evalue: 'v', traceback: ['\x1b[31mTraceback\x1b[0m', 'E: v'] });
    expect((await cells.end('a')).text.output).toBe('printed\n42\nTraceback\nE: v\n');
  });

  it('names an error without a traceback', async () => {
    const cells = new Cells();
    cells.take('a', 'error', { ename: 'Oops', evalue: 'it failed', traceback: [] });
    expect((await cells.end('a')).text.output).toBe('Oops: it failed\n');
  });

  it('has what `name?` shows', async () => {
    const cells = new Cells();
    cells.take('a', 'execute_reply', { status: 'ok', payload: [{ source: 'page', data: { 'text/plain': 'Docstring' }, start: 0 }] });
    expect((await cells.end('a')).text.output).toBe('Docstring\n');
  });

  it('does not change through messages that are no output', async () => {
    const cells = new Cells();
    cells.take('a', 'status', { execution_state: 'busy' });
    cells.take('a', 'execute_input', { code: 'x', execution_count: 1 });
    expect(cells.changes).toEqual([]);
    expect((await cells.end('a')).text.output).toBe('');
  });
});

describe('a display with an id', () => {
  it('is updated in its place, in the same cell and from another', async () => {
    const cells = new Cells();
    cells.display('a', { 'text/plain': 'one' }, 'k');
    cells.print('a', 'after\n');
    cells.display('a', { 'text/plain': 'two' }, 'k', 'update_display_data');
    cells.changes.length = 0;
    cells.display('b', { 'text/plain': 'three', 'application/json': 3 }, 'k', 'update_display_data');
    expect(cells.changes).toContain('a');
    const [a, b] = [await cells.end('a'), await cells.end('b')];
    expect(a.text.output).toBe('three\nafter\n');
    expect(a.json).toEqual([3]);
    expect(b.text.output).toBe('');
  });

  it('is updated wherever it is shown', async () => {
    const cells = new Cells();
    cells.display('a', { 'text/plain': 'one' }, 'k');
    cells.display('b', { 'text/plain': 'one' }, 'k');
    cells.display('c', { 'text/plain': 'two' }, 'k', 'update_display_data');
    expect((await cells.end('a')).text.output).toBe('two\n');
    expect((await cells.end('b')).text.output).toBe('two\n');
  });

  it('of an earlier call is shown where it is updated', async () => {
    const cells = new Cells();
    cells.display('a', { 'text/plain': 'one' }, 'k');
    await cells.end('a');
    cells.display('b', { 'text/plain': 'two' }, 'k', 'update_display_data');
    cells.display('b', { 'text/plain': 'three' }, 'k', 'update_display_data');
    expect((await cells.end('b')).text.output).toBe('three\n');
  });

  it('may begin without text', async () => {
    const cells = new Cells();
    cells.display('a', {}, 'k');
    cells.print('a', 'after\n');
    cells.display('a', { 'text/plain': 'now' }, 'k', 'update_display_data');
    expect((await cells.end('a')).text.output).toBe('now\nafter\n');
  });
});

describe('clear_output', () => {
  it('clears at once, data and all', async () => {
    const cells = new Cells();
    cells.print('a', 'gone');
    cells.display('a', { 'image/png': png, 'application/json': 1 });
    cells.take('a', 'clear_output', { wait: false });
    expect(await cells.end('a')).toMatchObject({ text: { output: '' }, images: [], json: [], hasData: false });
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });

  it('waits for the next output of any kind', async () => {
    for (const next of ['stream', 'display_data', 'error'] as const) {
      const cells = new Cells();
      cells.print('a', 'gone');
      cells.take('a', 'clear_output', { wait: true });
      expect(cells.of('a').now().text.output).toBe('gone');
      if (next === 'stream') cells.print('a', 'new\n');
      else if (next === 'error') cells.take('a', 'error', { ename: 'new', evalue: '', traceback: ['new'] });
      else cells.display('a', { 'text/plain': 'new' });
      expect((await cells.end('a')).text.output).toBe('new\n');
    }
  });

  it('leaves what was done: status events', async () => {
    const cells = new Cells();
    cells.display('a', { 'application/x-xcsh-status': { op: 'write', path: 'a' } });
    cells.take('a', 'clear_output', { wait: false });
    expect((await cells.end('a')).statusEvents).toEqual([{ op: 'write', path: 'a' }]);
  });

  it('makes no new artifact each time', async () => {
    const cells = new Cells();
    const long = 'x'.repeat(60_000);
    for (let frame = 0; frame < 5; frame += 1) {
      cells.take('a', 'clear_output', { wait: true });
      cells.print('a', `${frame}${long}`);
    }
    const { text } = await cells.end('a');
    expect((await readdir(folder)).sort()).toEqual(['0.json', '0.txt']);
    expect(await readFile(path.join(folder, `${text.artifactId}.txt`), 'utf8')).toBe(`4${long}`);
  });
});

describe('data', () => {
  it('keeps images as artifacts, large ones as well as small ones', async () => {
    const cells = new Cells();
    const large = Buffer.alloc(600_000, 7);
    cells.display('a', { 'image/png': png, 'text/plain': '<Figure>' });
    cells.display('a', { 'image/jpeg': large.toString('base64') });
    cells.display('a', { 'image/svg+xml': '<svg>é</svg>' });
    const { images, hasData } = await cells.end('a');
    expect(hasData).toBe(true);
    expect(images.map(({ mime, bytes, base64 }) => [mime, bytes, base64])).toEqual([
      ['image/png', 15, null],
      ['image/jpeg', 600_000, null],
      ['image/svg+xml', 13, null],
    ]);
    expect(await readFile(images[0]!.file!, 'utf8')).toBe('a small picture');
    expect((await readFile(images[1]!.file!)).equals(large)).toBe(true);
    expect(await readFile(images[2]!.file!, 'utf8')).toBe('<svg>é</svg>');
    expect(JSON.parse(await readFile(path.join(folder, `${images[0]!.artifactId}.json`), 'utf8'))).toMatchObject({
      kind: 'payload',
      mime: 'image/png',
      source: { areaId: 'a' },
    });
  });

  it('carries images itself when there is no place for them', async () => {
    const recorder = new CellRecorder({
      cellId: 'a',
      runId: 'a',
      artifactFolder: null,
      places: new Map(),
      log: silentLog,
      onChange: () => {},
    });
    recorder.take(message('a', 'display_data', { data: { 'image/png': png } }));
    expect((await recorder.end(1000)).images).toEqual([{ mime: 'image/png', bytes: 15, artifactId: null, file: null, base64: png }]);
  });

  it('leaves out JSON that is too large to read, and says where it is', async () => {
    const cells = new Cells();
    const large = { text: 'x'.repeat(100_000) };
    cells.display('a', { 'application/json': { small: true } });
    cells.display('a', { 'application/json': large });
    const { json } = await cells.end('a');
    expect(json).toEqual([{ small: true }, { bytes: 100_011, artifact: 'artifact://0' }]);
    expect(JSON.parse(await readFile(path.join(folder, '0.txt'), 'utf8'))).toEqual(large);
  });

  it('leaves out JSON that is too much together', async () => {
    const cells = new Cells();
    for (let count = 0; count < 10; count += 1) cells.display('a', { 'application/json': 'x'.repeat(50_000) });
    const { json } = await cells.end('a');
    expect(json.map((value) => typeof value)).toEqual([...Array(5).fill('string'), ...Array(5).fill('object')]);
  });

  it('keeps a bounded number, and says how many are missing', async () => {
    const cells = new Cells();
    for (let count = 0; count < 130; count += 1) cells.display('a', { 'application/json': count });
    const { json, text } = await cells.end('a');
    expect(json.length).toBe(100);
    expect(text.output).toContain('30 more images or JSON values were left out');
  });
});

describe('status events', () => {
  it('are in order and have no text', async () => {
    const cells = new Cells();
    cells.display('a', { 'application/x-xcsh-status': { op: 'read' }, 'text/plain': 'never' });
    cells.display('a', { 'application/x-xcsh-status': { op: 'write' } });
    expect(await cells.end('a')).toMatchObject({ statusEvents: [{ op: 'read' }, { op: 'write' }], text: { output: '' }, hasData: false });
  });

  it('are the last ones when there are too many', async () => {
    const cells = new Cells();
    for (let count = 0; count < 700; count += 1) cells.display('a', { 'application/x-xcsh-status': { op: 'read', count } });
    const { statusEvents } = await cells.end('a');
    expect(statusEvents.length).toBe(501);
    expect(statusEvents[0]).toEqual({ op: 'left-out', count: 200 });
    expect(statusEvents[500]).toEqual({ op: 'read', count: 699 });
  });
});

it('a question is quoted and marked', async () => {
  const cells = new Cells();
  cells.print('a', 'before');
  cells.of('a').take({ ...message('a', 'input_request', { prompt: 'Your\n name: ', password: false }), channel: 'stdin' });
  const output = await cells.end('a');
  expect(output.stdinRequested).toBe(true);
  expect(output.text.output).toBe('before\n[The code asked for input (“Your name:”). Nobody can type here, so it got an empty line.]\n');
});

it('content of the wrong type does no harm', async () => {
  const cells = new Cells();
  for (const type of ['stream', 'display_data', 'execute_result', 'update_display_data', 'error', 'clear_output', 'execute_reply'])
    for (const content of [
      {},
      { data: 5, text: 5, name: 5, traceback: 5, payload: 5, transient: 5 },
      { data: { 'text/plain': {}, 'image/png': 5 } },
    ])
      cells.take('a', type, content);
  expect(await cells.end('a')).toMatchObject({ images: [], json: [] });
});
