/**
 * The helpers in real kernels: their status events as they arrive, what a person reads of them, and their end by an interrupt. What each
 * helper does to files and texts is tried in Python.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { initCode, preludeCode } from '../../../main/execution/prelude/prelude.ts';
import { KERNEL_PYTHONS } from '../../support/kernel-pythons.ts';
import { DrivenKernel } from './kernel-driver.ts';

/** One call of every helper, in an order in which each has what it needs. */
const CALLS: readonly (readonly [op: string, code: string])[] = [
  ['write', 'write("a.txt", "b 2\\na 1\\n")'],
  ['read', 'read("a.txt")'],
  ['append', 'append("a.txt", "c 3\\n")'],
  ['cp', 'cp("a.txt", "b.txt")'],
  ['mv', 'mv("b.txt", "x/c.txt")'],
  ['stat', 'stat("a.txt")'],
  ['tree', 'tree()'],
  ['find', 'find("*.txt")'],
  ['glob_files', 'glob_files("**/*.txt")'],
  ['grep', 'grep("a", "a.txt")'],
  ['rgrep', 'rgrep("a")'],
  ['replace', 'replace("a.txt", "a", "aa")'],
  ['sed', 'sed("a.txt", "b", "bb")'],
  ['rsed', 'rsed("c", "cc")'],
  ['insert_at', 'insert_at("a.txt", 1, "first")'],
  ['delete_lines', 'delete_lines("a.txt", 1)'],
  ['delete_matching', 'delete_matching("a.txt", "bb")'],
  ['lines', 'lines("a.txt", 1, 1)'],
  ['diff', 'diff("a.txt", "x/c.txt")'],
  ['sort_lines', 'sort_lines("b\\na")'],
  ['uniq', 'uniq("a\\na")'],
  ['counter', 'counter("a\\na")'],
  ['cols', 'cols("a b", 1)'],
  ['run', 'run("echo hello")'],
  ['env', 'env("HOME")'],
  ['save_artifact', 'save_artifact("text", "t.txt")'],
  ['output', 'output("t.txt")'],
  ['rm', 'rm("x", recursive=True)'],
];

