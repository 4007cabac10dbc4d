/**
 * Fifty kernels at once, beside fifty in bare loops: all start, run and stop, and no descriptor is left. Both sides ask a kernel only once it is
 * connected, and both have the same bounded time: on a machine that is busy with other things a side may not be ready in it, which the table says.
 */
import { setMaxListeners } from 'node:events';
import { createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { startRun } from '../../main/execution/run-client.ts';
import { forkHost } from '../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../main/kernels/host/host-process.ts';
import type { Kernel } from '../../main/kernels/kernel.ts';
import { KernelManager } from '../../main/kernels/kernel-manager.ts';
import { pythonSpec } from '../kernel/kernels/kernel-fixture.ts';
import { buildHostEntry } from '../support/host-entry.ts';
import { testPython } from '../support/python.ts';
import { startBareKernel } from './baseline/bare-kernel.ts';
import { descriptorsOf } from './process-figures.ts';
import { printTable, ratio } from './table.ts';

const KERNELS = Number(process.env.CELLWRIGHT_BENCH_KERNELS ?? 50);

const FIRST_PORT = 15_000;
const PORT_COUNT = 5;

/** For all of one side: they share the processors, so the last is ready when all the work of all is done. */
const START_LIMIT_MS = 60_000;

interface Times {
  start: number;
  run: number;
  stop: number;
}

/** What a side has that was not ready in time. */
const NOT_READY: Times = { start: Number.NaN, run: Number.NaN, stop: Number.NaN };

async function timed(action: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await action();
  return performance.now() - begun;
}

function each<T, R>(items: readonly T[], action: (item: T) => Promise<R>): Promise<R[]> {
  return Promise.all(items.map(action));
}

const numbers = Array.from({ length: KERNELS }, (_, number) => number);

/**
 * Ports for so many kernels. Not those that the system gives to whoever connects: among thousands of attempts to connect to a port where nobody listens
 * yet, one would be given that very port, and the kernel could not have it. A bare loop does not start again, as ours does.
 */
async function portsFor(kernels: number): Promise<number[][]> {
  const free: number[] = [];
  for (let port = FIRST_PORT + (process.pid % 1000) * 10; free.length < kernels * PORT_COUNT; port += 1)
    if (await isFree(port)) free.push(port);
  return Array.from({ length: kernels }, (_, kernel) => free.slice(kernel * PORT_COUNT, (kernel + 1) * PORT_COUNT));
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function bare(): Promise<Times> {
  const python = testPython();
  const ports = await portsFor(KERNELS);
  const signal = AbortSignal.timeout(START_LIMIT_MS);
  setMaxListeners(0, signal);
  const kernels: Awaited<ReturnType<typeof startBareKernel>>[] = [];
  const start = await timed(() =>
    each(numbers, async (number) => {
      const kernel = await startBareKernel(python, { whenConnected: true, ports: ports[number]!, signal }).catch(() => null);
      if (kernel) kernels.push(kernel);
    }),
  );
  if (kernels.length < KERNELS) {
    await each(kernels, (kernel) => kernel.stop());
    return NOT_READY;
  }
  const run = await timed(() => each(kernels, (kernel) => kernel.run('sum(range(1000))')));
  const stop = await timed(() => each(kernels, (kernel) => kernel.stop()));
  return { start, run, stop };
}

async function ours(): Promise<Times & { left: { main: number; host: number } }> {
  const entry = await buildHostEntry();
  const hosts: HostProcess[] = [];
  const spawnHost = (): HostProcess => {
    hosts.push(forkHost(entry));
    return hosts.at(-1)!;
  };
  const manager = new KernelManager({ spawnHost });
  const launch = (signal?: AbortSignal): Promise<Kernel> =>
    manager.start({ spec: pythonSpec(), cwd: process.cwd(), startTimeoutMs: START_LIMIT_MS, ...(signal ? { signal } : {}) });
  // What stays open for good is opened by the first kernel.
  await (await launch()).shutdown();
  const pids = { main: process.pid, host: hosts[0]?.pid ?? 0 };
  const before = { main: descriptorsOf(pids.main), host: descriptorsOf(pids.host) };
  const signal = AbortSignal.timeout(START_LIMIT_MS);
  setMaxListeners(0, signal);
  const kernels: Kernel[] = [];
  const start = await timed(() =>
    each(numbers, async () => {
      const kernel = await launch(signal).catch(() => null);
      if (kernel) kernels.push(kernel);
    }),
  );
  const areReady = kernels.length === KERNELS;
  const request = { areaId: 'bench', silent: false, storeHistory: false, allowStdin: false, stopOnError: true, artifactFolder: null };
  const run = await timed(async () => {
    const ends = await each(kernels, (kernel) => startRun(kernel, { ...request, code: 'sum(range(1000))' }).done);
    if (areReady && ends.some(({ status }) => status !== 'ok')) throw new Error('A run failed.');
  });
  const stop = await timed(() => each(kernels, (kernel) => kernel.shutdown()));
  const left = { main: descriptorsOf(pids.main) - before.main, host: descriptorsOf(pids.host) - before.host };
  if (hosts.length !== 1) throw new Error('The host did not live through it.');
  await manager.close();
  return { ...(areReady ? { start, run, stop } : NOT_READY), left };
}

const [loop, app] = [await bare(), await ours()];
const shown = (ms: number): string => (Number.isNaN(ms) ? `not ready in ${START_LIMIT_MS / 1000} s` : ms.toFixed(0));
const row = (name: string, pick: (times: Times) => number): string[] => {
  const [own, bareLoop] = [pick(app), pick(loop)];
  return [name, shown(own), shown(bareLoop), Number.isNaN(own + bareLoop) ? '' : ratio(own, bareLoop)];
};
printTable(
  [`${KERNELS} kernels at once`, 'Cellwright, ms', 'bare zeromq, ms', 'ratio'],
  [
    row('all ready', ({ start }) => start),
    row('all have run a cell', ({ run }) => run),
    // No ratio: a bare loop kills; ours asks first and waits until the whole tree is gone.
    [...row('all stopped', ({ stop }) => stop).slice(0, 3), ''],
  ],
);
console.log(`Descriptors left: ${app.left.main} in main, ${app.left.host} in the host.`);
