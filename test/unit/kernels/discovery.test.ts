/**
 * Kernelspecs and interpreters on a home folder made for the test, with real Pythons in it.
 */

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findInterpreters, type Interpreter, interpreterSpec } from '../../../main/kernels/discovery/interpreters.ts';
import type { System } from '../../../main/kernels/discovery/jupyter-paths.ts';
import { findKernelspecs } from '../../../main/kernels/discovery/kernelspecs.ts';
import { parseLauncher } from '../../../main/kernels/discovery/machine-interpreters.ts';
import { addIpykernel, makeEnvironment, writeKernelspec } from './environments.ts';

let home: string;
let project: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), 'cellwright hömé ')));
  project = path.join(home, 'my project');
  await mkdir(path.join(project, 'notebooks'), { recursive: true });
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

function system(env: System['env'] = {}): System {
  return { platform: 'linux', env: { PATH: '', ...env }, home };
}

/** The found ones below the home folder; the machine's own are not ours to know. */
async function found(folder: string | null, env: System['env'] = {}): Promise<Interpreter[]> {
  return (await findInterpreters(folder, system(env))).filter(({ path: program }) => program.startsWith(home));
}

describe('kernelspecs', () => {
  const data = (): string => path.join(home, '.local', 'share', 'jupyter');

  test('are read with all that Jupyter knows of them', async () => {
    const folder = await writeKernelspec(data(), 'deno', {
      argv: ['/bin/deno', 'jupyter', '--conn', '{connection_file}'],
      display_name: 'Deno',
      language: 'typescript',
      interrupt_mode: 'message',
      env: { NO_COLOR: '1' },
      metadata: { debugger: true },
    });
    const specs = await findKernelspecs(system());
    expect(specs.find(({ name }) => name === 'deno')).toEqual({
      name: 'deno',
      displayName: 'Deno',
      language: 'typescript',
      argv: ['/bin/deno', 'jupyter', '--conn', '{connection_file}'],
      env: { NO_COLOR: '1' },
      interruptMode: 'message',
      resourceDir: folder,
      source: 'kernelspec',
    });
  });

  test('the first folder with a name wins, whatever its case', async () => {
    const named = path.join(home, 'named');
    await writeKernelspec(named, 'Mine', { argv: ['/first'], display_name: 'First', language: 'a' });
    await writeKernelspec(data(), 'mine', { argv: ['/second'], display_name: 'Second', language: 'a' });
    const specs = (await findKernelspecs(system({ JUPYTER_PATH: named }))).filter(({ name }) => name.toLowerCase() === 'mine');
    expect(specs.map(({ displayName }) => displayName)).toEqual(['First']);
  });

  test('those that can’t be read hide no others', async () => {
    await writeKernelspec(data(), 'cut-off', '{"argv": [');
    await writeKernelspec(data(), 'no-argv', { display_name: 'x' });
    await writeKernelspec(data(), 'empty-argv', { argv: [] });
    await writeKernelspec(data(), 'with-bom', '\ufeff{"argv": ["/x"]}');
    await writeKernelspec(data(), 'odd', { argv: ['/x'], interrupt_mode: 'shout', env: 5 });
    await mkdir(path.join(data(), 'kernels', 'no-file'), { recursive: true });
    await writeFile(path.join(data(), 'kernels', 'a-file'), 'x');
    const specs = (await findKernelspecs(system())).filter(({ resourceDir }) => resourceDir?.startsWith(home));
    expect(specs.map(({ name }) => name)).toEqual(['odd', 'with-bom']);
    expect(specs[0]).toMatchObject({ displayName: 'odd', interruptMode: 'signal', env: {} });
  });

  test('`python` means the Python of the environment that the spec lies in', async () => {
    const prefix = path.join(home, 'env');
    const python = await makeEnvironment(prefix, false);
    await writeKernelspec(path.join(prefix, 'share', 'jupyter'), 'here', { argv: ['python', '-m', 'x'], language: 'python' });
    await writeKernelspec(data(), 'elsewhere', { argv: ['python3', '-m', 'x'], language: 'python' });
    const specs = await findKernelspecs(system({ JUPYTER_PATH: path.join(prefix, 'share', 'jupyter') }));
    expect(specs.find(({ name }) => name === 'here')?.argv[0]).toBe(python);
    expect(specs.find(({ name }) => name === 'elsewhere')?.argv[0]).toBe('python3');
  });
});

