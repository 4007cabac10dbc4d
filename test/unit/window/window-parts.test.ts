import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RawOutputChange } from '../../../main/execution/run-protocol.ts';
import { tabOrder } from '../../../main/window/app-calls.ts';
import { Backlogs } from '../../../main/window/backlogs.ts';
import { EXAMPLES, exampleSource, placeExample } from '../../../main/window/examples.ts';
import { listFolder } from '../../../main/window/folder-list.ts';
import { MAX_STREAM_UNITS, readStreamId, shortenedStream, streamId } from '../../../main/window/long-streams.ts';
import { changeIndices, OutputRevisions } from '../../../main/window/output-revisions.ts';
import { Paced } from '../../../main/window/paced.ts';
import { startFolder } from '../../../main/window/start-folder.ts';
import { applyOutputChange, type Output, type StreamOutput } from '../../../preload/output-change.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-window-'));
});

afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

const append: RawOutputChange = { op: 'append', output: { type: 'stream', name: 'stdout', text: 'x' } };
const clear: RawOutputChange = { op: 'clear' };
const replace = (index: number): RawOutputChange => ({ op: 'replace', index, output: { type: 'stream', name: 'stdout', text: 'y' } });
const text = (index: number): RawOutputChange => ({ op: 'text', index, at: 0, remove: 0, insert: 'z' });

describe('the place of each change', () => {
  it.each([
    ['an output more', [append], 3, [2]],
    ['several', [append, append], 2, [0, 1]],
    ['after a clear', [append, clear, append, append], 2, [0, 0, 0, 1]],
    ['cleared at the end', [append, clear], 0, [0, 0]],
    ['replaced', [replace(1), append, text(2)], 3, [1, 2, 2]],
  ])('%s', (_, changes, count, expected) => {
    expect(changeIndices(changes, count)).toEqual(expected);
  });

  it('agrees with applying the changes', () => {
    const anyChange = fc.constantFrom<RawOutputChange['op']>('append', 'clear', 'replace');
    fc.assert(
      fc.property(fc.nat(4), fc.array(anyChange, { maxLength: 12 }), (before, ops) => {
        let outputs: Output<unknown>[] = Array.from({ length: before }, () => ({ type: 'stream', name: 'stdout', text: '' }));
        const changes: RawOutputChange[] = [];
        const expected: number[] = [];
        for (const op of ops) {
          if (op === 'replace' && outputs.length === 0) continue;
          const change = op === 'append' ? append : op === 'clear' ? clear : replace(outputs.length - 1);
          expected.push(op === 'append' ? outputs.length : op === 'clear' ? 0 : outputs.length - 1);
          changes.push(change);
          outputs = applyOutputChange(outputs, change);
        }
        const indices = changeIndices(changes, outputs.length);
        const lastClear = changes.findLastIndex((change) => change.op === 'clear');
        expect(indices.slice(lastClear + 1)).toEqual(expected.slice(lastClear + 1));
      }),
    );
  });
});

describe('revisions', () => {
  it('are never used twice in a notebook, whatever comes and goes', () => {
    const revisions = new OutputRevisions();
    const seen = new Set<number>();
    for (let round = 0; round < 20; round += 1) {
      for (const key of ['a', 'b']) {
        revisions.record(key, clear, 0);
        for (const made of [revisions.record(key, append, 0), revisions.record(key, append, 1), revisions.record(key, replace(0), 0)]) {
          expect(seen.has(made)).toBe(false);
          seen.add(made);
        }
      }
    }
  });

  it('stay when text is added, and are 0 for outputs from the file', () => {
    const revisions = new OutputRevisions();
    expect(revisions.revision('a', 3)).toBe(0);
    const made = revisions.record('a', append, 4);
    expect(revisions.record('a', text(4), 4)).toBe(made);
    expect(revisions.revision('a', 4)).toBe(made);
    expect(revisions.revision('a', 3)).toBe(0);
  });
});

