/**
 * Starts that fail: each says why, with the kernel's own words, as soon as its process has ended, and leaves nothing behind.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { KernelStartError } from '../../../main/kernels/errors.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { testPython } from '../../support/python.ts';
import { type Bench, connectionFiles, openBench, pythonSpec, run } from './kernel-fixture.ts';

let bench: Bench;
let folder: string;
/** A Python without any packages. */
let barePython: string;

beforeAll(async () => {
  const made = await mkdtemp(path.join(tmpdir(), 'cellwright-bare-'));
  execFileSync(testPython(), ['-m', 'venv', '--without-pip', made]);
  barePython = path.join(made, 'bin', 'python');
});

afterAll(async () => {
  await rm(path.dirname(path.dirname(barePython)), { recursive: true, force: true });
});

beforeEach(async () => {
  bench = await openBench();
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright ünïcode '));
});

afterEach(async () => {
  await bench.close();
  await rm(folder, { recursive: true, force: true });
});

async function failure(change: Partial<KernelSpec>, options: { cwd?: string; startTimeoutMs?: number } = {}): Promise<KernelStartError> {
  const error = await bench.manager.start({ spec: pythonSpec(change), cwd: folder, ...options }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(KernelStartError);
  expect(await connectionFiles(bench)).toEqual([]);
  expect(bench.manager.kernels.size).toBe(0);
  return error as KernelStartError;
}

test('a Python without ipykernel', async () => {
  const error = await failure({ argv: [barePython, '-m', 'ipykernel_launcher', '-f', '{connection_file}'] });
  expect(error.failure).toBe('no-ipykernel');
  expect(error.hint).toContain(`${barePython} -m pip install ipykernel`);
  expect(error.stderrTail).toContain('No module named ipykernel_launcher');
});

test('five of them at once fail on their own, and a good one beside them starts', async () => {
  const bad = [1, 2, 3, 4, 5].map(() =>
    failure({ argv: [barePython, '-m', 'ipykernel_launcher', '-f', '{connection_file}'] }).catch(() => null),
  );
  const good = await bench.manager.start({ spec: pythonSpec(), cwd: folder });
  expect((await run(good, '1 + 1')).result).toBe('2');
  await Promise.all(bad);
});

test('a file that hides a standard module', async () => {
  await writeFile(path.join(folder, 'random.py'), 'x = 1\n');
  const error = await failure({ env: { PYTHONPATH: folder } });
  expect(error.failure).toBe('shadowed-module');
  expect(error.message).toContain(path.join(folder, 'random.py'));
});

test('a missing module that ipykernel needs', async () => {
  await mkdir(path.join(folder, 'zmq'));
  await writeFile(path.join(folder, 'zmq', '__init__.py'), 'import a_part_that_is_not_there\n');
  const error = await failure({ env: { PYTHONPATH: folder } });
  expect(error.failure).toBe('missing-module');
  expect(error.message).toContain('a_part_that_is_not_there');
});

test('an interpreter that does not find its own library', async () => {
  const error = await failure({ env: { PYTHONHOME: '/nowhere' } });
  expect(error.failure).toBe('broken-python');
});

test('a PYTHONHOME of our own environment does not reach the kernel', async () => {
  process.env.PYTHONHOME = '/nowhere';
  try {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: folder });
    expect((await run(kernel, "import os; 'PYTHONHOME' in os.environ")).result).toBe('False');
  } finally {
    delete process.env.PYTHONHOME;
  }
});

test('a program that is not there', async () => {
  const error = await failure({ argv: [path.join(folder, 'python'), '-f', '{connection_file}'] });
  expect(error.failure).toBe('no-program');
});

test('a folder that is not there', async () => {
  const error = await failure({}, { cwd: path.join(folder, 'gone') });
  expect(error.failure).toBe('no-folder');
});

test('a program that may not be run', async () => {
  const file = path.join(folder, 'kernel');
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o600);
  expect((await failure({ argv: [file, '{connection_file}'] })).failure).toBe('permission');
});

test('a program of another architecture', async () => {
  const file = path.join(folder, 'kernel');
  // The head of an ELF program for a machine that does not exist.
  await writeFile(
    file,
    Buffer.concat([Buffer.from('7f454c4602010100000000000000000002 00ffff01000000'.replace(' ', ''), 'hex'), Buffer.alloc(100)]),
  );
  await chmod(file, 0o700);
  expect((await failure({ argv: [file, '{connection_file}'] })).failure).toBe('wrong-architecture');
});

test('a kernel that ends without a word', async () => {
  const error = await failure({ argv: ['/bin/sh', '-c', 'exit 7', '{connection_file}'] });
  expect(error.failure).toBe('unknown');
  expect(error.message).toContain('code 7');
});

test('a kernel that is killed', async () => {
  const error = await failure({ argv: ['/bin/sh', '-c', 'kill -KILL $$', '{connection_file}'] });
  expect(error.failure).toBe('killed');
});

test('a kernel that never answers', async () => {
  const error = await failure({ argv: ['/bin/sh', '-c', 'echo waiting >&2; sleep 1000', '{connection_file}'] }, { startTimeoutMs: 700 });
  expect(error.failure).toBe('no-answer');
  expect(error.stderrTail).toContain('waiting');
});

test('a kernel whose child keeps its output open', async () => {
  const error = await failure({ argv: ['/bin/sh', '-c', 'echo broken >&2; sleep 1000 & exit 1', '{connection_file}'] });
  expect(error.stderrTail).toContain('broken');
});

test('a port that is taken between the choice and the bind costs one more attempt', async () => {
  // Takes the kernel's iopub port before it runs, the first time only.
  const script = `import json, os, socket, sys
mark = os.path.join(${JSON.stringify(folder)}, 'tried')
info = json.load(open(sys.argv[1]))
if not os.path.exists(mark):
    open(mark, 'w').close()
    other = socket.socket()
    other.bind((info['ip'], info['iopub_port']))
    other.listen()
from ipykernel.kernelapp import launch_new_instance
launch_new_instance(argv=['-f', sys.argv[1]])`;
  const file = path.join(folder, 'kernel.py');
  await writeFile(file, script);
  const kernel = await bench.manager.start({ spec: pythonSpec({ argv: [testPython(), file, '{connection_file}'] }), cwd: folder });
  expect((await run(kernel, '1 + 1')).result).toBe('2');
  expect(bench.log.filter(({ event }) => event === 'kernel.port-taken')).toHaveLength(1);
});

test('a restart that fails says why and leaves a dead kernel', async () => {
  const python = path.join(folder, 'python');
  await writeFile(python, `#!/bin/sh\nexec ${testPython()} "$@"\n`);
  await chmod(python, 0o700);
  const kernel = await bench.manager.start({
    spec: pythonSpec({ argv: [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'] }),
    cwd: folder,
  });
  await rm(python);
  await expect(kernel.restart()).rejects.toThrow(KernelStartError);
  expect(kernel.state).toBe('dead');
  expect(await connectionFiles(bench)).toEqual([]);
});

test('a folder with spaces and other letters is the kernel’s own', async () => {
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: folder });
  expect((await run(kernel, 'import os; print(os.getcwd())')).text).toBe(`${folder}\n`);
});

test('many servers on this machine do not get in the way', async () => {
  const servers = await Promise.all(
    Array.from(
      { length: 50 },
      () =>
        new Promise<Server>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: folder });
  expect((await run(kernel, '1 + 1')).result).toBe('2');
  for (const server of servers) server.close();
});
