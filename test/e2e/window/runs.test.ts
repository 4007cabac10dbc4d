/** Runs as a window sees them: live events, addresses, reloads while code runs, and that no kernel outlives its window or the app. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CellRun, DocumentSnapshot, WindowOutput, WindowOutputChange } from '../../../preload/contract.ts';
import { applyOutputChange } from '../../../preload/output-change.ts';
import { cellKeys, editSource } from './edit-source.ts';
import {
  call,
  codeCell,
  collect,
  endOf,
  makePlace,
  must,
  type RunningApp,
  ready,
  received,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from './start-app.ts';

let place: TestPlace;
let app: RunningApp;
let notebooks = 0;

beforeAll(async () => {
  place = await makePlace();
});

afterAll(async () => {
  await removePlace(place);
});

async function open(
  page: Page,
  ...sources: string[]
): Promise<{ snapshot: DocumentSnapshot; docId: string; keys: string[]; file: string }> {
  notebooks += 1;
  const file = path.join(place.folder, `n${notebooks}.ipynb`);
  await writeNotebook(
    file,
    sources.map((source) => codeCell(source)),
  );
  const snapshot = await must(page, 'doc.open', { path: file });
  return { snapshot, docId: snapshot.document.docId, keys: cellKeys(snapshot), file };
}

async function outputsOf(page: Page, docId: string, key: string): Promise<WindowOutput[]> {
  return (await must(page, 'doc.outputs', { docId, keys: [key] }))[key] ?? [];
}

function text(outputs: readonly WindowOutput[]): string {
  return outputs.map((output) => (output.type === 'stream' ? output.text : '')).join('');
}

/** The outputs of a cell as a window builds them from events alone. */
async function replayed(page: Page, key: string): Promise<WindowOutput[]> {
  let outputs: WindowOutput[] = [];
  for (const [name, payload] of await received(page)) {
    if (name !== 'doc.outputs') continue;
    for (const cell of payload.cells as { key: string; changes: WindowOutputChange[] }[]) {
      if (cell.key === key) for (const change of cell.changes) outputs = applyOutputChange(outputs, change);
    }
  }
  return outputs;
}

