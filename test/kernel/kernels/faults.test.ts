/**
 * Kernels that die, stop, lie and lose their host. Each ends in what is right, and nothing hangs.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KernelDeadError } from '../../../main/kernels/errors.ts';
import { HostGoneError } from '../../../main/kernels/host/rpc.ts';
import type { Kernel, KernelState } from '../../../main/kernels/kernel.ts';
import { testPython } from '../../support/python.ts';
import {
  type Bench,
  connectionFiles,
  eventually,
  isAlive,
  isIdle,
  isStream,
  nextEvent,
  openBench,
  pythonSpec,
  run,
  startRun,
} from './kernel-fixture.ts';

let bench: Bench;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(async () => {
  await bench.close();
});

function start(change = {}): Promise<Kernel> {
  return bench.manager.start({ spec: pythonSpec(change), cwd: bench.runtimeFolder });
}

describe('the end of the process', () => {
  const ENDS: [name: string, code: string, expected: { code: number | null; signal: string | null; message: RegExp }][] = [
    ['SIGKILL', 'import os; os.kill(os.getpid(), 9)', { code: null, signal: 'SIGKILL', message: /signal 9, perhaps out of memory/ }],
    ['os._exit', 'import os; os._exit(3)', { code: 3, signal: null, message: /left with code 3/ }],
    ['a segmentation fault', 'import ctypes; ctypes.string_at(0)', { code: null, signal: 'SIGSEGV', message: /segmentation fault/ }],
    ['an abort', 'import os; os.abort()', { code: null, signal: 'SIGABRT', message: /aborted/ }],
    ['exit()', 'exit()', { code: 0, signal: null, message: /ended by itself/ }],
  ];

  for (const [name, code, { message, ...facts }] of ENDS) {
    test(`by ${name} is seen, with the output before it`, async () => {
      const kernel = await start();
      const exit = nextEvent(kernel, 'exit');
      // The pause lets the output leave the kernel: what it still holds itself ends with it.
      const started = startRun(
        kernel,
        `print('before', flush=True)\nimport sys; sys.__stderr__.write('last words\\n'); sys.__stderr__.flush()\nimport time; time.sleep(.3)\n${code}`,
      );
      await started.until(isStream);
      const seen = await exit;
      expect(seen).toMatchObject({ ...facts, expected: false });
      expect(seen.message).toMatch(message);
      expect(seen.stderrTail).toContain('last words');
      expect(seen.stderrTail).not.toContain('without encryption');
      expect(kernel.state).toBe('dead');
      expect(kernel.pid).toBeNull();
      await expect(kernel.request({ channel: 'shell', type: 'kernel_info_request', content: {} }, 1_000)).rejects.toThrow(KernelDeadError);
      await expect(kernel.interrupt()).rejects.toThrow(KernelDeadError);
      expect(await connectionFiles(bench)).toEqual([]);
    });
  }

  test.runIf(process.platform === 'linux')('for its memory says how much that was', async () => {
    const kernel = await start();
    const exit = nextEvent(kernel, 'exit');
    // Filled, and seen at work for some seconds.
    startRun(kernel, 'import os, time\nheld = b"x" * 400_000_000\ntime.sleep(3)\nos.kill(os.getpid(), 9)');
    const [, reached] = /perhaps out of memory; its memory had reached (\d+) MB\.$/.exec((await exit).message) ?? [];
    expect(Number(reached)).toBeGreaterThanOrEqual(400);
    expect(Number(reached)).toBeLessThan(900);
  });

  test('ends the workers that it leaves behind, and says how many and which', async () => {
    const kernel = await start();
    const code = `import multiprocessing, time
pool = multiprocessing.get_context('fork').Pool(4)
working = pool.map_async(time.sleep, [1000] * 4)
print(*(worker.pid for worker in pool._pool), flush=True)`;
    const workers = (await run(kernel, code)).text.trim().split(' ').map(Number);
    expect(workers.filter(isAlive)).toHaveLength(4);
    const exit = nextEvent(kernel, 'exit');
    process.kill(kernel.pid as number, 'SIGKILL');
    const { message } = await exit;
    expect(workers.filter(isAlive)).toEqual([]);
    const told =
      /^The kernel ended: killed by signal 9, perhaps out of memory; 4 processes that it had started were ended after it \(\S+ ([\d, ]+)\)\.$/;
    expect(message).toMatch(told);
    expect(told.exec(message)?.[1]?.split(', ').map(Number).sort()).toEqual(workers.sort());
  });

  test('fails the requests that were open', async () => {
    const kernel = await start();
    startRun(kernel, 'import time; time.sleep(1000)');
    const asked = kernel.request({ channel: 'shell', type: 'complete_request', content: { code: 'a', cursor_pos: 1 } }, 60_000);
    const failed = expect(asked).rejects.toThrow(KernelDeadError);
    process.kill(kernel.pid as number, 'SIGKILL');
    await failed;
  });

  test('takes the children in its group with it', async () => {
    const kernel = await start();
    const child = await run(kernel, "import subprocess; subprocess.Popen(['sleep', '1000']).pid");
    const exit = nextEvent(kernel, 'exit');
    process.kill(kernel.pid as number, 'SIGKILL');
    await exit;
    await eventually(() => !isAlive(Number(child.result)));
  });

  test('loses none of what was printed before', async () => {
    const kernel = await start();
    const exit = nextEvent(kernel, 'exit');
    const lines = 20_000;
    const started = startRun(
      kernel,
      `import os, sys\nfor n in range(${lines}): print(n)\nsys.stdout.flush()\nimport time; time.sleep(.5)\nos._exit(1)`,
    );
    let text = '';
    void started.until((message) => {
      if (isStream(message)) text = String(message.content.text);
      return text.endsWith(`${lines - 1}\n`);
    });
    await exit;
    expect(text.endsWith(`${lines - 1}\n`)).toBe(true);
  });
});

test('a stopped kernel is not responding and comes back; it is never taken for dead', async () => {
  const kernel = await start();
  await run(kernel, 'x = 5');
  const states: KernelState[] = [];
  kernel.on('state', (state) => states.push(state));
  const lost = nextEvent(kernel, 'state', (state) => state === 'not-responding');
  process.kill(kernel.pid as number, 'SIGSTOP');
  await lost;
  const back = nextEvent(kernel, 'state', (state) => state === 'idle');
  process.kill(kernel.pid as number, 'SIGCONT');
  await back;
  expect(states).toEqual(['not-responding', 'idle']);
  expect((await run(kernel, 'x')).result).toBe('5');
});

test('a stopped kernel can be shut down', async () => {
  const kernel = await start();
  const { pid } = kernel;
  process.kill(pid as number, 'SIGSTOP');
  await kernel.shutdown();
  expect(isAlive(pid as number)).toBe(false);
});

test('a kernel that computes in native code for long keeps its heartbeat', async () => {
  const kernel = await start();
  const states: KernelState[] = [];
  kernel.on('state', (state) => states.push(state));
  // One call that holds the interpreter's lock for several beats.
  const ran = await run(
    kernel,
    "import time, re\nstart = time.monotonic()\nwhile time.monotonic() - start < 13: re.match('(a+)+b', 'a' * 22)\n'done'",
  );
  expect(ran.result).toBe("'done'");
  expect(states).not.toContain('not-responding');
});

describe('the end of the kernel host', () => {
  test('leaves the variables: the kernel is attached again', async () => {
    const kernel = await start();
    const { pid, generation } = kernel;
    await run(kernel, 'x = 41');
    for (let time = 0; time < 5; time += 1) {
      const connected = nextEvent(kernel, 'connected');
      process.kill(bench.hosts.at(-1)?.pid as number, 'SIGKILL');
      expect((await connected).generation).toBe(generation);
      expect((await run(kernel, `x + ${time}`)).result).toBe(String(41 + time));
    }
    expect(kernel.pid).toBe(pid);
    expect(bench.hosts).toHaveLength(6);
  });

  test('fails the calls that were open with HostGoneError', async () => {
    const kernel = await start();
    startRun(kernel, 'import time; time.sleep(2)');
    const asked = kernel.request({ channel: 'shell', type: 'complete_request', content: { code: 'a', cursor_pos: 1 } }, 60_000);
    const failed = expect(asked).rejects.toThrow(HostGoneError);
    process.kill(bench.hosts[0]?.pid as number, 'SIGKILL');
    await failed;
  });

  test('while a cell runs: the kernel stays busy, and its end is noticed', async () => {
    const kernel = await start();
    const go = path.join(bench.runtimeFolder, 'go');
    const wait = `import os, time; print('runs', flush=True)\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.05)\ny = 'kept'`;
    const started = startRun(kernel, wait);
    await started.until(isStream);
    await eventually(() => kernel.state === 'busy');
    const connected = nextEvent(kernel, 'connected');
    process.kill(bench.hosts[0]?.pid as number, 'SIGKILL');
    await connected;
    expect(kernel.state).toBe('busy');
    const idle = nextEvent(kernel, 'state', (state) => state === 'idle');
    await writeFile(go, '');
    await idle;
    expect((await run(kernel, 'y')).result).toBe("'kept'");
  });

  test('while kernels start: they become ready through the next host', async () => {
    await bench.manager.host();
    const starting = [start(), start()];
    await eventually(async () => (await connectionFiles(bench)).length === 2);
    process.kill(bench.hosts[0]?.pid as number, 'SIGKILL');
    const kernels = await Promise.all(starting);
    for (const kernel of kernels) expect((await run(kernel, '1 + 1')).result).toBe('2');
  });

  test('by an error in it is logged and mended', async () => {
    const kernel = await start();
    await run(kernel, 'x = 1');
    const connected = nextEvent(kernel, 'connected');
    await kernel.host.call('test.throw', null);
    await connected;
    expect((await run(kernel, 'x')).result).toBe('1');
    expect(bench.log.find(({ event }) => event === 'host.crashed')?.fields.message).toBe('thrown by a test');
  });

  test('on purpose closes every socket and keeps the kernels', async () => {
    const kernel = await start();
    await run(kernel, 'x = 2');
    const connected = nextEvent(kernel, 'connected');
    await bench.manager.restartHost();
    await connected;
    expect((await run(kernel, 'x')).result).toBe('2');
  });

  test('and of the kernel together is the end of the kernel', async () => {
    const kernel = await start();
    const exit = nextEvent(kernel, 'exit');
    process.kill(bench.hosts[0]?.pid as number, 'SIGKILL');
    process.kill(kernel.pid as number, 'SIGKILL');
    expect(await exit).toMatchObject({ signal: 'SIGKILL', expected: false });
    await kernel.restart();
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  });
});

test('lies of a kernel are dropped and logged, and the truth arrives', async () => {
  const script = path.join(import.meta.dirname, 'lying_kernel.py');
  const kernel = await start({ argv: [testPython(), script, '{connection_file}'], language: 'lies' });
  expect(kernel.info?.language_info.name).toBe('lies');
  for (const count of [1, 2, 3]) {
    const started = startRun(kernel, 'anything');
    await started.until(isIdle);
    const { messages, text } = await started.done;
    expect(text).toBe(`truth ${count}\n`);
    const display = messages.find(({ header }) => header.msg_type === 'display_data');
    expect(display?.content.data).toEqual({ 'application/json': { nan: Number.NaN, text: 'NaN', infinite: [Infinity, -Infinity] } });
  }
  const faults = new Set(bench.log.filter(({ event }) => event === 'kernel.frame-dropped').map(({ fields }) => fields.fault));
  expect([...faults].sort()).toEqual(['bad-header', 'bad-json', 'bad-signature', 'no-delimiter', 'too-few-frames']);
});
