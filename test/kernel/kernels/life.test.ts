/**
 * A kernel's whole life with a real ipykernel: start, run, restart, shutdown, and nothing left behind.
 */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KernelDeadError } from '../../../main/kernels/errors.ts';
import type { KernelExit, KernelState } from '../../../main/kernels/kernel.ts';
import { type Bench, connectionFiles, eventually, isAlive, nextEvent, openBench, pythonSpec, run, startRun } from './kernel-fixture.ts';

let bench: Bench;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(async () => {
  await bench.close();
});

test('a kernel starts, runs code and gives its results', async () => {
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  expect(kernel.state).toBe('idle');
  expect(kernel.info?.language_info.name).toBe('python');
  const ran = await run(kernel, "import os\nprint('hello')\nos.getcwd()");
  expect(ran.reply.status).toBe('ok');
  expect(ran.text).toBe('hello\n');
  expect(ran.result).toBe(`'${bench.runtimeFolder}'`);
});

test('twelve starts in a row are all ready, and none loses its first output', async () => {
  for (let start = 0; start < 12; start += 1) {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
    const ran = await run(kernel, `print(${start})`);
    expect(ran.text).toBe(`${start}\n`);
    await kernel.shutdown();
  }
});

test('five kernels at once are apart from one another', async () => {
  const kernels = await Promise.all([1, 2, 3, 4, 5].map(() => bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder })));
  await Promise.all(kernels.map((kernel, index) => run(kernel, `mine = ${index}`)));
  const seen = await Promise.all(kernels.map((kernel) => run(kernel, 'mine')));
  expect(seen.map(({ result }) => result)).toEqual(['0', '1', '2', '3', '4']);
  expect(new Set(kernels.map(({ pid }) => pid)).size).toBe(5);
});

test('the connection file is for this user alone', async () => {
  await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  const [name] = await connectionFiles(bench);
  const file = path.join(bench.runtimeFolder, name as string);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const info = JSON.parse(await readFile(file, 'utf8'));
  expect(info).toMatchObject({ ip: '127.0.0.1', transport: 'tcp', signature_scheme: 'hmac-sha256' });
  expect(info.key).toMatch(/^[0-9a-f]{64}$/);
});

test('a kernel that said it would end and doesn’t is asked by signal soon', async () => {
  // By itself it would be gone before the time of a kernel that says nothing. On a busy machine the signal may come late, but not each time.
  const signals: (string | null)[] = [];
  for (let attempt = 0; attempt < 5 && !signals.includes('SIGTERM'); attempt += 1) {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
    await run(kernel, 'import atexit, time; atexit.register(time.sleep, 1.6)');
    const exit = nextEvent(kernel, 'exit');
    await kernel.shutdown();
    signals.push((await exit).signal);
  }
  expect(signals).toContain('SIGTERM');
});

test('shutdown leaves no process, no file and no descriptor', async () => {
  const host = await bench.manager.host();
  // The first kernel opens what stays open for good: libzmq's own threads and pipes.
  const first = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  await first.shutdown();
  const before = await host.call<number>('test.descriptors', null);
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  const { pid } = kernel;
  const child = await run(kernel, "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True).pid");
  expect(await host.call<number>('test.descriptors', null)).toBeGreaterThan(before);
  await kernel.shutdown();
  expect(kernel.state).toBe('dead');
  expect(kernel.pid).toBeNull();
  expect(isAlive(pid as number)).toBe(false);
  // The child had left the kernel's group.
  await eventually(() => !isAlive(Number(child.result)));
  expect(await connectionFiles(bench)).toEqual([]);
  expect(bench.manager.kernels.size).toBe(0);
  await eventually(async () => (await host.call<number>('test.descriptors', null)) <= before);
});