async function lastRun(page: Page, key: string): Promise<CellRun | undefined> {
  const runs = (await received(page)).filter(([name]) => name === 'doc.runs').map(([, payload]) => payload.runs as Record<string, CellRun>);
  return runs.findLast((each) => key in each)?.[key];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function kernelPid(page: Page, docId: string, key: string): Promise<number> {
  await must(page, 'run.cells', { docId, keys: [key] });
  return Number(text(await outputsOf(page, docId, key)));
}

const PID = 'import os; print(os.getpid())';
/** Goes on changing what it has shown after it is done. */
const SHOWS_ON = `import asyncio
from IPython.display import display
handle = display(0, display_id=True)
async def count():
    for n in range(1, 100_000):
        handle.update(n)
        await asyncio.sleep(0.1)
task = asyncio.get_running_loop().create_task(count())`;
const COUNT_TO_TEN = 'import time\nfor n in range(10):\n    print(n, flush=True)\n    time.sleep(0.1)';
const ALL = `${Array.from({ length: 40 }, (_, n) => n).join('\n')}\n`;

describe('a run', () => {
  beforeAll(async () => {
    app = await startApp(place);
  });
  afterAll(() => stopApp(app));

  it('comes as events that make what a later question gives', async () => {
    const { docId, keys } = await open(app.page, 'for n in range(3): print(n)\n1 + 1', 'display = 1\n1 / 0', 'print("never")');
    await collect(app.page, ['doc.outputs', 'doc.runs', 'kernel.state', 'doc.state']);
    await must(app.page, 'run.cells', { docId, keys });
    await until(async () => (await lastRun(app.page, keys[2]!))?.state === 'cancelled');
    for (const key of keys) expect(await replayed(app.page, key)).toEqual(await outputsOf(app.page, docId, key));
    expect(await outputsOf(app.page, docId, keys[0]!)).toMatchObject([
      { type: 'stream', name: 'stdout', text: '0\n1\n2\n' },
      { type: 'execute_result', data: { 'text/plain': { kind: 'inline', value: '2' } } },
    ]);
    expect(await outputsOf(app.page, docId, keys[1]!)).toMatchObject([{ type: 'error', ename: 'ZeroDivisionError' }]);
    const { runs, kernel } = await must(app.page, 'doc.attach', { docId });
    expect(runs).toMatchObject({ [keys[0]!]: { state: 'done', executionCount: 1 }, [keys[1]!]: { state: 'failed' } });
    expect(kernel).toMatchObject({ state: 'idle', name: 'Test Python', queued: 0 });
    expect((await received(app.page)).filter(([name]) => name === 'doc.state').map(([, payload]) => payload.dirty)).toContain(true);
  });

  it('gives an image an address that changes with the image', async () => {
    const setUp = `import struct, zlib
from IPython.display import Image, display
def figure(width):
    chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\\0' + b'\\x80' * width for _ in range(10))
    header = struct.pack('>IIBBBBB', width, 10, 8, 0, 0, 0, 0)
    return Image(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))`;
    const { docId, keys } = await open(app.page, setUp, 'handle = display(figure(40), display_id=True)', 'handle.update(figure(80))');
    const width = async () => {
      const [output] = await outputsOf(app.page, docId, keys[1]!);
      const payload = output && 'data' in output ? output.data['image/png'] : undefined;
      if (payload?.kind !== 'url') throw new Error('The image has no address.');
      const size = await app.page.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        return image.naturalWidth;
      }, payload.url);
      return { size, url: payload.url };
    };
    await must(app.page, 'run.cells', { docId, keys: keys.slice(0, 2) });
    const before = await width();
    await must(app.page, 'run.cells', { docId, keys: keys.slice(2) });
    const after = await until(async () => {
      const now = await width();
      return now.url !== before.url && now;
    });
    expect([before.size, after.size]).toEqual([40, 80]);
    expect(await app.page.evaluate(async (url) => (await fetch(url)).status, before.url)).toBe(410);
  });

  it('has all digits of large numbers, in the window and in the file', async () => {
    const { docId, keys, file } = await open(app.page, 'from IPython.display import JSON\nJSON({"id": 2**53 + 1, "ns": [-10**20 - 1]})');
    await must(app.page, 'run.cells', { docId, keys });
    const output = await until(async () => (await outputsOf(app.page, docId, keys[0]!))[0]);
    expect(output).toMatchObject({
      data: { 'application/json': { kind: 'inline', exact: '{"id":9007199254740993,"ns":[-100000000000000000001]}' } },
    });
    await must(app.page, 'doc.save', { docId });
    expect(await readFile(file, 'utf8')).toMatch(/"id": 9007199254740993,\n *"ns": \[\n *-100000000000000000001\n/);
  });

  it('goes on while the page reloads, and nothing of it is lost', async () => {
    // The rest of the run waits for the reloaded page, however long that takes.
    const mark = path.join(place.folder, 'the page is back');
    const wait = `import os\nwhile not os.path.exists(${JSON.stringify(mark)}): time.sleep(0.05)`;
    const { docId, keys } = await open(app.page, `${COUNT_TO_TEN}\n${wait}\nfor n in range(10, 40): print(n, flush=True)`);
    const key = keys[0]!;
    await app.page.evaluate(([id, k]) => void window.cellwright.call('run.cells', { docId: id!, keys: [k!] }), [docId, key]);
    await until(async () => text(await outputsOf(app.page, docId, key)).includes('5\n'));
    await app.page.reload();
    await ready(app.page);
    expect((await must(app.page, 'app.start', undefined)).open).toContain(docId);
    const { runs, kernel } = await must(app.page, 'doc.attach', { docId });
    expect(runs[key]?.state).toBe('running');
    expect(kernel.state).toBe('busy');
    await collect(app.page, ['doc.outputs', 'doc.runs']);
    await writeFile(mark, '');
    await until(async () => (await lastRun(app.page, key))?.state === 'done');
    expect(text(await outputsOf(app.page, docId, key))).toBe(ALL);
  });

  it('waits for a page that hangs with what it missed, and not with every step', async () => {
    const { docId, keys } = await open(app.page, 'import time\nfor n in range(600):\n    print(n, flush=True)\n    time.sleep(0.02)');
    const key = keys[0]!;
    await collect(app.page, ['doc.outputs', 'doc.runs']);
    await app.page.evaluate(([id, k]) => void window.cellwright.call('run.cells', { docId: id!, keys: [k!] }), [docId, key]);
    await until(async () => text(await replayed(app.page, key)).length > 20);
    await app.page.evaluate(() => {
      // Long enough for a busy machine to fall more than half a second of events behind.
      const end = Date.now() + 8_000;
      while (Date.now() < end);
    });
    await until(async () => (await lastRun(app.page, key))?.state === 'done');
    const all = Array.from({ length: 600 }, (_, n) => `${n}\n`).join('');
    await until(async () => text(await replayed(app.page, key)).length >= all.length);
    expect(text(await replayed(app.page, key))).toBe(all);
    // A clear with a long text behind it is a cell sent whole, in place of the steps that were held back; the run's own clear has none.
    const cells = (await received(app.page)).flatMap(([, payload]) => (payload.cells ?? []) as { changes: WindowOutputChange[] }[]);
    const whole = cells.filter(
      ({ changes: [first, second] }) => first?.op === 'clear' && second?.op === 'append' && text([second.output]).length > 80,
    );
    expect(whole.length).toBeGreaterThanOrEqual(1);
  });

  it('that was long is stored whole, shown by its ends and read in parts', async () => {
    notebooks += 1;
    const whole = Array.from({ length: 300_000 }, (_, n) => `line ${n}\n`).join('');
    const file = path.join(place.folder, `n${notebooks}.ipynb`);
    await writeNotebook(file, [codeCell('1', [{ output_type: 'stream', name: 'stdout', text: [whole] }])]);
    const snapshot = await must(app.page, 'doc.open', { path: file });
    const { docId } = snapshot.document;
    const [output] = await outputsOf(app.page, docId, cellKeys(snapshot)[0]!);
    if (output?.type !== 'stream' || !output.omitted) throw new Error('The stream was not cut.');
    expect(output.text.length).toBeLessThan(1_000_000);
    const found = await app.page.evaluate(async (url) => {
      const part = await fetch(url, { headers: { range: 'bytes=7-13' } });
      return [part.status, await part.text(), part.headers.get('content-range'), (await (await fetch(url)).text()).length];
    }, `artifact://${docId}/${output.omitted.artifactId}`);
    expect(found).toEqual([206, 'line 1\n', `bytes 7-13/${whole.length}`, whole.length]);
  });

  it('is interrupted, and the cells after it do not run', async () => {
    const { docId, keys } = await open(app.page, 'print("on")\nwhile True: pass', 'print("never")');
    await collect(app.page, ['doc.runs']);
    const running = app.page.evaluate(
      ([id, list]) => window.cellwright.call('run.cells', { docId: id as string, keys: list as string[] }),
      [docId, keys] as const,
    );
    await until(async () => text(await outputsOf(app.page, docId, keys[0]!)) === 'on\n');
    await must(app.page, 'run.interrupt', { docId });
    expect(await running).toEqual({ ok: true, value: null });
    const { runs } = await must(app.page, 'doc.attach', { docId });
    expect(runs).toMatchObject({ [keys[0]!]: { state: 'failed' }, [keys[1]!]: { state: 'cancelled' } });
  });

  it('asks in its cell and takes the answer', async () => {
    const { docId, keys } = await open(app.page, 'name = input("Who? ")\nprint(name[::-1])');
    await collect(app.page, ['doc.runs']);
    const running = app.page.evaluate(
      ([id, list]) => window.cellwright.call('run.cells', { docId: id as string, keys: list as string[] }),
      [docId, keys] as const,
    );
    const run = await until(async () => {
      const now = await lastRun(app.page, keys[0]!);
      return now?.input && now;
    });
    expect(run.input).toEqual({ prompt: 'Who? ', password: false });
    await must(app.page, 'run.input', { docId, key: keys[0]!, value: 'Ada' });
    await running;
    expect(text(await outputsOf(app.page, docId, keys[0]!))).toBe('Who? Ada\nadA\n');
  });

  it('leaves outputs that an edit makes stale and an undo good again', async () => {
    const { snapshot, docId, keys } = await open(app.page, '1 + 1');
    const key = keys[0]!;
    await must(app.page, 'run.cells', { docId, keys });
    await collect(app.page, ['doc.runs']);
    await editSource(app.page, snapshot, 0, '1 + 2');
    await until(async () => (await lastRun(app.page, key))?.stale === 'edited');
    await editSource(app.page, await must(app.page, 'doc.attach', { docId }), 0, '1 + 1');
    await until(async () => (await lastRun(app.page, key))?.stale === null);
    await editSource(app.page, await must(app.page, 'doc.attach', { docId }), 0, '1 + 3');
    await until(async () => (await lastRun(app.page, key))?.stale === 'edited');
    await must(app.page, 'run.cells', { docId, keys });
    await editSource(app.page, await must(app.page, 'doc.attach', { docId }), 0, '1 + 4');
    await until(async () => (await lastRun(app.page, key))?.stale === 'edited');
  });

  it('restarts, completes and explains', async () => {
    const { docId, keys } = await open(app.page, 'value_of_mine = 41', 'print(value_of_mine + 1)');
    await must(app.page, 'run.cells', { docId, keys });
    // On a busy machine an answer may come too late to be shown, and the next question gets one.
    await until(async () => {
      const { matches } = await must(app.page, 'kernel.complete', { docId, code: 'value_of', cursor: 8 });
      return matches.some((match) => match.text === 'value_of_mine');
    });
    await until(async () => (await must(app.page, 'kernel.inspect', { docId, code: 'print', cursor: 5 })).text?.includes('sep'));
    await must(app.page, 'kernel.restart', { docId });
    await must(app.page, 'run.cells', { docId, keys: [keys[1]!] });
    expect(await outputsOf(app.page, docId, keys[1]!)).toMatchObject([{ type: 'error', ename: 'NameError' }]);
    expect((await must(app.page, 'doc.attach', { docId })).kernel.generation).toBe(1);
  });

  it('has its kernel in the list to choose from, and a choice goes into the file when it runs', async () => {
    const { docId, keys } = await open(app.page, '1');
    const choices = await must(app.page, 'kernel.choices', { docId });
    const own = choices.find((choice) => choice.displayName === 'Test Python');
    expect(own).toMatchObject({ name: 'python3', source: 'kernelspec', ready: true });
    expect(await call(app.page, 'kernel.select', { docId, name: 'nothing' })).toMatchObject({
      ok: false,
      error: { code: 'no-such-kernel' },
    });
    await must(app.page, 'kernel.select', { docId, name: 'python3' });
    expect((await must(app.page, 'doc.attach', { docId })).document.dirty).toBe(false);
    await must(app.page, 'run.cells', { docId, keys });
    expect((await must(app.page, 'doc.attach', { docId })).kernel.name).toBe('Test Python');
  });

  it('has untitled notebooks beside the others, saved where the person says', async () => {
    const snapshot = await must(app.page, 'doc.create', { folder: place.folder });
    const { docId } = snapshot.document;
    await editSource(app.page, snapshot, 0, 'import os; print(os.getcwd())');
    await must(app.page, 'run.cells', { docId, keys: cellKeys(snapshot) });
    expect(text(await outputsOf(app.page, docId, cellKeys(snapshot)[0]!))).toBe(`${place.folder}\n`);
    expect(await call(app.page, 'doc.save', { docId })).toMatchObject({ ok: false, error: { code: 'no-path' } });
    const elsewhere = path.join(place.folder, 'elsewhere');
    const target = path.join(elsewhere, 'saved.ipynb');
    await mkdir(elsewhere);
    await collect(app.page, ['kernel.state']);
    expect(await must(app.page, 'doc.saveAs', { docId, path: target })).toMatchObject({ path: target, title: 'saved.ipynb', dirty: false });
    await until(async () =>
      (await received(app.page)).some(([, payload]) => (payload.kernel as { message: string | null }).message?.includes(elsewhere)),
    );
    await must(app.page, 'doc.close', { docId, discard: false, stop: false });
    const again = await must(app.page, 'doc.open', { path: target });
    expect(text(await outputsOf(app.page, again.document.docId, cellKeys(again)[0]!))).toBe(`${place.folder}\n`);
  });
});

