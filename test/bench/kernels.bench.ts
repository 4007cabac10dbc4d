/**
 * Kernels: cold start, round trip and a flood of lines, each beside a bare `zeromq` loop and Python's `jupyter_client`, in turns, so that all meet the
 * same machine. Ours is measured from main, through the kernel host: signature checks, reducer and 16 ms batches are in it. The others keep no kernel
 * ready, so the first result from one that waits stands alone.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { followOutputs, startRun } from '../../main/execution/run-client.ts';
import { forkHost } from '../../main/kernels/host/fork-host.ts';
import type { Kernel } from '../../main/kernels/kernel.ts';
import { KernelManager } from '../../main/kernels/kernel-manager.ts';
import { pythonSpec } from '../kernel/kernels/kernel-fixture.ts';
import { openPool } from '../kernel/sessions/pool-fixture.ts';
import { buildHostEntry } from '../support/host-entry.ts';
import { testPython } from '../support/python.ts';
import { type BareKernel, startBareKernel } from './baseline/bare-kernel.ts';
import { startJupyterClient } from './baseline/jupyter-client.ts';
import { median, printTable, ratio } from './table.ts';

const STARTS = 12;
/** Turns of round trips, and how many in each. */
const TURNS = 8;
const TRIPS = 50;
const WARM_ROUNDS = 8;
const LINES = 1_000_000;
const FLOOD = `for i in range(${LINES}): print(i)`;

const python = testPython();
const script = new URL('../../test/bench/baseline/jupyter_client_rounds.py', import.meta.url).pathname;

/** One of those that are measured. */
interface Contestant {
  /** Milliseconds from the start of a kernel to its first result; it is stopped again. */
  start(): Promise<number>;
  /** A kernel for what follows. */
  open(): Promise<void>;
  trips(count: number): Promise<number[]>;
  flood(): Promise<number>;
  close(): Promise<void>;
}

interface Measured {
  cold: number[];
  trips: number[];
  flood: number;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

async function repeated(count: number, action: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) times.push(await timed(action));
  return times;
}

function bareLoop(): Contestant {
  let kernel: BareKernel;
  return {
    start: async () => {
      const started = await startBareKernel(python);
      await started.run('1+1');
      const elapsed = started.sinceSpawn();
      await started.stop();
      return elapsed;
    },
    open: async () => {
      kernel = await startBareKernel(python);
    },
    trips: (count) => repeated(count, () => kernel.run('pass')),
    flood: () => timed(() => kernel.run(FLOOD)),
    close: () => kernel.stop(),
  };
}

/** What main pays for the flood. */
interface Cost {
  /** Longest pause of the event loop, ms. */
  pause: number;
  /** MiB more than before. */
  memory: number;
}

async function app(): Promise<Contestant & { cost(): Cost }> {
  const entry = await buildHostEntry();
  const manager = new KernelManager({ spawnHost: () => forkHost(entry) });
  const launch = (): Promise<Kernel> => manager.start({ spec: pythonSpec(), cwd: process.cwd() });
  const options = { areaId: 'bench', silent: false, storeHistory: false, allowStdin: false, stopOnError: true, artifactFolder: null };
  const run = (on: Kernel, code: string) => startRun(on, { ...options, code }).done;
  let kernel: Kernel;
  let cost: Cost = { pause: 0, memory: 0 };
  await manager.host();
  return {
    start: async () => {
      const begun = performance.now();
      const started = await launch();
      await run(started, '1+1');
      const elapsed = performance.now() - begun;
      await started.shutdown();
      return elapsed;
    },
    open: async () => {
      kernel = await launch();
    },
    trips: (count) => repeated(count, () => run(kernel, 'pass')),
    flood: async () => {
      const arrived = linesOf(kernel);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      globalThis.gc?.();
      const before = process.memoryUsage().rss;
      delay.enable();
      const elapsed = await timed(() => run(kernel, FLOOD));
      delay.disable();
      globalThis.gc?.();
      cost = { pause: delay.max / 1e6, memory: (process.memoryUsage().rss - before) / 2 ** 20 };
      if (!arrived()) throw new Error('The flood did not arrive as it should.');
      return elapsed;
    },
    close: () => manager.close(),
    cost: () => cost,
  };
}