test('a busy kernel is shut down too, and says that this was expected', async () => {
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  const exits: KernelExit[] = [];
  kernel.on('exit', (exit) => exits.push(exit));
  const busy = nextEvent(kernel, 'state', (state) => state === 'busy');
  startRun(kernel, 'while True: pass');
  await busy;
  await Promise.all([kernel.shutdown(), kernel.shutdown()]);
  expect(exits).toHaveLength(1);
  expect(exits[0]).toMatchObject({ expected: true, message: 'The kernel was shut down.' });
  await expect(kernel.request({ channel: 'shell', type: 'kernel_info_request', content: {} }, 1_000)).rejects.toThrow(KernelDeadError);
});

describe('restart', () => {
  test('keeps the id, starts a new process and forgets the variables', async () => {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
    const { id, pid } = kernel;
    await run(kernel, 'x = 1');
    const states: KernelState[] = [];
    kernel.on('state', (state) => states.push(state));
    const exit = nextEvent(kernel, 'exit');
    const connected = nextEvent(kernel, 'connected');
    await kernel.restart();
    expect(states).toEqual(['restarting', 'idle']);
    expect(await exit).toMatchObject({ expected: true });
    expect((await connected).generation).toBe(1);
    expect(kernel.id).toBe(id);
    expect(kernel.pid).not.toBe(pid);
    expect((await run(kernel, 'x')).reply).toMatchObject({ status: 'error', ename: 'NameError' });
  });

  test('two at a time are one, also while the kernel is busy', async () => {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
    const busy = nextEvent(kernel, 'state', (state) => state === 'busy');
    startRun(kernel, 'import time; time.sleep(1000)');
    await busy;
    await Promise.all([kernel.restart(), kernel.restart()]);
    expect(kernel.generation).toBe(1);
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  });

  test('brings a dead kernel back', async () => {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
    const exit = nextEvent(kernel, 'exit');
    process.kill(kernel.pid as number, 'SIGKILL');
    await exit;
    expect(kernel.state).toBe('dead');
    await kernel.restart();
    expect((await run(kernel, '6 * 7')).result).toBe('42');
  });

  test('no first output is lost after any of ten restarts', async () => {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
    for (let restart = 0; restart < 10; restart += 1) {
      await kernel.restart();
      const texts = await Promise.all([0, 1, 2, 3, 4].map((cell) => run(kernel, `print(${cell})`)));
      expect(texts.map(({ text }) => text)).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n']);
    }
  });
});

test('a request is answered, and one that is not in time says so', async () => {
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  const content = { code: 'impo', cursor_pos: 4 };
  const reply = await kernel.request({ channel: 'shell', type: 'complete_request', content }, 20_000);
  expect(reply.matches).toContain('import');
  startRun(kernel, 'import time; time.sleep(1000)');
  await expect(kernel.request({ channel: 'shell', type: 'complete_request', content }, 300)).rejects.toThrow('did not answer');
});

test('a completion while a cell runs does not make the kernel idle', async () => {
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  const busy = nextEvent(kernel, 'state', (state) => state === 'busy');
  const started = startRun(kernel, 'import time\nprint(1, flush=True)\ntime.sleep(1000)');
  await busy;
  await started.until(({ header }) => header.msg_type === 'stream');
  await kernel.request({ channel: 'control', type: 'kernel_info_request', content: {} }, 20_000);
  expect(kernel.state).toBe('busy');
});

test('code with a lone surrogate is answered', async () => {
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  expect((await run(kernel, "len('a\ud800b')")).result).toBe('3');
});

test('a start that is given up ends its process', async () => {
  const abort = new AbortController();
  const started = bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder, signal: abort.signal });
  await eventually(async () => (await connectionFiles(bench)).length === 1);
  abort.abort(new Error('no longer wanted'));
  await expect(started).rejects.toThrow('no longer wanted');
  expect(bench.manager.kernels.size).toBe(0);
  expect(await connectionFiles(bench)).toEqual([]);
});

test('closing the manager while a kernel starts ends that kernel', async () => {
  const started = bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  const failed = expect(started).rejects.toThrow(KernelDeadError);
  await eventually(async () => (await connectionFiles(bench)).length === 1);
  await bench.manager.close();
  await failed;
  expect(await connectionFiles(bench)).toEqual([]);
});