describe('paced calls', () => {
  it('come at once, then at most one per interval, and none without a request', () => {
    vi.useFakeTimers();
    const calls: number[] = [];
    const paced = new Paced(16, () => calls.push(Date.now()));
    const start = Date.now();
    paced.request();
    paced.request();
    vi.advanceTimersByTime(1);
    expect(calls).toHaveLength(1);
    for (let step = 0; step < 100; step += 1) {
      paced.request();
      vi.advanceTimersByTime(1);
    }
    const gaps = calls.slice(1).map((time, index) => time - calls[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(16);
    expect(calls.length).toBeGreaterThanOrEqual(6);
    vi.advanceTimersByTime(1000);
    const settled = calls.length;
    vi.advanceTimersByTime(1000);
    expect(calls.length).toBe(settled);
    expect(calls[0]! - start).toBeLessThan(16);
  });

  it('are made early when asked, once', () => {
    vi.useFakeTimers();
    let calls = 0;
    const paced = new Paced(16, () => {
      calls += 1;
    });
    paced.request();
    paced.now();
    paced.now();
    vi.advanceTimersByTime(100);
    expect(calls).toBe(1);
    paced.request();
    paced.stop();
    vi.advanceTimersByTime(100);
    expect(calls).toBe(1);
  });
});

describe('a window that falls behind', () => {
  it('gets whole what it missed, once, and changes of the rest', () => {
    const view = { behind: false };
    const other = { behind: false };
    const backlogs = new Backlogs<typeof view>();
    expect(backlogs.plan(view, ['a'])).toEqual({ changes: ['a'], whole: [] });
    view.behind = true;
    expect(backlogs.plan(view, ['a', 'b'])).toEqual({ changes: [], whole: [] });
    expect(backlogs.plan(view, ['b'])).toEqual({ changes: [], whole: [] });
    expect(backlogs.plan(other, ['b'])).toEqual({ changes: ['b'], whole: [] });
    expect(backlogs.pending).toBe(true);
    view.behind = false;
    expect(backlogs.plan(view, ['b', 'c'])).toEqual({ changes: ['c'], whole: ['a', 'b'] });
    expect(backlogs.pending).toBe(false);
    expect(backlogs.plan(view, ['a'])).toEqual({ changes: ['a'], whole: [] });
  });

  it('is forgotten with what it missed when it closes', () => {
    const view = { behind: true };
    const backlogs = new Backlogs<typeof view>();
    backlogs.plan(view, ['a']);
    backlogs.keepOnly(new Set());
    expect(backlogs.pending).toBe(false);
  });
});

describe('a stored stream that is too long', () => {
  const address = { cellKey: 'k/ä', index: 2, revision: 0 };
  const stream = (text: string): StreamOutput => ({ type: 'stream', name: 'stdout', text });
  const rejoin = (output: StreamOutput, whole: string) => {
    const { at, bytes, lines } = output.omitted!;
    const middle = whole.slice(at, whole.length - (output.text.length - at));
    expect(bytes).toBe(Buffer.byteLength(middle));
    expect(lines).toBe(middle.split('\n').length - 1);
    return output.text.slice(0, at) + middle + output.text.slice(at);
  };

  it('comes with both ends, cut at lines, and counts what lies between', () => {
    const whole = Array.from({ length: 200_000 }, (_, n) => `line ${n} ü`).join('\n');
    const output = shortenedStream(stream(whole), address);
    expect(output.text.length).toBeLessThan(900_000);
    expect(rejoin(output, whole)).toBe(whole);
    expect(output.text[output.omitted!.at - 1]).toBe('\n');
    expect(output.text.slice(output.omitted!.at)).toMatch(/^line \d+ ü\n/);
  });

  it('is cut inside a line of its whole length, but never inside a character', () => {
    for (const shift of ['', 'x']) {
      const whole = shift + '😀'.repeat(1_000_000);
      const output = shortenedStream(stream(whole), address);
      expect(rejoin(output, whole)).toBe(whole);
      expect(output.text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
    }
  });

  it('is left alone when it is short or was cut before', () => {
    const short = stream('x'.repeat(MAX_STREAM_UNITS));
    expect(shortenedStream(short, address)).toBe(short);
    const cut = { ...stream('x'.repeat(MAX_STREAM_UNITS + 1)), omitted: { lines: 1, bytes: 1, at: 1, artifactId: '0' } };
    expect(shortenedStream(cut, address)).toBe(cut);
  });

  it('has an id that reads back, and that is no artifact’s', () => {
    expect(readStreamId(streamId(address))).toEqual(address);
    for (const id of ['0', '17', '', 'a.b', 'a/b.0.0', '%ff.0.0']) expect(readStreamId(id), id).toBeNull();
  });
});

describe('a folder’s list', () => {
  it('has folders first, counts as people do, and hides what is hidden', async () => {
    await mkdir(path.join(folder, 'zoo'));
    await mkdir(path.join(folder, '.git'));
    await mkdir(path.join(folder, '__pycache__'));
    await symlink(path.join(folder, 'zoo'), path.join(folder, 'link'));
    await symlink(path.join(folder, 'nowhere'), path.join(folder, 'broken'));
    for (const name of ['10.ipynb', '2.ipynb', 'B.txt', 'a.IPYNB', '.hidden']) await writeFile(path.join(folder, name), '');
    expect((await listFolder(folder)).map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'folder link',
      'folder zoo',
      'notebook 2.ipynb',
      'notebook 10.ipynb',
      'notebook a.IPYNB',
      'file B.txt',
      'file broken',
    ]);
  });

  it('fails with the system’s own error', async () => {
    await expect(listFolder(path.join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(path.join(folder, 'file'), '');
    await expect(listFolder(path.join(folder, 'file'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('the examples', () => {
  const source = fileURLToPath(new URL('../../../main/window/examples', import.meta.url));

  it('are notebooks of the present format without outputs', async () => {
    for (const { name, title } of EXAMPLES) {
      const notebook = JSON.parse(await readFile(exampleSource(name, source), 'utf8'));
      expect(notebook).toMatchObject({ nbformat: 4, nbformat_minor: 5, metadata: { kernelspec: { name: 'python3' } } });
      const ids = notebook.cells.map((cell: { id: string }) => cell.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(notebook.cells[0].source[0]).toContain(title);
      for (const cell of notebook.cells) {
        expect(cell.id).toMatch(/^[a-zA-Z0-9-_]{1,64}$/);
        if (cell.cell_type === 'code') expect(cell).toMatchObject({ outputs: [], execution_count: null });
        expect(cell.source.slice(0, -1).every((line: string) => line.endsWith('\n'))).toBe(true);
      }
    }
  });

  it('are copied once, and the person’s copy is kept', async () => {
    const copies = path.join(folder, 'deep', 'examples');
    const copy = await placeExample('welcome', { source, copies });
    await chmod(copy, 0o600);
    await writeFile(copy, 'mine');
    expect(await placeExample('welcome', { source, copies })).toBe(copy);
    expect(await readFile(copy, 'utf8')).toBe('mine');
  });

  it('are those in the list and no others', async () => {
    await expect(placeExample('../../package', { source, copies: folder })).rejects.toMatchObject({ code: 'no-such-example' });
  });
});

it.each([
  ['a terminal’s folder', '/home/ada/data', [], '/home/ada/data'],
  ['the root of the disk', '/', [], '/home/ada'],
  ['the program’s own folder', '/opt/cellwright', [], '/home/ada'],
  ['a terminal’s folder, with a file below it', '/home/ada/data', ['/home/ada/data/may/a.ipynb'], '/home/ada/data'],
  ['a terminal’s folder, with a file beside it', '/home/ada/data', ['/home/ada/data-2/a.ipynb'], '/home/ada/data-2'],
  ['a terminal’s folder, with a file above it', '/home/ada/data', ['/home/ada/a.ipynb'], '/home/ada'],
  ['the root of the disk, with a file', '/', ['/home/ada/data/a.ipynb', '/tmp/b.ipynb'], '/home/ada/data'],
  ['the program’s own folder, with a file', '/opt/cellwright', ['/opt/cellwright/examples/a.ipynb'], '/opt/cellwright/examples'],
])('a first start in %s', (_, cwd, files, expected) => {
  expect(startFolder({ cwd, files, programFolders: ['/opt/cellwright'], home: '/home/ada' })).toBe(expected);
});

it.each([
  [
    ['b', 'a'],
    ['a', 'b'],
    ['b', 'a'],
  ],
  [
    ['gone', 'b'],
    ['a', 'b'],
    ['b', 'a'],
  ],
  [[], ['a', 'b'], ['a', 'b']],
])('tabs %s with %s still shown', (told, shown, expected) => {
  expect(tabOrder(told, shown)).toEqual(expected);
});
