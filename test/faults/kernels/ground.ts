/**
 * Where faults are tried: a kernel manager with a host process of its own, notebook sessions over it, and the count of what they leave behind.
 * The hard part is that count: children that left their group and were adopted are found by a mark in their environment.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NotebookSession } from '../../../main/execution/notebook-session.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { KernelSpec, LaunchOptions } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { MemoryNotebook } from '../../kernel/execution/memory-notebook.ts';
import { pythonSpec } from '../../kernel/execution/session-fixture.ts';
import { buildHostEntry } from '../../support/host-entry.ts';

/** A variable in the environment of every kernel of a ground, and so of all that they start. */
const MARK = 'CELLWRIGHT_FAULT_GROUND';

/** What ends does so within this; what is there afterwards is left over. */
const SETTLE_MS = 5_000;

export interface Leftovers {
  processes: number;
  files: number;
  /** Of the host, above what it had when the ground was new. */
  descriptors: number;
}

export interface Scene {
  session: NotebookSession;
  notebook: MemoryNotebook;
  /** Working folder of the kernel. */
  folder: string;
}

export interface SceneOptions {
  spec?: Partial<KernelSpec>;
  artifactFolder?: string;
  startTimeoutMs?: number;
}

export interface Ground {
  readonly manager: KernelManager;
  readonly runtimeFolder: string;
  readonly folder: string;
  /** The host that was started last. */
  host(): HostProcess;
  open(options?: SceneOptions): Scene;
  /** To be asked when every session is shut down. */
  leftovers(): Promise<Leftovers>;
  close(): Promise<void>;
}

export async function openGround(): Promise<Ground> {
  const entry = await buildHostEntry();
  const folder = await mkdtemp(path.join(tmpdir(), 'cellwright-faults-'));
  const runtimeFolder = path.join(folder, 'runtime');
  await mkdir(runtimeFolder);
  const hosts: HostProcess[] = [];
  const spawnHost = (): HostProcess => {
    const host = forkHost(entry);
    hosts.push(host);
    return host;
  };
  const manager = new KernelManager({ spawnHost, runtimeFolder });
  const open = (options: SceneOptions = {}): Scene => openScene(manager, folder, options);
  // The first kernel opens what stays open for good: libzmq's own threads and pipes.
  const first = open();
  await first.session.ensureKernel();
  await first.session.shutdown();
  const host = (): HostProcess => hosts.at(-1)!;
  const before = descriptors(host().pid);
  const count = async (): Promise<Leftovers> => ({
    processes: marked(folder).length,
    files: readdirOrNone(runtimeFolder).length,
    descriptors: Math.max(0, descriptors(host().pid) - before),
  });
  return {
    manager,
    runtimeFolder,
    folder,
    host,
    open,
    leftovers: () => settled(count),
    close: async () => {
      await manager.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function openScene(manager: KernelManager, folder: string, options: SceneOptions): Scene {
  const notebook = new MemoryNotebook();
  const { spec = {}, artifactFolder = path.join(folder, 'artifacts'), startTimeoutMs } = options;
  const start = (launch: LaunchOptions) => manager.start(startTimeoutMs === undefined ? launch : { ...launch, startTimeoutMs });
  const session = new NotebookSession({
    target: notebook,
    kernels: { start, withRoom: (attempt) => manager.withRoom(attempt) },
    chooseSpec: async () => ({ spec: { ...pythonSpec(), ...spec, env: { ...spec.env, [MARK]: folder } }, note: null }),
    cwd: () => folder,
    artifactFolder,
  });
  return { session, notebook, folder };
}

/** The count once nothing is left, or when it has had its time. */
async function settled(count: () => Promise<Leftovers>): Promise<Leftovers> {
  for (const end = Date.now() + SETTLE_MS; ; await delay(50)) {
    const left = await count();
    if (Object.values(left).every((number) => number === 0) || Date.now() > end) return left;
  }
}

/** Pids of the processes that a kernel of this ground started, or that are one. */
function marked(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readOrNothing(`/proc/${pid}/environ`).includes(`${MARK}=${folder}\0`))
    .map(Number);
}

/** Open descriptors of a process; 0 for one that is gone. */
export function descriptors(pid: number | 'self' | null): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // Ended meanwhile, or another user's.
    return '';
  }
}

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