describe('interpreters of the project', () => {
  test('.venv is found from a folder below, with or without ipykernel', async () => {
    const python = await makeEnvironment(path.join(project, '.venv'), true);
    await makeEnvironment(path.join(project, 'venv'), false);
    const [first, second] = await found(path.join(project, 'notebooks'));
    expect(first).toMatchObject({ path: python, kind: 'venv', project: true, ipykernel: expect.stringMatching(/^\d+\./) });
    expect(first?.displayName).toMatch(/^Python 3\.\d+ \(\.venv\)$/);
    expect(second).toMatchObject({ project: true, ipykernel: null });
  });

  test('the nearest comes first, and nothing above the repository’s root', async () => {
    await makeEnvironment(path.join(home, '.venv'), true);
    await makeEnvironment(path.join(project, '.venv'), true);
    const near = await makeEnvironment(path.join(project, 'notebooks', '.venv'), true);
    await mkdir(path.join(project, '.git'));
    const programs = (await found(path.join(project, 'notebooks'))).map(({ path: program }) => program);
    expect(programs[0]).toBe(near);
    expect(programs).toHaveLength(2);
  });

  test('a git worktree ends it too, and without a repository the home folder does', async () => {
    await makeEnvironment(path.join(home, '.venv'), true);
    expect(await found(path.join(project, 'notebooks'))).toEqual([]);
    await makeEnvironment(path.join(project, '.venv'), true);
    await writeFile(path.join(project, 'notebooks', '.git'), 'gitdir: elsewhere');
    expect(await found(path.join(project, 'notebooks'))).toEqual([]);
  });

  test('uv is told by its mark', async () => {
    await makeEnvironment(path.join(project, '.venv'), true, 'uv = 0.9.1\n');
    expect((await found(project))[0]?.kind).toBe('uv');
  });

  test('poetry’s environment is found by the project’s name and folder', async () => {
    await writeFile(path.join(project, 'pyproject.toml'), '[tool.poetry]\nname = "My Tool"\n');
    const hash = createHash('sha256').update(project).digest('base64url').slice(0, 8);
    const store = path.join(home, '.cache', 'pypoetry', 'virtualenvs');
    const python = await makeEnvironment(path.join(store, `my_tool-${hash}-py3.11`), true);
    await makeEnvironment(path.join(store, 'my_tool-otherone-py3.11'), true);
    expect((await found(project)).map(({ path: program, kind }) => ({ program, kind }))).toEqual([{ program: python, kind: 'poetry' }]);
  });

  test('pipenv’s environment is found by its note', async () => {
    await writeFile(path.join(project, 'Pipfile'), '');
    const store = path.join(home, 'envs');
    const mine = path.join(store, 'my project-abcd1234');
    const python = await makeEnvironment(mine, true);
    await writeFile(path.join(mine, '.project'), `${project}\n`);
    await makeEnvironment(path.join(store, 'my project-other'), true);
    await writeFile(path.join(store, 'my project-other', '.project'), '/elsewhere');
    const interpreters = await found(project, { WORKON_HOME: store });
    expect(interpreters.map(({ path: program, kind }) => ({ program, kind }))).toEqual([{ program: python, kind: 'pipenv' }]);
  });

  test('.python-version names a version of pyenv', async () => {
    await writeFile(path.join(project, '.python-version'), 'tools\n');
    const python = await makeEnvironment(path.join(home, '.pyenv', 'versions', 'tools'), true);
    await makeEnvironment(path.join(home, '.pyenv', 'versions', 'other'), true);
    const [first, second] = await found(project);
    expect(first).toMatchObject({ path: python, kind: 'pyenv', project: true });
    expect(second).toMatchObject({ project: false });
  });

  test('an environment that is broken is left out', async () => {
    await makeEnvironment(path.join(project, '.venv'), true);
    await rm(path.join(project, '.venv', 'bin', 'python'));
    await symlink('/nowhere/python', path.join(project, '.venv', 'bin', 'python'));
    await makeEnvironment(path.join(project, 'venv'), true);
    await rm(path.join(project, 'venv', 'bin', 'python'));
    await writeFile(path.join(project, 'venv', 'bin', 'python'), '#!/bin/sh\necho "not a Python"\n', { mode: 0o700 });
    expect(await found(project)).toEqual([]);
  });
});

