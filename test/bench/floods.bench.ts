/**
 * Floods of output beside a bare `zeromq` loop that only reads them: how fast they are drained, whether all of it is there, what main and the host
 * pay in memory, and how long main's event loop stands still. `CELLWRIGHT_BENCH_STREAM_MB` makes the long stream shorter.
 */
import { statSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ArtifactStore } from '../../main/artifacts/artifact-store.ts';
import type { StreamOutput } from '../../preload/output-change.ts';
import { openSession, type SessionFixture } from '../kernel/execution/session-fixture.ts';
import { testPython } from '../support/python.ts';
import { startBareKernel } from './baseline/bare-kernel.ts';
import { memoryOf, processorTimeOf, watchMemory } from './process-figures.ts';
import { median, printTable, ratio } from './table.ts';

const MIB = 2 ** 20;
const STREAM_MB = Number(process.env.CELLWRIGHT_BENCH_STREAM_MB ?? 2048);

/** After a flood, until memory is looked at: collectors run when they like. */
const REST_MS = 15_000;

interface Flood {
  name: string;
  code: string;
  lines: number;
  bytes: number;
  rounds: number;
}

const FLOODS: readonly Flood[] = [
  {
    name: '200 MB in 64 KB writes',
    code: 'import sys\nfor i in range(3_200): _ = sys.stdout.write("x" * 65_535 + "\\n")',
    lines: 3_200,
    bytes: 3_200 * 65_536,
    rounds: 3,
  },
  {
    name: `${STREAM_MB} MB in messages of 1 MB`,
    code: `import sys\nfor i in range(${STREAM_MB}): _ = sys.stdout.write(("y" * 1_023 + "\\n") * 1_024); sys.stdout.flush()`,
    lines: STREAM_MB * 1_024,
    bytes: STREAM_MB * MIB,
    rounds: 1,
  },
  {
    name: '100,000 flushed prints',
    code: 'for i in range(100_000): print(f"{i:05}", flush=True)',
    lines: 100_000,
    bytes: 600_000,
    rounds: 1,
  },
];

interface Drained {
  ms: number;
  /** Processor time of main and host together. */
  workMs: number;
  lost: number;
  gapMs: number;
  /** MiB above before: main and host, at their highest and when it was over. */
  peak: [number, number];
  after: [number, number];
}

async function drain({ session, notebook, artifacts, host }: SessionFixture, { code, lines, bytes, name }: Flood): Promise<Drained> {
  const pids = [process.pid, host().pid ?? 0];
  globalThis.gc?.();
  const before = pids.map(memoryOf);
  const peaks = watchMemory(pids);
  const pauses = monitorEventLoopDelay({ resolution: 1 });
  const key = notebook.code(code);
  const work = (): number => pids.map(processorTimeOf).reduce((sum, used) => sum + used, 0);
  pauses.enable();
  const [begun, workBefore] = [performance.now(), work()];
  const { status } = await session.runCells([key]);
  const [ms, workMs] = [performance.now() - begun, work() - workBefore];
  pauses.disable();
  if (status !== 'ok') throw new Error(`${name} ended ${status}.`);
  const { text, omitted } = notebook.cell(key)!.outputs[0] as StreamOutput;
  const lost = lines - (text.split('\n').length - 1) - (omitted?.lines ?? 0);
  if (omitted) await complete(artifacts, omitted.artifactId, bytes);
  const peak = peaks();
  notebook.cells.delete(key);
  await delay(REST_MS);
  globalThis.gc?.();
  const above = (figures: number[]): [number, number] => [figures[0]! - before[0]!, figures[1]! - before[1]!];
  return { ms, workMs, lost, gapMs: pauses.max / 1e6, peak: above(peak), after: above(pids.map(memoryOf)) };
}

/** The file is written behind the run. */
async function complete(folder: string, id: string | null, bytes: number): Promise<void> {
  const artifact = id === null ? null : await new ArtifactStore(folder).resolve(id);
  if (!artifact) throw new Error('The stream has no artifact.');
  for (let wait = 0; wait < 600 && statSync(artifact.file).size < bytes; wait += 1) await delay(50);
  const { size } = statSync(artifact.file);
  if (size !== bytes) throw new Error(`The artifact has ${size} of ${bytes} bytes.`);
}

const fixture = await openSession();
const bare = await startBareKernel(testPython());
const rows: string[][] = [];
try {
  await fixture.session.runCells([fixture.notebook.code('1')]);
  for (const flood of FLOODS) {
    const ours: Drained[] = [];
    const loop: { ms: number; workMs: number }[] = [];
    // In turn, so that both meet the same load.
    for (let round = 0; round < flood.rounds; round += 1) {
      const [begun, workBefore] = [performance.now(), processorTimeOf(process.pid)];
      await bare.run(flood.code);
      loop.push({ ms: performance.now() - begun, workMs: processorTimeOf(process.pid) - workBefore });
      ours.push(await drain(fixture, flood));
    }
    const middle = (rounds: readonly { ms: number; workMs: number }[], what: 'ms' | 'workMs'): number =>
      median(rounds.map((round) => round[what]));
    const { peak, after } = ours.at(-1)!;
    const mib = (figures: [number, number]): string => figures.map((figure) => figure.toFixed(0)).join(' / ');
    rows.push([
      flood.name,
      middle(ours, 'ms').toFixed(0),
      middle(loop, 'ms').toFixed(0),
      ratio(middle(ours, 'ms'), middle(loop, 'ms')),
      ratio(middle(ours, 'workMs'), middle(loop, 'workMs')),
      String(ours.reduce((sum, { lost }) => sum + lost, 0)),
      Math.max(...ours.map(({ gapMs }) => gapMs)).toFixed(1),
      mib(peak),
      mib(after),
    ]);
  }
} finally {
  await fixture.close();
  await bare.stop();
}
printTable(
  [
    '',
    'Cellwright, ms',
    'bare zeromq, ms',
    'ratio',
    'ratio of processor time',
    'lines lost',
    'main’s longest pause, ms',
    'MiB at most, main / host',
    'MiB after, main / host',
  ],
  rows,
);
console.log('Every stream that is longer than what a cell shows is complete in its artifact.');
