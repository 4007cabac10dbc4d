/**
 * A program as main is one without its window: a kernel, a session, an agent, a host that crashes. Run by other versions of Node than the tests', it prints
 * what it saw as one JSON line. Arguments: bundle of the kernel host, Python, an empty folder.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PythonProgress, runPython } from '../../../main/execution/agents/python-run.ts';
import { SessionPool } from '../../../main/execution/agents/session-pool.ts';
import { NotebookSession } from '../../../main/execution/notebook-session.ts';
import { followOutputs, startRun } from '../../../main/execution/run-client.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import type { StreamOutput } from '../../../preload/output-change.ts';
import { pythonSpecOf } from '../../support/python-spec.ts';
import { MemoryNotebook } from '../execution/memory-notebook.ts';

export interface Seen {
  versions: { node: string; electron: string | null };
  /** Of a run without a session: how it ended, and how many changes of output came before that. */
  run: { status: string; told: boolean };
  stream: { first: string; whole: string };
  flood: { lines: number; artifact: boolean };
  interrupt: string | undefined;
  input: string;
  completion: boolean;
  /** Values of a variable: after the host was killed, and after a restart. */
  kept: { afterCrash: string; afterRestart: string };
  /** Of an agent's call whose host was killed while it ran. */
  agent: { text: string; isError: boolean };
  death: { status: string | undefined; message: string | null };
  left: number;
}

const FLOOD_LINES = 200_000;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

/** An agent's cell that waits for a file; the host is killed when it has begun, and the file is there once another has the kernel. */
async function agentCall(kernels: KernelManager, spec: KernelSpec, folder: string, killHost: () => void): Promise<Seen['agent']> {
  const pool = new SessionPool({ kernels, chooseSpec: async () => ({ spec, note: null }) });
  const code = 'import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.01)\ncallable(read)';
  let begun = false;
  const onProgress = ({ cells }: PythonProgress): void => {
    begun ||= cells[0]!.output.includes('begun');
  };
  const call = runPython(pool, { cells: [{ code }], cwd: folder, timeout: 300 }, { onProgress });
  await until(() => begun);
  const kernel = pool.session(pool.list()[0]!.key)!.kernel!;
  const attached = new Promise<void>((resolve) => kernel.on('connected', () => resolve()));
  killHost();
  await attached;
  writeFileSync(path.join(folder, 'go'), '');
  const { text, isError } = await call;
  await pool.close();
  return { text, isError };
}

async function main([hostEntry, python, folder]: string[]): Promise<void> {
  if (!hostEntry || !python || !folder) throw new Error('Too few arguments.');
  const hosts: HostProcess[] = [];
  const spawnHost = (): HostProcess => {
    hosts.push(forkHost(hostEntry));
    return hosts.at(-1)!;
  };
  const runtimeFolder = path.join(folder, 'runtime');
  const kernels = new KernelManager({ spawnHost, runtimeFolder });
  const notebook = new MemoryNotebook();
  const spec = pythonSpecOf(python);
  const session = new NotebookSession({
    target: notebook,
    kernels,
    chooseSpec: async () => ({ spec, note: null }),
    cwd: () => folder,
    artifactFolder: path.join(folder, 'artifacts'),
  });
  const cell = async (source: string): Promise<string> => {
    const key = notebook.code(source);
    await session.runCells([key]);
    return notebook.text(key);
  };

  const bare = await kernels.start({ spec, cwd: folder });
  let told = false;
  followOutputs(bare, () => {
    told = true;
  });
  const request = { areaId: 'area', code: 'print("here")', silent: false, storeHistory: true, allowStdin: false, stopOnError: true };
  const { status } = await startRun(bare, { ...request, artifactFolder: null }).done;
  await bare.shutdown();

  const streaming = notebook.code('import time\nprint("one", flush=True)\ntime.sleep(1)\nprint("two")');
  const streamed = session.runCells([streaming]);
  await until(() => notebook.text(streaming) !== '');
  const first = notebook.text(streaming);
  await streamed;

  const flooding = notebook.code(`for n in range(${FLOOD_LINES}): print("line", n)`);
  await session.runCells([flooding]);
  const flood = notebook.cell(flooding)!.outputs[0] as StreamOutput;

  const looping = notebook.code('print("begun", flush=True)\nwhile True: pass');
  const looped = session.runCells([looping]);
  await until(() => notebook.text(looping) !== '');
  await session.interrupt();
  const interrupt = (await looped).failure?.error?.ename;

  const asking = notebook.code('print(input("name"))');
  const asked = session.runCells([asking]);
  await until(() => Boolean(session.runs().get(asking)?.input));
  await session.provideInput(asking, 'Ada');
  await asked;

  await cell('kept = 41');
  hosts.at(-1)!.kill();
  await until(() => session.kernel?.host.gone !== null);
  const afterCrash = await cell('print(kept + 1)');
  await until(() => session.kernelView().state === 'idle');
  const { matches } = await session.complete('impor', 5);
  await session.restart();
  const afterRestart = await cell('print("kept" in globals())');

  const agent = await agentCall(kernels, spec, folder, () => hosts.at(-1)!.kill());

  const dying = notebook.code('import os; os._exit(3)');
  const died = await session.runCells([dying]);
  const { message } = session.kernelView();

  await session.shutdown();
  await kernels.close();
  const seen: Seen = {
    versions: { node: process.versions.node, electron: process.versions.electron ?? null },
    run: { status, told },
    stream: { first, whole: notebook.text(streaming) },
    flood: { lines: flood.text.split('\n').length - 1 + (flood.omitted?.lines ?? 0), artifact: Boolean(flood.omitted?.artifactId) },
    interrupt,
    input: notebook.text(asking).slice(-4),
    completion: matches.some(({ text }) => text === 'import'),
    kept: { afterCrash, afterRestart },
    agent,
    death: { status: died.failure?.status, message },
    left: readdirSync(runtimeFolder).length,
  };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}

void main(process.argv.slice(2));
