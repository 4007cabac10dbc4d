/**
 * The connection to a real server is cut: broken, refused, swallowed, with the server keeping what was said meanwhile and without. No wrong
 * state may be shown, nothing may hang, and what may be missing has to be said.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KernelTimeoutError } from '../../../main/kernels/errors.ts';
import { GatewayApi } from '../../../main/kernels/gateway/gateway-api.ts';
import type { GatewayKernel } from '../../../main/kernels/gateway/gateway-kernel.ts';
import type { Kernel, KernelState } from '../../../main/kernels/kernel.ts';
import { type RunningServer, startServer } from '../../support/jupyter-servers.ts';
import { type Bench, eventually, isStream, openBench, run, startRun } from '../kernels/kernel-fixture.ts';
import { type CutProxy, openProxy } from './cut-proxy.ts';
import { launchOn, prepareServers, SET_UP_LIMIT_MS } from './transports.ts';

beforeAll(prepareServers, SET_UP_LIMIT_MS);

const GAP = /was cut while this ran\. Some of the output may be missing/;

describe('a cut', () => {
  let server: RunningServer;
  let proxy: CutProxy;
  let bench: Bench;
  let kernel: Kernel;
  let states: KernelState[];

  beforeAll(async () => {
    server = await startServer({ kind: 'jupyter-server' });
    proxy = await openProxy(server.port);
    bench = await openBench();
  });

  afterAll(async () => {
    await bench.close();
    await proxy.close();
    await server.stop();
  });

  beforeEach(async () => {
    kernel = await bench.manager.start(launchOn({ url: proxy.url, token: server.token }));
    states = [];
    kernel.on('state', (state) => states.push(state));
  });

  afterEach(async () => {
    proxy.mend();
    await kernel.shutdown();
  });

  it('is shown while it lasts, and leaves the kernel as it was', async () => {
    await run(kernel, 'x = 41');
    await eventually(() => kernel.state === 'idle');
    states.length = 0;
    proxy.cut(true);
    await eventually(() => kernel.state === 'not-responding');
    proxy.mend();
    await eventually(() => kernel.state === 'idle');
    expect(states).toEqual(['not-responding', 'idle']);
    expect(kernel.generation).toBe(0);
    expect((await run(kernel, 'x + 1')).result).toBe('42');
  });

  it('loses nothing of what the server keeps, and says that it might have', async () => {
    // Nothing is on its way when the cut comes: the server would take that for delivered.
    const go = path.join(await mkdtemp(path.join(tmpdir(), 'cellwright-cut-')), 'go');
    const code = `import os, time\nprint("before", flush=True)\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.01)
for i in range(30): print("line", i, flush=True); time.sleep(0.1)\n"end"`;
    const long = startRun(kernel, code);
    await long.until(isStream);
    proxy.cut(true);
    await eventually(() => kernel.state === 'not-responding');
    await writeFile(go, '');
    proxy.mend();
    const { reply, messages, result, text } = await long.done;
    await rm(path.dirname(go), { recursive: true, force: true });
    expect(reply.status).toBe('ok');
    expect(result).toBe("'end'");
    expect(text.match(/^line \d+$/gm)).toHaveLength(30);
    const notes = messages.filter(({ content }) => content.name === 'stderr');
    expect(notes).toHaveLength(1);
    expect(notes[0]?.content.text).toMatch(GAP);
    await eventually(() => kernel.state === 'idle');
    expect((await run(kernel, '1')).messages.some(({ content }) => content.name === 'stderr')).toBe(false);
  });

  it('that happens over and over still brings every line of a run', async () => {
    const long = startRun(kernel, 'import time\nfor i in range(60): print("line", i, flush=True); time.sleep(0.1)');
    for (let times = 0; times < 4; times += 1) {
      await eventually(() => kernel.state === 'busy');
      await delay(700);
      proxy.cut(false);
    }
    const { reply, text } = await long.done;
    expect(reply.status).toBe('ok');
    expect(text.match(/^line \d+$/gm)?.length).toBeGreaterThan(50);
  });

  it('holds back what is sent, in order, until it is over', async () => {
    proxy.cut(true);
    await eventually(() => kernel.state === 'not-responding');
    const runs = ['a = [1]', 'a.append(2)', 'a'].map((code) => run(kernel, code));
    await expect(kernel.interrupt()).rejects.toBeInstanceOf(KernelTimeoutError);
    proxy.mend();
    expect((await Promise.all(runs)).at(-1)?.result).toBe('[1, 2]');
  });

  it('that nobody is told of is noticed, and outlasted', async () => {
    await run(kernel, 'x = 5');
    const long = startRun(kernel, 'import time\nprint("on", flush=True)\ntime.sleep(20)\nx = 6\n"end"');
    await long.until(isStream);
    proxy.swallow();
    await eventually(() => kernel.state === 'not-responding');
    await eventually(() => kernel.state === 'busy' || kernel.state === 'idle');
    expect((await run(kernel, 'x')).result).toBe('6');
  });

  it('in which the kernel host dies too is over when both are back', async () => {
    await run(kernel, 'x = 8');
    proxy.cut(true);
    await eventually(() => kernel.state === 'not-responding');
    bench.hosts.at(-1)?.kill();
    await delay(1_500);
    expect(kernel.state).toBe('not-responding');
    proxy.mend();
    await eventually(() => kernel.state === 'idle');
    expect((await run(kernel, 'x')).result).toBe('8');
  });

  it('does not hold up a shutdown', async () => {
    const id = (kernel as GatewayKernel).serverKernelId ?? '';
    proxy.cut(true);
    await eventually(() => kernel.state === 'not-responding');
    await kernel.shutdown();
    expect(kernel.state).toBe('dead');
    expect(bench.log.some(({ event }) => event === 'gateway.not-shut-down')).toBe(true);
    await new GatewayApi(server).shutdown(id);
  });

  it('of the way for interrupts leaves the one by message', async () => {
    proxy.bend('/interrupt', '/interrupX');
    const endless = startRun(kernel, 'print("on", flush=True)\nwhile True: pass');
    await endless.until(isStream);
    await kernel.interrupt();
    expect((await endless.done).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    expect(server.log()).toMatch(/404 POST \/api\/kernels\/[^ ]+\/interrupX/);
  });

  it('does not hide that the kernel has gone meanwhile', async () => {
    const exit = new Promise<string>((resolve) => kernel.on('exit', ({ message }) => resolve(message)));
    proxy.cut(true);
    await eventually(() => kernel.state === 'not-responding');
    const api = new GatewayApi(server);
    await Promise.all((await api.kernels()).map(({ id }) => api.shutdown(id)));
    proxy.mend();
    expect(await exit).toBe('The kernel is no longer on the server: it was shut down there, or the server was restarted.');
    expect(kernel.state).toBe('dead');
    await kernel.restart();
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  });
});
