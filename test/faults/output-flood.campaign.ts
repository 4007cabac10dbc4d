/**
 * Floods of output, larger than a test may make them: nothing lost, the end there, the artifact complete, and neither main's event loop nor the
 * memory paying for it. Prints what was counted; ends with code 1 when something is missing.
 */
import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ArtifactStore } from '../../main/artifacts/artifact-store.ts';
import type { StreamOutput } from '../../preload/output-change.ts';
import { openSession, type SessionFixture } from '../kernel/execution/session-fixture.ts';
import { setup as ownIPython } from '../support/ipython.ts';

interface Flood {
  name: string;
  code: string;
  /** Line feeds and bytes of the whole stream. */
  lines: number;
  bytes: number;
}

const MIB = 1024 * 1024;

const FLOODS: readonly Flood[] = [
  { name: '1,000,000 lines', code: 'for i in range(1_000_000): print(f"{i:07}")\nprint("END")', lines: 1_000_001, bytes: 8_000_004 },
  {
    name: '200 MB in 64 KB writes',
    code: 'import sys\nfor i in range(3_200): _ = sys.stdout.write("x" * 65_535 + "\\n")\nprint("END")',
    lines: 3_201,
    bytes: 3_200 * 65_536 + 4,
  },
  {
    name: '1 GB in messages of 1 MB',
    code: 'for i in range(1_000): _ = sys.stdout.write(("y" * 1_023 + "\\n") * 1_024); sys.stdout.flush()\nprint("END")',
    lines: 1_024_001,
    bytes: 1_000 * MIB + 4,
  },
  {
    name: '100,000 flushed lines',
    code: 'for i in range(100_000): print(f"{i:05}", flush=True)\nprint("END")',
    lines: 100_001,
    bytes: 600_004,
  },
  {
    name: '500,000 lines in colour',
    code: 'for i in range(500_000): print(f"\\x1b[3{i % 8}m{i:06}\\x1b[0m")\nprint("END")',
    lines: 500_001,
    bytes: 500_000 * 16 + 4,
  },
];

/** Resident memory of a process in MiB, where the system tells. */
function memory(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  } catch {
    return Number.NaN;
  }
}

async function countLines(file: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines;
}

/** What is wrong after a flood; empty when all is there. */
async function problems(fixture: SessionFixture, key: string, flood: Flood): Promise<string[]> {
  const outputs = fixture.notebook.cell(key)!.outputs;
  const stream = outputs[0] as StreamOutput;
  const found: string[] = [];
  const expect = (holds: boolean, what: string) => void (holds || found.push(what));
  expect(outputs.length === 1, `there are ${outputs.length} outputs`);
  expect(stream.text.endsWith('END\n'), 'the end is missing');
  expect(Buffer.byteLength(stream.text) <= MIB, `the window has ${Buffer.byteLength(stream.text)} bytes`);
  const kept = stream.text.split('\n').length - 1;
  expect(kept + (stream.omitted?.lines ?? 0) === flood.lines, `${kept} lines kept and ${stream.omitted?.lines ?? 0} left out`);
  expect(Buffer.byteLength(stream.text) + (stream.omitted?.bytes ?? 0) === flood.bytes, 'the bytes do not add up');
  if (!stream.omitted) return found;
  const artifact = await new ArtifactStore(fixture.artifacts).resolve(stream.omitted.artifactId ?? '');
  if (!artifact) return [...found, 'there is no artifact'];
  // The file is written behind the run.
  for (let wait = 0; wait < 600 && (await stat(artifact.file)).size < flood.bytes; wait += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await stat(artifact.file)).size === flood.bytes, `the artifact has ${(await stat(artifact.file)).size} bytes`);
  expect((await countLines(artifact.file)) === flood.lines, 'the artifact has other lines');
  return found;
}

const removeIPython = await ownIPython();
const fixture = await openSession();
let failed = 0;
try {
  const { session, notebook } = fixture;
  await session.runCells([notebook.code('import sys')]);
  for (const flood of FLOODS) {
    const hostPid = fixture.host().pid ?? 0;
    const before = [memory(process.pid), memory(hostPid)];
    const changesBefore = notebook.changes;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const begun = performance.now();
    const key = notebook.code(flood.code);
    const { status } = await session.runCells([key]);
    const took = performance.now() - begun;
    delay.disable();
    const found = status === 'ok' ? await problems(fixture, key, flood) : [`the run ended ${status}`];
    const after = [memory(process.pid), memory(hostPid)];
    if (found.length > 0) failed += 1;
    console.log(
      `${found.length === 0 ? 'ok    ' : 'FAILED'} ${flood.name}: ${(took / 1000).toFixed(1)} s, ${notebook.changes - changesBefore} changes, ` +
        `main ${before[0]} → ${after[0]} MiB (longest gap ${Math.round(delay.max / 1e6)} ms), host ${before[1]} → ${after[1]} MiB` +
        found.map((problem) => `\n       ${problem}`).join(''),
    );
  }
} finally {
  await fixture.close();
  await removeIPython();
}
console.log(`${FLOODS.length - failed} of ${FLOODS.length} floods complete`);
if (failed > 0) process.exitCode = 1;