describe('the examples', () => {
  beforeAll(async () => {
    app = await startApp(place);
  });
  afterAll(() => stopApp(app));

  it('run from top to bottom with what they promise', async () => {
    const snapshot = await must(app.page, 'doc.example', { name: 'plots' });
    const { docId } = snapshot.document;
    await must(app.page, 'run.cells', { docId, keys: cellKeys(snapshot) });
    const { runs } = await must(app.page, 'doc.attach', { docId });
    expect(Object.values(runs).map((run) => run.state)).toEqual(Array(4).fill('done'));
    const outputs = await must(app.page, 'doc.outputs', { docId, keys: Object.keys(runs) });
    const types = Object.values(outputs).map((list) =>
      list.flatMap((output) => ('data' in output ? Object.keys(output.data) : [output.type])),
    );
    expect(types).toEqual([
      expect.arrayContaining(['text/html']),
      expect.arrayContaining(['text/html']),
      expect.arrayContaining(['image/png']),
      expect.arrayContaining(['image/png']),
    ]);
  });

  it('end the tour in the one error that it shows', async () => {
    const snapshot = await must(app.page, 'doc.example', { name: 'welcome' });
    const { docId } = snapshot.document;
    const keys = cellKeys(snapshot);
    await collect(app.page, ['doc.runs']);
    const running = app.page.evaluate(
      ([id, list]) => window.cellwright.call('run.cells', { docId: id as string, keys: list as string[] }),
      [docId, keys] as const,
    );
    const asking = await until(async () => {
      const runs = (await received(app.page)).flatMap(([, payload]) => Object.entries(payload.runs as Record<string, CellRun>));
      return runs.find(([, run]) => run.input)?.[0];
    });
    await must(app.page, 'run.input', { docId, key: asking, value: 'Ada' });
    await running;
    const { runs } = await must(app.page, 'doc.attach', { docId });
    const states = keys.flatMap((key) => (runs[key] ? [runs[key].state] : []));
    expect(states).toEqual([...Array(5).fill('done'), 'failed']);
    expect(text(await outputsOf(app.page, docId, asking))).toContain('Welcome, Ada.');
  });
});

