/**
 * Whole runs over every transport, as the app makes them: through its own kernel host, with outputs reduced there. What a run is, is decided
 * above the transports, so a run of the one must look like a run of the other.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { followOutputs, type RunHandle, startRun } from '../../../main/execution/run-client.ts';
import type { RawPayload } from '../../../main/execution/run-protocol.ts';
import type { Kernel } from '../../../main/kernels/kernel.ts';
import { applyOutputChange, type Output } from '../../../preload/output-change.ts';
import { startServer } from '../../support/jupyter-servers.ts';
import { eventually, openBench } from '../kernels/kernel-fixture.ts';
import { openProxy } from './cut-proxy.ts';
import { launchOn, OLDER_KERNEL, prepareServers, SET_UP_LIMIT_MS, TRANSPORTS } from './transports.ts';

/** Each has a server of its own, whose start alone takes a minute on a machine that is busy with ten other things. */
const SERVER_LIMIT_MS = 300_000;

beforeAll(prepareServers, SET_UP_LIMIT_MS);

interface CodeRun {
  handle: RunHandle;
  started: Promise<void>;
  outputs(): readonly Output<RawPayload>[];
  text(): string;
}

/** Runs code in an area of its own, whose outputs it gathers; input is answered with `Ada`. */
function runCode(kernel: Kernel, code: string): CodeRun {
  const areaId = randomUUID();
  let outputs: Output<RawPayload>[] = [];
  followOutputs(kernel, (areas) => {
    for (const area of areas) if (area.areaId === areaId) outputs = area.changes.reduce<Output<RawPayload>[]>(applyOutputChange, outputs);
  });
  let start = (): void => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const request = { areaId, code, silent: false, storeHistory: true, allowStdin: true, stopOnError: true, artifactFolder: null };
  const handle: RunHandle = startRun(kernel, request, { started: () => start(), input: () => void handle.input('Ada') });
  const text = (): string => outputs.map((output) => (output.type === 'stream' ? output.text : '')).join('');
  return { handle, started, outputs: () => outputs, text };
}

describe.each([...TRANSPORTS, OLDER_KERNEL])('runs over $name', ({ open }) => {
  it('print, show, fail, ask and end as everywhere', { timeout: SERVER_LIMIT_MS }, async (context: TestContext) => {
    const opened = await open();
    if ('reason' in opened) return context.skip(opened.reason);
    const bench = await openBench('main/host.ts');
    try {
      const kernel = await bench.manager.start(opened.launch);
      const good = runCode(kernel, 'for i in range(10_000): print(i)\nprint("Hello", input("Who? "))\n6 * 7');
      expect(await good.handle.done).toMatchObject({ status: 'ok', executionCount: 1, error: null });
      expect(good.text()).toMatch(/Hello Ada\n$/);
      // A question may come before the last of what was printed before it: they have channels of their own.
      for (const shown of ['9999\n', 'Who? Ada\n']) expect(good.text()).toContain(shown);
      expect(good.outputs().at(-1)).toMatchObject({ type: 'execute_result', data: { 'text/plain': '42' } });
      const bad = runCode(kernel, 'print("first")\nraise ValueError("no")');
      expect(await bad.handle.done).toMatchObject({ status: 'error', executionCount: 2, error: { ename: 'ValueError', evalue: 'no' } });
      expect(bad.outputs().map(({ type }) => type)).toEqual(['stream', 'error']);
      const long = runCode(kernel, 'print("on", flush=True)\nwhile True: pass');
      await eventually(() => long.text() === 'on\n');
      await kernel.interrupt();
      expect(await long.handle.done).toMatchObject({ status: 'error', error: { ename: 'KeyboardInterrupt' } });
      const dying = runCode(kernel, 'import os, time\nprint("last words", flush=True)\ntime.sleep(0.5)\nos._exit(1)');
      expect(await dying.handle.done).toMatchObject({ status: 'dead' });
      expect(dying.text()).toBe('last words\n');
      await kernel.restart();
      const stopped = runCode(kernel, 'while True: pass');
      await stopped.started;
      await kernel.restart();
      expect(await stopped.handle.done).toMatchObject({ status: 'cancelled' });
      expect(await runCode(kernel, '1').handle.done).toMatchObject({ status: 'ok', executionCount: 1 });
    } finally {
      await bench.close();
      await opened.close();
    }
  });
});

describe('a run through a cut', () => {
  it.each([
    ['goes on when the server keeps what it said', [], 'ok'],
    ['is lost when the server keeps nothing', ['--AsyncMappingKernelManager.buffer_offline_messages=False'], 'lost'],
  ] as const)('%s', async (_name, args, status) => {
    const server = await startServer({ kind: 'jupyter-server', args: [...args] });
    const proxy = await openProxy(server.port);
    const bench = await openBench('main/host.ts');
    try {
      const kernel = await bench.manager.start(launchOn({ url: proxy.url, token: server.token }));
      const cut = runCode(kernel, 'import time\nprint("before", flush=True)\ntime.sleep(2)\nprint("after")\nx = 7');
      await eventually(() => cut.text() === 'before\n');
      proxy.cut(true);
      await delay(3_500);
      proxy.mend();
      expect(await cut.handle.done).toMatchObject({ status });
      expect(cut.text()).toMatch(/^before\n\[The connection to .* was cut while this ran\. Some of the output may be missing\.\]\n/);
      expect(cut.text().endsWith('after\n')).toBe(status === 'ok');
      await eventually(() => kernel.state === 'idle');
      const next = runCode(kernel, 'x');
      expect(await next.handle.done).toMatchObject({ status: 'ok' });
      expect(next.outputs()).toMatchObject([{ data: { 'text/plain': '7' } }]);
    } finally {
      await bench.close();
      await proxy.close();
      await server.stop();
    }
  });
});
