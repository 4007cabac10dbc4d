/**
 * Kernels that end on the server without us, attached kernels that are not ours to end, and what a server tells of itself.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KernelStartError } from '../../../main/kernels/errors.ts';
import { GatewayApi } from '../../../main/kernels/gateway/gateway-api.ts';
import type { GatewayKernel } from '../../../main/kernels/gateway/gateway-kernel.ts';
import type { Kernel, KernelExit } from '../../../main/kernels/kernel.ts';
import { type RunningServer, startServer } from '../../support/jupyter-servers.ts';
import { type Bench, eventually, isStream, nextEvent, openBench, pythonSpec, run, startRun } from '../kernels/kernel-fixture.ts';
import { launchOn, prepareServers, SET_UP_LIMIT_MS } from './transports.ts';

beforeAll(prepareServers, SET_UP_LIMIT_MS);

describe('on a server', () => {
  let server: RunningServer;
  let api: GatewayApi;
  let bench: Bench;
  let kernel: Kernel;

  beforeAll(async () => {
    server = await startServer({ kind: 'jupyter-server' });
    api = new GatewayApi(server);
    bench = await openBench();
  });

  afterAll(async () => {
    await bench.close();
    expect(await api.kernels()).toEqual([]);
    await server.stop();
  });

  beforeEach(async () => {
    kernel = await bench.manager.start(launchOn(server));
  });

  afterEach(() => kernel.shutdown());

  const serverId = (): string => (kernel as GatewayKernel).serverKernelId ?? '';
  const untilExit = (): Promise<KernelExit> => nextEvent(kernel, 'exit');

  it('a kernel that crashes is dead, though the server starts another', async () => {
    const exit = untilExit();
    startRun(kernel, 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)');
    const restarted = 'The kernel ended, and the server started another in its place.';
    expect(await exit).toMatchObject({ expected: false, message: restarted, code: null, signal: null });
    expect(kernel.state).toBe('dead');
    expect(await api.kernel(serverId())).toMatchObject({ id: serverId() });
    await kernel.restart();
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  });

  it.each([
    ['at once', 0],
    ['while it comes up', 500],
    ['when it runs', 4_000],
  ])('a restart after a crash takes the one that the server started by itself: %s', async (_when, pauseMs) => {
    const starts = path.join(server.root, `starts-${pauseMs}`);
    const launch = `echo $$ >> '${starts}'; sleep 1; exec "$0" "$@"`;
    const argv = ['/bin/sh', '-c', launch, ...pythonSpec().argv];
    const folder = path.join(server.root, 'share', 'kernels', `slow-${pauseMs}`);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'kernel.json'), JSON.stringify({ argv, display_name: 'Slow', language: 'python' }));
    const slow = await bench.manager.start({ ...launchOn(server), spec: pythonSpec({ name: `slow-${pauseMs}` }) });
    const { id } = slow;
    await run(slow, 'x = 1');
    const exit = nextEvent(slow, 'exit');
    startRun(slow, 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)');
    await exit;
    await delay(pauseMs);
    await slow.restart();
    expect((await run(slow, '"x" in globals()')).result).toBe('False');
    expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(2);
    expect(slow).toMatchObject({ id, state: 'idle', generation: 1 });
    // A restart of a kernel that lives is the server's to make.
    await slow.restart();
    expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(3);
    await slow.shutdown();
  });

  it('a kernel that somebody else shuts down is dead', async () => {
    const exit = untilExit();
    await api.shutdown(serverId());
    const gone = 'The kernel is no longer on the server: it was shut down there, or the server was restarted.';
    expect(await exit).toMatchObject({ expected: false, message: gone });
    expect(kernel.state).toBe('dead');
    // A restart then takes a new one.
    const before = serverId();
    await kernel.restart();
    expect(serverId()).not.toBe(before);
    expect((await run(kernel, '2 * 3')).result).toBe('6');
  });

  it('a kernel that somebody else restarts is dead', async () => {
    await run(kernel, 'x = 1');
    const exit = untilExit();
    await api.restart(serverId(), 30_000);
    expect(await exit).toMatchObject({ expected: false, message: 'The kernel was restarted on the server.' });
    await kernel.restart();
    expect((await run(kernel, '"x" in globals()')).result).toBe('False');
  });

  it('a running kernel is attached to, with its variables, and left running', async () => {
    await run(kernel, 'x = 42');
    const attached = await bench.manager.start({ ...launchOn(server), gateway: { ...server, kernelId: serverId() } });
    expect(attached.id).not.toBe(kernel.id);
    expect((await run(attached, 'x')).result).toBe('42');
    // Each sees that the other works.
    const long = startRun(attached, 'import time\nprint("on", flush=True)\ntime.sleep(2)');
    await long.until(isStream);
    await eventually(() => kernel.state === 'busy');
    await long.done;
    await eventually(() => kernel.state === 'idle');
    await attached.shutdown();
    expect(attached.state).toBe('dead');
    expect((await run(kernel, 'x + 1')).result).toBe('43');
  });

  it('a busy kernel is attached to while it works, and interrupted', async () => {
    const endless = startRun(kernel, 'print("on", flush=True)\nwhile True: pass');
    await endless.until(isStream);
    await eventually(async () => (await api.kernel(serverId()))?.state === 'busy');
    const attached = await bench.manager.start({ ...launchOn(server), gateway: { ...server, kernelId: serverId() } });
    expect(attached.state).toBe('busy');
    await attached.interrupt();
    expect((await endless.done).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    await eventually(() => attached.state === 'idle');
    await attached.shutdown();
  });

  it('kernels and kernelspecs are listed', async () => {
    expect(await api.kernels()).toMatchObject([{ id: serverId(), name: 'python3', state: 'idle', connections: 1 }]);
    const specs = await api.kernelspecs();
    expect(specs[0]).toMatchObject({ name: 'python3', language: 'python', interruptMode: 'signal' });
    expect(specs.find(({ name }) => name === 'python-by-message')).toMatchObject({ interruptMode: 'message' });
    expect(await api.version()).toMatch(/^\d+\.\d+/);
  });

  it('a kernel whose kernelspec says so is interrupted by message on the control channel', async () => {
    const byMessage = await bench.manager.start({
      ...launchOn(server),
      spec: pythonSpec({ name: 'python-by-message', interruptMode: 'message' }),
    });
    const endless = startRun(byMessage, 'print("on", flush=True)\nwhile True: pass');
    await endless.until(isStream);
    await byMessage.interrupt();
    expect((await endless.done).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    expect(server.log()).not.toMatch(/POST \/api\/kernels\/[^ ]+\/interrupt/);
    await byMessage.shutdown();
  });

  it('the kernel starts in the notebook’s folder when the server’s root is known', async () => {
    const launch = { ...launchOn(server), gateway: { ...server, rootFolder: server.root } };
    const below = await bench.manager.start({ ...launch, cwd: path.join(server.root, 'share', 'kernels') });
    expect((await run(below, 'import os; os.getcwd()')).result).toBe(`'${path.join(server.root, 'share', 'kernels')}'`);
    await below.shutdown();
    const outside = await bench.manager.start({ ...launch, cwd: tmpdir() });
    expect((await run(outside, 'os = __import__("os"); os.getcwd()')).result).toBe(`'${server.root}'`);
    await outside.shutdown();
  });

  it('one message may be larger than websockets usually take', async () => {
    const { messages } = await run(kernel, 'display({"text/plain": "x" * 120_000_000}, raw=True)');
    const shown = messages.find(({ header }) => header.msg_type === 'display_data')?.content.data as Record<string, string>;
    expect(shown['text/plain']).toHaveLength(120_000_000);
    expect(kernel.state).not.toBe('dead');
  });
});

it('a kernel that was culled is dead', async () => {
  const culling = ['--MappingKernelManager.cull_idle_timeout=2', '--MappingKernelManager.cull_interval=1'];
  const server = await startServer({ kind: 'jupyter-server', args: [...culling, '--MappingKernelManager.cull_connected=True'] });
  const bench = await openBench();
  try {
    const kernel = await bench.manager.start(launchOn(server));
    const { message, expected } = await nextEvent(kernel, 'exit');
    expect(expected).toBe(false);
    expect(message).toMatch(/^The kernel is no longer on the server/);
    expect(server.log()).toMatch(/Culling/);
  } finally {
    await bench.close();
    await server.stop();
  }
});

it('a kernel that the server gives up is dead with other words, and a restart takes a new one', async () => {
  const server = await startServer({ kind: 'jupyter-server', args: ['--KernelRestarter.restart_limit=0'] });
  const bench = await openBench();
  try {
    const kernel = await bench.manager.start(launchOn(server));
    const exit = nextEvent(kernel, 'exit');
    startRun(kernel, 'import os; os._exit(1)');
    expect((await exit).message).toBe('The kernel ended, and the server could not start it again.');
    await kernel.restart();
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  } finally {
    await bench.close();
    await server.stop();
  }
});

it('a kernel that does not come up again says so', async () => {
  const server = await startServer({ kind: 'jupyter-server' });
  const bench = await openBench();
  try {
    const [file, stuck] = [path.join(server.root, 'share', 'kernels', 'python3', 'kernel.json'), path.join(server.root, 'stuck')];
    const spec = JSON.parse(await readFile(file, 'utf8'));
    const code = `import os, runpy, time\nif os.path.exists(${JSON.stringify(stuck)}): time.sleep(600)\nrunpy.run_module("ipykernel_launcher", run_name="__main__")`;
    await writeFile(file, JSON.stringify({ ...spec, argv: [spec.argv[0], '-c', code, '-f', '{connection_file}'] }));
    const kernel = await bench.manager.start({ ...launchOn(server), startTimeoutMs: 12_000 });
    await writeFile(stuck, '');
    const error = await kernel.restart().catch((cause: unknown) => cause);
    // Whether the server waits for the kernel or says at once that it runs depends on who was faster, it or the old one's last answer.
    expect(error).toBeInstanceOf(KernelStartError);
    expect((error as Error).message).toMatch(
      /(did not get the kernel up|did not connect us to the kernel|it did not answer) within \d+ seconds\. .*log/,
    );
    expect(kernel.state).toBe('dead');
    await rm(stuck);
    await kernel.restart();
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  } finally {
    await bench.close();
    await server.stop();
  }
});
