/** The first code in a kernel: working folder, variables, module path; and what it and the helpers leave behind, which is nothing else. */
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { initCode, preludeCode } from '../../../main/execution/prelude/prelude.ts';
import { KERNEL_PYTHONS } from '../../support/kernel-pythons.ts';
import { DrivenKernel } from './kernel-driver.ts';

/** What a kernel's code can see of the world: names, modules, finders, builtins, variables, paths. */
const SNAPSHOT = `(lambda: __import__("json").dumps({
  "names": sorted(n for n in globals() if not n.startswith("_i") and n not in ("_", "__", "___", "Out", "In", "_oh", "_dh", "_ih")),
  "modules": sorted(m for m in __import__("sys").modules if "prelude" in m or "cellwright" in m),
  "finders": len(__import__("sys").meta_path),
  "builtins": sorted(vars(__import__("builtins"))),
  "path": __import__("sys").path,
  "cwd": __import__("os").getcwd(),
  "env": dict(__import__("os").environ),
  "main": __name__,
}))()`;

interface Snapshot {
  names: string[];
  modules: string[];
  finders: number;
  builtins: string[];
  path: string[];
  cwd: string;
  env: Record<string, string>;
  main: string;
}

/** All of them, in order. */
const HELPERS = [
  'append',
  'cols',
  'counter',
  'cp',
  'delete_lines',
  'delete_matching',
  'diff',
  'env',
  'find',
  'glob_files',
  'grep',
  'insert_at',
  'lines',
  'mv',
  'output',
  'read',
  'replace',
  'rgrep',
  'rm',
  'rsed',
  'run',
  'save_artifact',
  'sed',
  'sort_lines',
  'stat',
  'tree',
  'uniq',
  'write',
];

