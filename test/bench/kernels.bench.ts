/**
 * Kernels: cold start, round trip and a flood of lines, each beside a bare `zeromq` loop and Python's `jupyter_client` in the same run.
 * Ours is measured from main, through the kernel host: signature checks, reducer and 16 ms batches are in it. The others keep no kernel ready, so the
 * first result from one that waits stands alone.
 */
import { execFile } from 'node:child_process';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { followOutputs, startRun } from '../../main/execution/run-client.ts';
import { forkHost } from '../../main/kernels/host/fork-host.ts';
import type { Kernel } from '../../main/kernels/kernel.ts';
import { KernelManager } from '../../main/kernels/kernel-manager.ts';
import { pythonSpec } from '../kernel/kernels/kernel-fixture.ts';
import { openPool } from '../kernel/sessions/pool-fixture.ts';
import { buildHostEntry } from '../support/host-entry.ts';
import { testPython } from '../support/python.ts';
import { startBareKernel } from './baseline/bare-kernel.ts';
import { median, printTable, ratio } from './table.ts';

const STARTS = 8;
const ROUNDS = 200;
const WARM_ROUNDS = 8;
const LINES = 1_000_000;
const FLOOD = `for i in range(${LINES}): print(i)`;

const python = testPython();
const script = new URL('../../test/bench/baseline/jupyter_client_rounds.py', import.meta.url).pathname;

interface Measured {
  cold: number[];
  trips: number[];
  flood: number;
  lost: number;
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

async function bare(): Promise<Measured> {
  const cold: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const kernel = await startBareKernel(python);
    await kernel.run('1+1');
    cold.push(kernel.sinceSpawn());
    await kernel.stop();
  }
  const kernel = await startBareKernel(python);
  const trips = await repeated(ROUNDS, () => kernel.run('pass'));
  const flood = await timed(() => kernel.run(FLOOD));
  await kernel.stop();
  return { cold, trips, flood, lost: 0 };
}

async function ours(): Promise<Measured & { gap: number; memory: number }> {
  const entry = await buildHostEntry();
  const manager = new KernelManager({ spawnHost: () => forkHost(entry) });
  const launch = async (): Promise<Kernel> => manager.start({ spec: pythonSpec(), cwd: process.cwd() });
  const run = (kernel: Kernel, code: string) =>
    startRun(kernel, {
      areaId: 'bench',
      code,
      silent: false,
      storeHistory: false,
      allowStdin: false,
      stopOnError: true,
      artifactFolder: null,
    }).done;
  await manager.host();
  const cold: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const begun = performance.now();
    const kernel = await launch();
    await run(kernel, '1+1');
    cold.push(performance.now() - begun);
    await kernel.shutdown();
  }
  const kernel = await launch();
  const trips = await repeated(ROUNDS, () => run(kernel, 'pass'));
  let omittedLines = 0;
  let shownLines = 0;
  followOutputs(kernel, (areas) => {
    for (const { changes } of areas) {
      for (const change of changes) {
        if (change.op === 'append' && change.output.type === 'stream') shownLines += lineFeeds(change.output.text);
        if (change.op !== 'text') continue;
        shownLines += lineFeeds(change.insert);
        if (change.omitted) omittedLines = change.omitted.lines;
      }
    }
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  delay.enable();
  const flood = await timed(() => run(kernel, FLOOD));
  delay.disable();
  globalThis.gc?.();
  const memory = process.memoryUsage().rss - before;
  await manager.close();
  if (shownLines === 0 || omittedLines === 0) throw new Error('The flood did not arrive as it should.');
  return { cold, trips, flood, lost: 0, gap: delay.max / 1e6, memory: memory / 2 ** 20 };
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

async function jupyterClient(): Promise<Measured> {
  const { stdout } = await promisify(execFile)(python, [script, String(STARTS), String(ROUNDS), String(LINES)], { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as Measured;
}

const [loop, app, client, first] = [await bare(), await ours(), await jupyterClient(), await warm()];
const row = (name: string, pick: (measured: Measured) => number, digits: number): string[] => [
  name,
  pick(app).toFixed(digits),
  pick(loop).toFixed(digits),
  pick(client).toFixed(digits),
  ratio(pick(app), pick(loop)),
  ratio(pick(app), pick(client)),
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
console.log(
  `Longest pause of main's event loop in the flood: ${app.gap.toFixed(1)} ms; main's memory afterwards: ${app.memory.toFixed(0)} MB more.`,
);
console.log(`Lines lost by jupyter_client: ${client.lost}.`);
