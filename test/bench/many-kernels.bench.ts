/**
 * Fifty kernels at once, beside fifty in bare loops: all start, run and stop, and no descriptor is left.
 */
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

/** They share the processors: the last is ready when all the work of all is done. */
const START_LIMIT_MS = 600_000;

interface Times {
  start: number;
  run: number;
  stop: number;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await action();
  return performance.now() - begun;
}

function each<T, R>(items: readonly T[], action: (item: T) => Promise<R>): Promise<R[]> {
  return Promise.all(items.map(action));
}

const numbers = Array.from({ length: KERNELS }, (_, number) => number);

async function bare(): Promise<Times> {
  const python = testPython();
  let kernels: Awaited<ReturnType<typeof startBareKernel>>[] = [];
  const start = await timed(async () => {
    kernels = await each(numbers, () => startBareKernel(python));
  });
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
  const launch = (): Promise<Kernel> => manager.start({ spec: pythonSpec(), cwd: process.cwd(), startTimeoutMs: START_LIMIT_MS });
  // What stays open for good is opened by the first kernel.
  await (await launch()).shutdown();
  const pids = { main: process.pid, host: hosts[0]?.pid ?? 0 };
  const before = { main: descriptorsOf(pids.main), host: descriptorsOf(pids.host) };
  let kernels: Kernel[] = [];
  const start = await timed(async () => {
    kernels = await each(numbers, launch);
  });
  const request = { areaId: 'bench', silent: false, storeHistory: false, allowStdin: false, stopOnError: true, artifactFolder: null };
  const run = await timed(async () => {
    const ends = await each(kernels, (kernel) => startRun(kernel, { ...request, code: 'sum(range(1000))' }).done);
    if (ends.some(({ status }) => status !== 'ok')) throw new Error('A run failed.');
  });
  const stop = await timed(() => each(kernels, (kernel) => kernel.shutdown()));
  const left = { main: descriptorsOf(pids.main) - before.main, host: descriptorsOf(pids.host) - before.host };
  if (hosts.length !== 1) throw new Error('The host did not live through it.');
  await manager.close();
  return { start, run, stop, left };
}

const [loop, app] = [await bare(), await ours()];
const row = (name: string, pick: (times: Times) => number): string[] => [
  name,
  pick(app).toFixed(0),
  pick(loop).toFixed(0),
  ratio(pick(app), pick(loop)),
];
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
