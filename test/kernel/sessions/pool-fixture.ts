/**
 * A pool of agent sessions over real kernels in a real host process, with a clock that the tests move, and short ways to call it.
 */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../main/execution/agents/clock.ts';
import type { PythonRequest } from '../../../main/execution/agents/python-request.ts';
import type { PythonResult } from '../../../main/execution/agents/python-result.ts';
import { type PythonRunOptions, runPython } from '../../../main/execution/agents/python-run.ts';
import { SessionPool, type SessionPoolOptions } from '../../../main/execution/agents/session-pool.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { KernelSpec, LaunchOptions } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { testPython } from '../../support/python.ts';
import { pythonSpecOf } from '../../support/python-spec.ts';

export function pythonSpec(python = testPython()): KernelSpec {
  return { ...pythonSpecOf(python), name: 'test', displayName: 'Test Python' };
}

/** Time that only passes when a test says so. */
export class TestClock implements Clock {
  #now = 0;
  #timers: { every: number; next: number; call: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  every(ms: number, call: () => void): () => void {
    const timer = { every: ms, next: this.#now + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ next }) => next <= end).sort((a, b) => a.next - b.next)[0];
      if (!due) break;
      this.#now = due.next;
      due.next += due.every;
      due.call();
    }
    this.#now = end;
  }
}

export interface PoolFixture {
  pool: SessionPool;
  manager: KernelManager;
  clock: TestClock;
  /** A folder of its own; `place(name)` makes one in it. */
  folder: string;
  artifacts: string;
  place: (name: string) => Promise<string>;
  /** What was started, in order. */
  starts: LaunchOptions[];
  /** The hosts that were started, in order. */
  hosts: HostProcess[];
  /** Calls the tool with cells in `cwd`, the fixture's folder when it isn't given. */
  python: (cells: string | string[], request?: Partial<PythonRequest>, options?: PythonRunOptions) => Promise<PythonResult>;
  close: () => Promise<void>;
}

export async function openPool(options: Partial<SessionPoolOptions> & { spec?: KernelSpec } = {}): Promise<PoolFixture> {
  const { spec = pythonSpec(), ...poolOptions } = options;
  const entry = await buildHostEntry();
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cellwright-agents-')));
  const artifacts = path.join(folder, 'artifacts');
  const hosts: HostProcess[] = [];
  const manager = new KernelManager({
    spawnHost: () => {
      const host = forkHost(entry);
      hosts.push(host);
      return host;
    },
    runtimeFolder: path.join(folder, 'runtime'),
  });
  const starts: LaunchOptions[] = [];
  const clock = new TestClock();
  const pool = new SessionPool({
    kernels: {
      start: (launch) => {
        starts.push(launch);
        return manager.start(launch);
      },
      withRoom: (attempt) => manager.withRoom(attempt),
      onShortage: (end) => manager.onShortage(end),
    },
    chooseSpec: async () => ({ spec, note: null }),
    clock,
    ...poolOptions,
  });
  return {
    pool,
    manager,
    clock,
    folder,
    artifacts,
    starts,
    hosts,
    place: async (name) => {
      const place = path.join(folder, name);
      await mkdir(place, { recursive: true });
      return place;
    },
    python: (cells, request = {}, runOptions = {}) =>
      runPython(
        pool,
        {
          cells: (typeof cells === 'string' ? [cells] : cells).map((code) => ({ code })),
          cwd: folder,
          timeout: 120,
          artifactFolder: artifacts,
          ...request,
        },
        runOptions,
      ),
    close: async () => {
      await pool.close();
      await manager.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