describe.each(KERNEL_PYTHONS)('$name', ({ python }) => {
  let kernel: DrivenKernel;
  let folder: string;
  let artifacts: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'cellwright-helpers-')));
    artifacts = path.join(folder, 'artifacts');
    await mkdir(path.join(folder, 'work'));
    kernel = await DrivenKernel.start(await python());
    await kernel.execute(initCode({ cwd: path.join(folder, 'work'), env: { ARTIFACTS: artifacts } }), { silent: true });
    await kernel.execute(preludeCode(), { silent: true });
  }, 600_000);

  afterAll(async () => {
    await kernel?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(CALLS)('%s reports one event, and shows nothing else', async (op, code) => {
    const done = await kernel.execute(`result = ${code}`);
    expect(done).toMatchObject({ status: 'ok', stdout: '', stderr: '', displays: [], traceback: '' });
    expect(done.events).toHaveLength(1);
    expect(done.events[0]).toMatchObject({ op });
    expect(done.events[0]).not.toHaveProperty('error');
    expect(JSON.stringify(done.events).length).toBeLessThan(5_000);
    const shown = await kernel.execute('result');
    expect(shown.events).toEqual([]);
    expect(shown.result?.length).toBeLessThan(2_000);
  });

  test('each helper is among the calls above', async () => {
    const names = await kernel.execute(
      'print(*sorted(n for n, v in list(globals().items()) if getattr(v, "__code__", None) and v.__code__.co_filename.startswith("<cellwright>")))',
    );
    expect(names.stdout.trim().split(' ')).toEqual(CALLS.map(([op]) => op).sort());
  });

  test('a failing call reports one event, and its traceback shows the place with its source', async () => {
    const done = await kernel.execute('read("absent.txt")');
    expect(done).toMatchObject({ status: 'error', ename: 'FileNotFoundError' });
    expect(done.events).toEqual([
      { op: 'read', path: 'absent.txt', error: "FileNotFoundError: [Errno 2] No such file or directory: 'absent.txt'" },
    ]);
    expect(done.traceback).toMatch(/<cellwright>\/files\.py:\d+, in read\(/);
    expect(done.traceback).toContain('text = load(file, encoding, errors, max_bytes)');
    const again = await kernel.execute('import linecache; linecache.checkcache(); read("absent.txt")');
    expect(again.traceback).toContain('text = load(file, encoding, errors, max_bytes)');
  });

  test('output capture of the user’s gets no event, and takes none away', async () => {
    const captured = await kernel.execute('%%capture seen\nwrite("c.txt", "x"); print("hi")');
    expect(captured.events).toMatchObject([{ op: 'write' }]);
    expect((await kernel.execute('seen.outputs, seen.stdout')).result).toBe("([], 'hi\\n')");
    const redirected = await kernel.execute(
      'import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as text: read("c.txt")\ntext.getvalue()',
    );
    expect(redirected).toMatchObject({ result: "''", events: [{ op: 'read' }] });
  });

  test('events are those of the cell that made the call, in order with its output', async () => {
    const done = await kernel.execute('for i in range(50): append("many.txt", f"{i}\\n")');
    expect(done.events.map((event) => event.preview)).toEqual(Array.from({ length: 50 }, (_, index) => `${index}\n`));
  });

  test('threads report each of their calls', async () => {
    const done = await kernel.execute(
      'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as pool: list(pool.map(lambda i: append("threads.txt", f"{i}\\n"), range(40)))',
    );
    expect(done.events).toHaveLength(40);
    const written = await readFile(path.join(folder, 'work', 'threads.txt'), 'utf8');
    expect(
      written
        .split('\n')
        .slice(0, -1)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  test('forked workers can use helpers and results', async (context) => {
    if (process.platform === 'win32') return context.skip('Windows has no fork and no process groups');
    const done = await kernel.execute(
      'import multiprocessing\nwrite("f.txt", "x")\nwith multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(read, ["f.txt"] * 3), [r.stdout for r in [run("echo a")]], pool.starmap(grep, [("x", "f.txt")]))',
    );
    expect(done).toMatchObject({ status: 'ok', stdout: "['x', 'x', 'x'] ['a\\n'] [[(1, 'x')]]\n", stderr: '' });
    expect(done.events.map(({ op }) => op)).toEqual(['write', 'run']);
  });

  test('pickle finds helpers, and its data need no helpers', async () => {
    const done = await kernel.execute(
      'import pickle\nwrite("p.txt", "x")\npickle.loads(pickle.dumps(read)) is read, b"cellwright" in pickle.dumps([grep("x", "p.txt"), stat("p.txt"), run("true"), find("p.txt")])',
    );
    expect(done.result).toBe('(True, False)');
  });

  test('help, inspection and completion show the documentation', async () => {
    const help = await kernel.execute('help(read)');
    expect(help.stdout).toContain("read(path, *, start=1, end=None, encoding='utf-8'");
    expect(help.stdout).toContain('The text of a file, exactly');
    const inspected = JSON.stringify(await kernel.inspect('read'));
    expect(inspected).toContain('The text of a file, exactly');
    expect(await kernel.complete('glob_f')).toMatchObject({ matches: expect.arrayContaining(['glob_files']) });
    expect((await kernel.execute('import inspect; print(inspect.getsource(env))')).stdout).toMatch(/^def env\(name=None/);
  });

  test('invalid bytes reach the event as replacement characters', async () => {
    await writeFile(path.join(folder, 'work', 'latin.txt'), Buffer.from([0x63, 0xe9, 0x0a]));
    const done = await kernel.execute('text = read("latin.txt"); write("copy.txt", text)');
    expect(done.events.map((event) => event.preview)).toEqual(['c\ufffd\n', 'c\ufffd\n']);
    expect(await readFile(path.join(folder, 'work', 'copy.txt'))).toEqual(Buffer.from([0x63, 0xe9, 0x0a]));
  });

  test('an interrupt ends a command with all it has started', async (context) => {
    if (process.platform === 'win32') return context.skip('Windows has no fork and no process groups');
    const pids = path.join(folder, 'pids');
    const command = `(sleep 100 & echo $! >> ${pids}.new; wait) & echo $$ >> ${pids}.new; until [ $(wc -l < ${pids}.new) = 2 ]; do sleep 0.01; done; mv ${pids}.new ${pids}; sleep 100`;
    const done = await kernel.execute(`run(${JSON.stringify(command)})`, { interruptWhen: pids });
    expect(done).toMatchObject({ status: 'error', ename: 'KeyboardInterrupt', events: [{ op: 'run', error: 'KeyboardInterrupt' }] });
    const started = (await readFile(pids, 'utf8')).trim().split('\n').map(Number);
    expect(started).toHaveLength(2);
    expect(await Promise.all(started.map(isRunning))).toEqual([false, false]);
    expect((await kernel.execute('run("echo still here").stdout')).result).toBe("'still here\\n'");
  });

  test('an interrupt ends a search in the middle and leaves files whole', async (context) => {
    if (process.platform === 'win32') return context.skip('Windows has no fork and no process groups');
    const ready = path.join(folder, 'ready');
    const content = `start\n${`${'a'.repeat(46)}b\n`.repeat(10)}`;
    await writeFile(path.join(folder, 'work', 'long.txt'), content);
    // The first line's replacement says that the work has begun; the lines after it take longer than anybody waits.
    const code = `sed("long.txt", "start|(a+)+$", lambda match: open(${JSON.stringify(ready)}, "w").close() or "changed")`;
    const done = await kernel.execute(code, { interruptWhen: ready });
    expect(done).toMatchObject({ status: 'error', ename: 'KeyboardInterrupt', events: [{ op: 'sed', error: 'KeyboardInterrupt' }] });
    expect(await readFile(path.join(folder, 'work', 'long.txt'), 'utf8')).toBe(content);
  });

  test('artifacts are those of the app’s store, both ways', async () => {
    const store = new ArtifactStore(artifacts);
    const made = await store.allocate('stream', 'txt', { mime: 'text/plain', source: {} });
    await writeFile(made.file, 'one\ntwo\n');
    expect((await kernel.execute(`output(${made.id}, start=2)`)).result).toBe("'two\\n'");
    const saved = await kernel.execute('save_artifact({"a": 1}, "data.json").id');
    const found = await store.resolve(String(saved.result));
    expect(found).toMatchObject({
      kind: 'file',
      mime: 'application/json',
      source: { name: 'data.json', runId: expect.stringMatching(/./) },
    });
    expect(JSON.parse(await readFile(String(found?.file), 'utf8'))).toEqual({ a: 1 });
    expect(saved.events).toMatchObject([{ op: 'save_artifact', id: Number(saved.result), name: 'data.json' }]);
    const next = await store.allocate('stream', 'txt', { mime: 'text/plain', source: {} });
    expect(Number(next.id)).toBe(Number(saved.result) + 1);
  });
});

/** Whether a process runs: one that has ended but was not waited for does not. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync('/proc/self')) return true;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
}
