/**
 * What a Jupyter Server is asked in ends, cuts and access is asked of real gateways here: their list, kernels to attach to, both ways to interrupt,
 * a cut in the middle of a run, and https. They differ in what they let in and in which lists they give.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { GatewayApi } from '../../../main/kernels/gateway/gateway-api.ts';
import type { GatewayKernel } from '../../../main/kernels/gateway/gateway-kernel.ts';
import { findGatewaySpecs } from '../../../main/kernels/gateway/gateway-specs.ts';
import { enterprisePython, type RunningServer, type ServerKind, selfSigned, startServer } from '../../support/jupyter-servers.ts';
import { type Bench, eventually, isStream, openBench, pythonSpec, run, startRun } from '../kernels/kernel-fixture.ts';
import { openProxy } from './cut-proxy.ts';
import { launchOn, prepareServers, SET_UP_LIMIT_MS } from './transports.ts';

beforeAll(prepareServers, SET_UP_LIMIT_MS);

const LISTED = { KG_LIST_KERNELS: 'True', EG_LIST_KERNELS: 'True' };
const ENDLESS = 'print("on", flush=True)\nwhile True: pass';

describe.each<ServerKind>(['kernel-gateway', 'enterprise-gateway'])('a %s', (kind) => {
  let reason: string | null = null;
  let server: RunningServer;
  let bench: Bench;

  beforeAll(async () => {
    const found = kind === 'enterprise-gateway' ? await enterprisePython() : null;
    reason = found && 'reason' in found ? found.reason : null;
    if (reason !== null) return;
    server = await startServer({ kind, env: LISTED });
    bench = await openBench();
  });

  afterAll(async () => {
    await bench?.close();
    await server?.stop();
  });

  it('lists its kernelspecs and running kernels, and one of them is attached to with its variables and left running', async (context: TestContext) => {
    if (reason !== null) context.skip(reason);
    const kernel = await bench.manager.start(launchOn(server));
    await run(kernel, 'x = 42');
    const id = (kernel as GatewayKernel).serverKernelId ?? '';
    expect((await new GatewayApi(server).kernels()).map((each) => each.id)).toEqual([id]);
    const offered = await findGatewaySpecs(server);
    expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(['python3', 'python-by-message']));
    const running = offered.find(({ gateway }) => gateway?.kernelId === id);
    const attached = await bench.manager.start({ ...launchOn(server), gateway: running?.gateway });
    expect((await run(attached, 'x')).result).toBe('42');
    await attached.shutdown();
    expect((await run(kernel, 'x + 1')).result).toBe('43');
    await kernel.shutdown();
    expect(await new GatewayApi(server).kernels()).toEqual([]);
  });

  it.each([
    ['by REST', 'python3', 'signal', true],
    ['by message on the control channel', 'python-by-message', 'message', false],
  ] as const)('lets a run be interrupted %s', async (_how, name, interruptMode, byRest) => {
    if (reason !== null) return;
    const proxy = await openProxy(server.port);
    try {
      const launch = launchOn({ url: proxy.url, token: server.token });
      const kernel = await bench.manager.start({ ...launch, spec: pythonSpec({ name, interruptMode }) });
      const endless = startRun(kernel, ENDLESS);
      await endless.until(isStream);
      await kernel.interrupt();
      expect((await endless.done).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
      expect(proxy.requestLines().some((line) => /^POST \S*\/interrupt\b/.test(line))).toBe(byRest);
      await kernel.shutdown();
    } finally {
      await proxy.close();
    }
  });

  it('is connected to again after a cut, with nothing lost that it kept', async (context: TestContext) => {
    if (reason !== null) context.skip(reason);
    const proxy = await openProxy(server.port);
    try {
      const kernel = await bench.manager.start(launchOn({ url: proxy.url, token: server.token }));
      await run(kernel, 'x = 41');
      const long = startRun(kernel, 'import time\nprint("on", flush=True)\ntime.sleep(3)\nx += 1');
      await long.until(isStream);
      proxy.cut(true);
      await eventually(() => kernel.state === 'not-responding');
      proxy.mend();
      await eventually(() => kernel.state === 'idle');
      expect(kernel.generation).toBe(0);
      expect((await run(kernel, 'x')).result).toBe('42');
      await kernel.shutdown();
    } finally {
      await proxy.close();
    }
  });

  it('is used over https', async (context: TestContext) => {
    if (reason !== null) context.skip(reason);
    const folder = await mkdtemp(path.join(tmpdir(), 'cellwright-gateway-certificate-'));
    const made = await selfSigned(folder);
    if (!made) return context.skip('there is no openssl');
    const secure = await startServer({ kind, tls: made });
    try {
      await expect(new GatewayApi(secure).kernelspecs()).rejects.toMatchObject({ fault: 'certificate' });
      const kernel = await bench.manager.start({ ...launchOn(secure), gateway: { ...secure, certificate: made.pem } });
      expect((await run(kernel, '"safe"')).result).toBe("'safe'");
      await kernel.shutdown();
    } finally {
      await secure.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
