/**
 * One suite for every transport: what a kernel is to the rest of the program must not depend on the way to it. Raw messages, no runs.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { KernelDeadError, KernelStartError, KernelTimeoutError } from '../../../main/kernels/errors.ts';
import type { Kernel, KernelState, LaunchOptions } from '../../../main/kernels/kernel.ts';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';
import type { TestMessage } from '../../support/kernel-host.ts';
import { type Bench, eventually, isBusy, isStream, nextEvent, openBench, run, startRun } from '../kernels/kernel-fixture.ts';
import { prepareServers, SET_UP_LIMIT_MS, TRANSPORTS } from './transports.ts';

beforeAll(prepareServers, SET_UP_LIMIT_MS);

describe.each(TRANSPORTS)('$name', ({ open }) => {
  let bench: Bench;
  let launch: LaunchOptions | null = null;
  let reason = '';
  let close: () => Promise<void> = async () => {};
  /** Used by one test after the other, until one of them has ended or restarted it. */
  let kernel: Kernel;

  beforeAll(async () => {
    bench = await openBench();
    const opened = await open();
    if ('reason' in opened) reason = opened.reason;
    else ({ launch, close } = opened);
  });

  afterAll(async () => {
    await bench.close();
    await close();
  });

  beforeEach(async (context: TestContext) => {
    if (!launch) return context.skip(reason);
    if (kernel?.state === 'idle' && kernel.generation === 0) return;
    await kernel?.shutdown();
    kernel = await bench.manager.start(launch);
  });

  it('starts a kernel that is idle and says what it is', () => {
    expect(kernel.state).toBe('idle');
    expect(kernel.generation).toBe(0);
    expect(kernel.info).toMatchObject({ implementation: 'ipython', language_info: { name: 'python' } });
    expect(bench.manager.kernels.get(kernel.id)).toBe(kernel);
  });

  it('carries output, results and errors in order', async () => {
    const { reply, messages, text } = await run(kernel, 'print("äöü ☃ 𝄞")\ndisplay({"text/plain": "shown"}, raw=True)\n1 / 0');
    expect(text).toBe('äöü ☃ 𝄞\n');
    expect(reply).toMatchObject({ status: 'error', ename: 'ZeroDivisionError' });
    const types = messages.filter(({ channel }) => channel === 'iopub').map(({ header }) => header.msg_type);
    expect(types).toEqual(['status', 'execute_input', 'stream', 'display_data', 'error', 'status']);
    expect((await run(kernel, '"a" * 3')).result).toBe("'aaa'");
  });

  it('loses none of 100,000 lines', async () => {
    const { text } = await run(kernel, 'for i in range(100_000): print(i)');
    const lines = text.split('\n');
    expect(lines).toHaveLength(100_001);
    expect(lines.every((line, index) => line === String(index) || (index === 100_000 && line === ''))).toBe(true);
  });

  it('shows what it does, and interrupts it', async () => {
    const states: KernelState[] = [];
    kernel.on('state', (state) => states.push(state));
    const endless = startRun(kernel, 'print("on", flush=True)\nwhile True: pass');
    await endless.until(isStream);
    await eventually(() => kernel.state === 'busy');
    await kernel.interrupt();
    expect((await endless.done).reply).toMatchObject({ status: 'error', ename: 'KeyboardInterrupt' });
    await eventually(() => kernel.state === 'idle');
    expect(states).toEqual(['busy', 'idle']);
    expect((await run(kernel, '40 + 2')).result).toBe('42');
  });

  it('interrupts what awaits', async () => {
    const waiting = startRun(kernel, 'import asyncio\nprint("on", flush=True)\nawait asyncio.sleep(600)');
    await waiting.until(isStream);
    await kernel.interrupt();
    const { reply } = await waiting.done;
    expect(reply.status).toBe('error');
  });

  it('answers requests beside runs, and says when it does not', async () => {
    const reply = await kernel.request({ channel: 'shell', type: 'complete_request', content: { code: 'impo', cursor_pos: 4 } }, 20_000);
    expect(reply).toMatchObject({ status: 'ok', matches: ['import'] });
    const long = startRun(kernel, 'import time; time.sleep(3)');
    await long.until(isBusy);
    const late = kernel.request({ channel: 'shell', type: 'complete_request', content: { code: 'impo', cursor_pos: 4 } }, 300);
    await expect(late).rejects.toBeInstanceOf(KernelTimeoutError);
    await long.done;
  });

  it('asks for input and takes the answer', async () => {
    const { host, id: kernelId } = kernel;
    const asked = new Promise<JupyterMessage>((resolve) => {
      host.on<TestMessage>('test.message', ({ kernelId: of, message }) => {
        if (of === kernelId && message.channel === 'stdin') resolve(message);
      });
    });
    const answered = run(kernel, 'answer = input("Who? ")\nprint(f"Hello {answer}")', { allowStdin: true });
    const { header, content } = await asked;
    expect(content).toMatchObject({ prompt: 'Who? ', password: false });
    const message = { channel: 'stdin', type: 'input_reply', parentHeader: header, content: { status: 'ok', value: 'Ada' } } as const;
    await host.call('kernel.send', { kernelId, message });
    expect((await answered).text).toBe('Hello Ada\n');
  });

  it('carries buffers both ways, byte for byte', async () => {
    const target = [
      'def opened(comm, message):',
      '    comm.send({"lengths": [len(b) for b in message["buffers"]]}, buffers=[bytes(b)[::-1] for b in message["buffers"]])',
      'get_ipython().kernel.comm_manager.register_target("mirror", opened)',
    ].join('\n');
    await run(kernel, target);
    const { host, id: kernelId } = kernel;
    const mirrored = new Promise<JupyterMessage>((resolve) => {
      host.on<TestMessage>('test.message', ({ kernelId: of, message }) => {
        if (of === kernelId && message.header.msg_type === 'comm_msg') resolve(message);
      });
    });
    // The second is a view into the middle of a larger memory.
    const buffers = [new Uint8Array([0, 255, 10]), new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4)];
    const content = { comm_id: 'a-comm', target_name: 'mirror', data: {} };
    await host.call('kernel.send', { kernelId, message: { channel: 'shell', type: 'comm_open', content, buffers } });
    const { buffers: back, content: told } = await mirrored;
    expect(told.data).toEqual({ lengths: [3, 3] });
    expect(back.map((buffer) => [...buffer])).toEqual([
      [10, 255, 0],
      [3, 2, 1],
    ]);
  });

  it('restarts without variables', async () => {
    await run(kernel, 'x = 1');
    const states: KernelState[] = [];
    kernel.on('state', (state) => states.push(state));
    const exit = nextEvent(kernel, 'exit');
    const connected = nextEvent(kernel, 'connected');
    await Promise.all([kernel.restart(), kernel.restart()]);
    expect(await exit).toMatchObject({ expected: true, message: 'The kernel was restarted.' });
    expect(await connected).toMatchObject({ generation: 1, info: { implementation: 'ipython' } });
    expect(states).toEqual(['restarting', 'idle']);
    expect((await run(kernel, 'x')).reply).toMatchObject({ ename: 'NameError', execution_count: 1 });
  });

  it('shuts down for good', async () => {
    const exit = nextEvent(kernel, 'exit');
    await Promise.all([kernel.shutdown(), kernel.shutdown()]);
    expect(await exit).toMatchObject({ expected: true, message: 'The kernel was shut down.' });
    expect(kernel.state).toBe('dead');
    expect(bench.manager.kernels.has(kernel.id)).toBe(false);
    await expect(kernel.request({ channel: 'shell', type: 'kernel_info_request', content: {} }, 1_000)).rejects.toBeInstanceOf(
      KernelDeadError,
    );
    await expect(kernel.interrupt()).rejects.toBeInstanceOf(KernelDeadError);
    await expect(kernel.restart()).rejects.toBeInstanceOf(KernelDeadError);
  });

  it('tells of a death that nobody asked for, keeps what was printed before it, and restarts', async () => {
    const exit = nextEvent(kernel, 'exit');
    const dying = startRun(kernel, 'import os, time\nprint("last words", flush=True)\ntime.sleep(0.5)\nos._exit(3)');
    await dying.until(isStream);
    const { expected, message } = await exit;
    expect(expected).toBe(false);
    expect(message).toMatch(/^The kernel ended/);
    expect(kernel.state).toBe('dead');
    await expect(kernel.interrupt()).rejects.toBeInstanceOf(KernelDeadError);
    await kernel.restart();
    expect(kernel.state).toBe('idle');
    expect(kernel.generation).toBe(1);
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  });

  it('outlives the kernel host with its variables', async () => {
    await run(kernel, 'x = 41');
    const connected = nextEvent(kernel, 'connected');
    bench.hosts.at(-1)?.kill();
    await connected;
    expect(kernel.generation).toBe(0);
    await eventually(() => kernel.state === 'idle');
    expect((await run(kernel, 'x + 1')).result).toBe('42');
  });

  it('attaches to a busy kernel after the host died, and hears the end of what runs', async () => {
    const long = startRun(kernel, 'print("on", flush=True)\nimport time\ntime.sleep(6)\nx = 1');
    await long.until(isStream);
    await eventually(() => kernel.state === 'busy');
    const connected = nextEvent(kernel, 'connected');
    bench.hosts.at(-1)?.kill();
    await connected;
    expect(kernel.state).toBe('busy');
    await eventually(() => kernel.state === 'idle');
    expect((await run(kernel, 'x')).result).toBe('1');
  });

  it('gives up a start that is no longer wanted', async () => {
    const abort = new AbortController();
    const starting = bench.manager.start({ ...(launch as LaunchOptions), signal: abort.signal });
    setTimeout(() => abort.abort(new Error('not wanted')), 50);
    await expect(starting).rejects.toThrow('not wanted');
    expect([...bench.manager.kernels.keys()]).toEqual([kernel.id]);
  });

  it('says why a kernel can’t be started', async () => {
    const { spec, ...rest } = launch as LaunchOptions;
    const unknown = bench.manager.start({ ...rest, spec: { ...spec, name: 'no-such-kernel', argv: ['/no/such/program'] } });
    const error = await unknown.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(KernelStartError);
    expect((error as KernelStartError).hint).toMatch(/\.$/);
    expect([...bench.manager.kernels.keys()]).toEqual([kernel.id]);
  });
});