describe('a kernel', () => {
  afterEach(() => stopApp(app));

  it('lives as long as a window shows its notebook, and what it shows goes on in a tab that is opened again', async () => {
    app = await startApp(place);
    const { docId, keys, file } = await open(app.page, PID, SHOWS_ON);
    const pid = await kernelPid(app.page, docId, keys[0]!);
    await must(app.page, 'run.cells', { docId, keys: [keys[1]!] });
    const opened = app.electron.waitForEvent('window');
    await app.electron.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('window.new')?.click());
    const second = await opened;
    await ready(second);
    await must(second, 'doc.open', { path: file });
    await must(app.page, 'doc.close', { docId, discard: true, stop: true });
    await must(app.page, 'doc.open', { path: file });
    await collect(app.page, ['doc.outputs']);
    const shown = async () => JSON.stringify(await outputsOf(app.page, docId, keys[1]!));
    const before = await shown();
    await until(async () => (await shown()) !== before && (await received(app.page)).length > 0);
    expect(await outputsOf(app.page, docId, keys[1]!)).toHaveLength(1);
    await must(app.page, 'doc.close', { docId, discard: true, stop: true });
    expect(isAlive(pid)).toBe(true);
    await must(second, 'doc.close', { docId, discard: true, stop: true });
    expect(isAlive(pid)).toBe(false);
  });

  it('that works is asked about before its window closes, and ends with it', async () => {
    app = await startApp(place);
    const { docId, keys, file } = await open(app.page, PID, 'import time; time.sleep(600)');
    const pid = await kernelPid(app.page, docId, keys[0]!);
    await must(app.page, 'doc.save', { docId });
    await collect(app.page, ['window.closing', 'kernel.state']);
    await app.page.evaluate(([id, k]) => void window.cellwright.call('run.cells', { docId: id!, keys: [k!] }), [docId, keys[1]!]);
    await until(async () =>
      (await received(app.page)).some(
        ([name, payload]) => name === 'kernel.state' && (payload.kernel as { state: string }).state === 'busy',
      ),
    );
    await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    const question = await until(async () => (await received(app.page)).find(([name]) => name === 'window.closing'));
    expect(question[1].running).toEqual([{ docId, title: path.basename(file) }]);
    await app.page.evaluate(() => void setTimeout(() => void window.cellwright.call('window.close', { proceed: true })));
    expect((await endOf(app.child)).code).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

  it.each([
    ['asked to end by a signal', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const)('does not outlive an app that is %s, nor does what it started', async (_, signal) => {
    app = await startApp(place);
    const { docId, keys } = await open(
      app.page,
      PID,
      'import subprocess; child = subprocess.Popen(["sleep", "600"]); print(child.pid)',
      'import time; time.sleep(600)',
    );
    const kernel = await kernelPid(app.page, docId, keys[0]!);
    const child = await kernelPid(app.page, docId, keys[1]!);
    await app.page.evaluate(([id, k]) => void window.cellwright.call('run.cells', { docId: id!, keys: [k!] }), [docId, keys[2]!]);
    expect([isAlive(kernel), isAlive(child)]).toEqual([true, true]);
    app.child.kill(signal);
    await endOf(app.child);
    await until(async () => !isAlive(kernel) && !isAlive(child));
  });
});