/** Follows a kernel's outputs; the function says whether lines were shown and others left out. */
function linesOf(kernel: Kernel): () => boolean {
  let omitted = 0;
  let shown = 0;
  followOutputs(kernel, (areas) => {
    for (const change of areas.flatMap(({ changes }) => changes)) {
      if (change.op === 'append' && change.output.type === 'stream') shown += lineFeeds(change.output.text);
      if (change.op !== 'text') continue;
      shown += lineFeeds(change.insert);
      if (change.omitted) omitted = change.omitted.lines;
    }
  });
  return () => shown > 0 && omitted > 0;
}

/** Everybody in turn, in every round. */
async function measure(all: readonly Contestant[]): Promise<Measured[]> {
  const results = all.map((): Measured => ({ cold: [], trips: [], flood: 0 }));
  for (let round = 0; round < STARTS; round += 1) for (const [index, one] of all.entries()) results[index]!.cold.push(await one.start());
  for (const one of all) await one.open();
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [index, one] of all.entries()) results[index]!.trips.push(...(await one.trips(TRIPS)));
  for (const [index, one] of all.entries()) results[index]!.flood = await one.flood();
  for (const one of all) await one.close();
  return results;
}

/** First results of agent sessions in folders of their own, each with a kernel that waited for it. */
async function warm(): Promise<number[]> {
  const fixture = await openPool({ spare: async () => pythonSpec() });
  const times: number[] = [];
  try {
    for (let round = 0; round < WARM_ROUNDS; round += 1) {
      const cwd = await fixture.place(`place-${round}`);
      await fixture.pool.warm();
      times.push(await timed(() => fixture.python('1 + 1', { cwd })));
      // Else the fifth would wait for the end of the first.
      for (const { key } of fixture.pool.list()) await fixture.pool.shutdown(key);
    }
  } finally {
    await fixture.close();
  }
  return times;
}

function lineFeeds(text: string): number {
  return text.split('\n').length - 1;
}

const cellwright = await app();
const client = startJupyterClient(python, script);
let lost = 0;
const jupyterClient: Contestant = {
  ...client,
  flood: async () => {
    const flood = await client.flood(LINES);
    lost = flood.lost;
    return flood.ms;
  },
};
const [ours, bare, jupyter] = (await measure([cellwright, bareLoop(), jupyterClient])) as [Measured, Measured, Measured];
const first = await warm();
const row = (name: string, pick: (measured: Measured) => number, digits: number): string[] => [
  name,
  pick(ours).toFixed(digits),
  pick(bare).toFixed(digits),
  pick(jupyter).toFixed(digits),
  ratio(pick(ours), pick(bare)),
  ratio(pick(ours), pick(jupyter)),
];
printTable(
  ['', 'Cellwright', 'bare zeromq', 'jupyter_client', 'to bare', 'to jupyter_client'],
  [
    row('spawn to first result, ms (median)', ({ cold }) => median(cold), 0),
    ['first result from a pre-warmed kernel, ms (median)', median(first).toFixed(0), '', '', '', ''],
    row('round trip of `pass`, ms (p50)', ({ trips }) => median(trips), 2),
    row('1,000,000 printed lines, ms', ({ flood }) => flood, 0),
  ],
);
const { pause, memory } = cellwright.cost();
console.log(
  `Longest pause of main's event loop in the flood: ${pause.toFixed(1)} ms; main's memory afterwards: ${memory.toFixed(0)} MB more.`,
);
console.log(`Lines lost by jupyter_client: ${lost}.`);