describe('interpreters of the machine', () => {
  test('the active one, the search path, conda’s list and pyenv, each once', async () => {
    const active = await makeEnvironment(path.join(home, 'active'), true);
    const onPath = await makeEnvironment(path.join(home, 'on path'), true);
    await symlink('python', path.join(home, 'on path', 'bin', 'python3'));
    const conda = await makeEnvironment(path.join(home, 'anywhere', 'science'), true);
    await mkdir(path.join(home, 'anywhere', 'science', 'conda-meta'));
    await mkdir(path.join(home, '.conda'));
    await writeFile(path.join(home, '.conda', 'environments.txt'), `${path.join(home, 'anywhere', 'science')}\n/gone\n`);
    const interpreters = await found(null, { VIRTUAL_ENV: path.join(home, 'active'), PATH: `relative:${path.dirname(onPath)}` });
    expect(interpreters.map(({ prefix, kind }) => ({ prefix, kind }))).toEqual([
      { prefix: path.dirname(path.dirname(active)), kind: 'venv' },
      { prefix: path.dirname(path.dirname(onPath)), kind: 'venv' },
      { prefix: path.dirname(path.dirname(conda)), kind: 'conda' },
    ]);
    expect(interpreters[2]?.displayName).toContain('(science)');
  });

  test('a shim is resolved to the interpreter behind it', async () => {
    const python = await makeEnvironment(path.join(home, 'real'), true);
    const shims = path.join(home, 'shims');
    await mkdir(shims);
    await writeFile(path.join(shims, 'python3'), `#!/bin/sh\nexec "${python}" "$@"\n`, { mode: 0o700 });
    expect((await found(null, { PATH: shims })).map(({ path: program }) => program)).toEqual([python]);
  });

  test('what a site customisation prints does not hide the answer', async () => {
    const prefix = path.join(home, 'noisy');
    const python = await makeEnvironment(prefix, true);
    const shims = path.join(home, 'shims');
    await mkdir(shims);
    await writeFile(path.join(shims, 'python3'), `#!/bin/sh\necho welcome\necho '{"version": 1}'\n"${python}" "$@"\necho bye\n`, {
      mode: 0o700,
    });
    expect(await found(null, { PATH: shims })).toHaveLength(1);
  });

  test('the managed environment comes last, under its own name', async () => {
    await makeEnvironment(path.join(home, '.local', 'share', 'cellwright', 'python'), true);
    await makeEnvironment(path.join(home, 'on-path'), true);
    const interpreters = await found(null, { PATH: path.join(home, 'on-path', 'bin') });
    expect(interpreters.map(({ kind }) => kind)).toEqual(['venv', 'managed']);
    expect(interpreterSpec(interpreters[1] as Interpreter)).toMatchObject({ source: 'managed', name: 'python3' });
  });

  test('an install of ipykernel is noticed', async () => {
    const prefix = path.join(project, '.venv');
    await makeEnvironment(prefix, false);
    expect((await found(project))[0]?.ipykernel).toBeNull();
    await addIpykernel(prefix);
    expect((await found(project))[0]?.ipykernel).not.toBeNull();
  });
});

test('an interpreter becomes a kernelspec that starts its ipykernel', async () => {
  const python = await makeEnvironment(path.join(project, '.venv'), true);
  const [interpreter] = await found(project);
  expect(interpreterSpec(interpreter as Interpreter)).toEqual({
    name: 'python3',
    displayName: interpreter?.displayName,
    language: 'python',
    argv: [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
    env: {},
    interruptMode: 'signal',
    resourceDir: null,
    source: 'project',
  });
});

test('the lines of the Windows launcher are read, with spaces and without', () => {
  const text =
    ' -V:3.13 *        C:\\Users\\Ada L\\AppData\\Local\\Programs\\Python\\Python313\\python.exe\r\n -V:3.12          C:\\Python312\\python.exe\r\nNo pythons\r\n';
  expect(parseLauncher(text)).toEqual([
    'C:\\Users\\Ada L\\AppData\\Local\\Programs\\Python\\Python313\\python.exe',
    'C:\\Python312\\python.exe',
  ]);
});
