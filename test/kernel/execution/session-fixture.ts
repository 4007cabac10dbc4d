/**
 * Notebook sessions on a real kernel in a real host process, over a notebook that lives in memory: the cells as the tests give them, and
 * their outputs as the changes make them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { NotebookSession } from '../../../main/execution/notebook-session.ts';
import type { WidgetFollower } from '../../../main/execution/session-options.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { testPython } from '../../support/python.ts';
import { pythonSpecOf } from '../../support/python-spec.ts';
import { MemoryNotebook } from './memory-notebook.ts';

export function pythonSpec(): KernelSpec {
  return { ...pythonSpecOf(testPython()), name: 'test', displayName: 'Test Python' };
}

export interface SessionFixture {
  session: NotebookSession;
  notebook: MemoryNotebook;
  manager: KernelManager;
  folder: string;
  artifacts: string;
  /** The host that was started last. */
  host: () => HostProcess;
  close: () => Promise<void>;
}

export async function openSession(
  options: { artifacts?: boolean; spec?: KernelSpec; widgets?: WidgetFollower; cwd?: () => string } = {},
): Promise<SessionFixture> {
  const entry = await buildHostEntry();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-session-'));
  const artifacts = path.join(folder, 'artifacts');
  let host: HostProcess | null = null;
  const manager = new KernelManager({
    spawnHost: () => {
      host = forkHost(entry);
      return host;
    },
    runtimeFolder: path.join(folder, 'runtime'),
  });
  const notebook = new MemoryNotebook();
  const session = new NotebookSession({
    target: notebook,
    kernels: manager,
    chooseSpec: async () => ({ spec: options.spec ?? pythonSpec(), note: null }),
    cwd: options.cwd ?? (() => folder),
    artifactFolder: options.artifacts === false ? null : artifacts,
    widgets: options.widgets,
  });
  return {
    session,
    notebook,
    manager,
    folder,
    artifacts,
    host: () => host!,
    close: async () => {
      await session.shutdown();
      await manager.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the condition holds; fails after a limit that only a hang reaches. */
export async function until(condition: () => boolean, what: string, limitMs = 60_000): Promise<void> {
  const limit = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > limit) throw new Error(`Waited in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