describe.each(KERNEL_PYTHONS)('$name', ({ python }) => {
  let kernel: DrivenKernel;
  let folder: string;
  let interpreter: string;

  beforeAll(async () => {
    interpreter = await python();
  }, 600_000);

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'cellwright-start-')));
    kernel = await DrivenKernel.start(interpreter);
  });

  afterEach(async () => {
    await kernel.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Looks without leaving a trace: `display` only sends. */
  async function look(): Promise<Snapshot> {
    const { displays, traceback } = await kernel.execute(
      `__import__("IPython").display.publish_display_data({"text/plain": ${SNAPSHOT}})`,
      { silent: true },
    );
    expect(traceback).toBe('');
    return JSON.parse(String(displays[0]?.['text/plain']));
  }

  test('init changes folder, variables and path, and nothing else', async () => {
    const before = await look();
    const done = await kernel.execute(initCode({ cwd: folder, env: { ARTIFACTS: '/a b', PI_SESSION_FILE: 'ü"\\\u2028\n😀' } }), {
      silent: true,
    });
    expect(done).toMatchObject({ status: 'ok', stdout: '', stderr: '', displays: [], events: [], result: null });
    expect(await look()).toEqual({
      ...before,
      cwd: folder,
      path: [folder, ...before.path],
      env: { ...before.env, ARTIFACTS: '/a b', PI_SESSION_FILE: 'ü"\\\u2028\n😀' },
    });
    expect((await kernel.execute('1')).executionCount).toBe(1);
  });

  test('init leaves a path that is there where it is', async () => {
    await kernel.execute(`import sys; sys.path.append(${JSON.stringify(folder)})`);
    const before = await look();
    await kernel.execute(initCode({ cwd: folder, env: {} }), { silent: true });
    expect((await look()).path).toEqual(before.path);
  });

  test('init works in folders of any name', async () => {
    for (const name of ["it's", 'a "b"', 'ünï 😀', 'back\\slash', 'line\u2028end', '{cwd}', '%s', '# x', '$HOME']) {
      const odd = path.join(folder, name);
      await mkdir(odd);
      expect(await kernel.execute(initCode({ cwd: odd, env: {} }), { silent: true })).toMatchObject({ status: 'ok', stderr: '' });
      expect((await look()).cwd).toBe(odd);
    }
  });

  test('modules of the folder can be imported', async () => {
    await writeFile(path.join(folder, 'neighbour.py'), 'answer = 42\n');
    await kernel.execute(initCode({ cwd: folder, env: {} }), { silent: true });
    expect((await kernel.execute('import os; os.chdir("/"); import neighbour; neighbour.answer')).result).toBe('42');
  });

  test('a folder that cannot be entered is said, and nothing has changed', async () => {
    const before = await look();
    const missing = await kernel.execute(initCode({ cwd: path.join(folder, 'gone'), env: { NEW: '1' } }), { silent: true });
    expect(missing).toMatchObject({ status: 'error', ename: 'FileNotFoundError' });
    expect(missing.evalue).toContain(`The working folder can't be entered (No such file or directory): '${path.join(folder, 'gone')}'`);
    await writeFile(path.join(folder, 'file'), '');
    const file = await kernel.execute(initCode({ cwd: path.join(folder, 'file'), env: { NEW: '1' } }), { silent: true });
    expect(file).toMatchObject({ status: 'error', ename: 'NotADirectoryError' });
    expect(await look()).toEqual(before);
  });

  test('the prelude adds the helpers, and nothing else', async () => {
    const before = await look();
    const done = await kernel.execute(preludeCode(), { silent: true });
    expect(done).toMatchObject({ status: 'ok', stdout: '', stderr: '', displays: [], events: [], result: null });
    const after = await look();
    expect(after).toEqual({ ...before, names: after.names });
    expect(after.names.filter((name) => !before.names.includes(name))).toEqual(HELPERS);
    expect((await kernel.execute('%who')).stdout).toContain('Interactive namespace is empty');
    expect((await kernel.execute('1')).executionCount).toBe(2);
  });

  test('names that the user has stay theirs, now and later', async () => {
    await kernel.execute('read = "mine"; import os; env = os.environ');
    await kernel.execute(preludeCode(), { silent: true });
    expect((await kernel.execute('read, env is os.environ, callable(write)')).result).toBe("('mine', True, True)");
    await kernel.execute('write = 5; del grep');
    expect((await kernel.execute('write')).result).toBe('5');
    expect(await kernel.execute('grep')).toMatchObject({ status: 'error', ename: 'NameError' });
    expect((await kernel.execute('%who')).stdout.split(/\s+/).filter(Boolean)).toEqual(['env', 'os', 'read', 'write']);
    await kernel.execute(preludeCode(), { silent: true });
    expect((await kernel.execute('read, write, callable(grep)')).result).toBe("('mine', 5, True)");
  });

  test('helpers work when the user has taken the names of others', async () => {
    await kernel.execute(initCode({ cwd: folder, env: {} }), { silent: true });
    await kernel.execute(preludeCode(), { silent: true });
    await kernel.execute('read = write_ = preview = load = os = re = open = len = str = list = Path = None; lines = grep = 5');
    expect((await kernel.execute('write("a.txt", "x\\n"); sed("a.txt", "x", "y"); rgrep("y")')).result).toBe('a.txt:1: y');
  });
});

describe('the code', () => {
  test('is one line of ASCII, whatever is in it', () => {
    for (const code of [preludeCode(), initCode({ cwd: '/ü\u2028\u0085😀\ud800', env: { A: '\n\r\x00\x7f' } })]) {
      expect(code).toMatch(/^[\x20-\x7e]+$/);
    }
  });

  test('has every module of the package', async () => {
    const files = await readdir(path.join(import.meta.dirname, '../../../main/execution/prelude'));
    const modules = files.filter((name) => name.endsWith('.py')).map((name) => name.slice(0, -'.py'.length));
    expect(modules.length).toBeGreaterThan(10);
    const code = preludeCode();
    const missing = modules.filter(
      (name) => !code.includes(`"${name === '__init__' ? '' : name}": `) && !code.includes(`"${name === '__init__' ? '' : name}":"`),
    );
    expect(missing).toEqual(['init', 'install']);
  });
});
