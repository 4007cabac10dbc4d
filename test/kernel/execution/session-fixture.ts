/**
 * Notebook sessions on a real kernel in a real host process, over a notebook that lives in memory: the cells as the tests give them, and
 * their outputs as the changes make them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { NotebookSession } from '../../../main/execution/notebook-session.ts';
import type { RawOutputChange, RawPayload } from '../../../main/execution/run-protocol.ts';
import type { RunTarget } from '../../../main/execution/run-target.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { applyOutputChange, type Output } from '../../../preload/output-change.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { testPython } from '../../support/python.ts';

export function pythonSpec(): KernelSpec {
  return {
    name: 'test',
    displayName: 'Test Python',
    language: 'python',
    argv: [testPython(), '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
    env: {},
    interruptMode: 'signal',
    resourceDir: null,
    source: 'interpreter',
  };
}

interface Cell {
  source: string;
  type: 'code' | 'markdown' | 'raw';
  metadata: Record<string, unknown>;
  outputs: Output<RawPayload>[];
  count: number | null;
  /** How often a run of it was begun. */
  begun: number;
}

export class MemoryNotebook implements RunTarget {
  readonly cells = new Map<string, Cell>();
  #made = 0;
  languageInfo: Record<string, unknown> | null = null;
  /** Every change that came, for tests that count. */
  changes = 0;
  largest = 0;

  /** Adds a code cell and gives its key. */
  code(source: string, metadata: Record<string, unknown> = {}, type: Cell['type'] = 'code'): string {
    const key = `cell-${this.#made++}`;
    this.cells.set(key, { source, type, metadata, outputs: [], count: null, begun: 0 });
    return key;
  }

  cell(key: string): Cell | null {
    return this.cells.get(key) ?? null;
  }

  beginRun(key: string): void {
    const cell = this.cells.get(key);
    if (!cell) return;
    cell.outputs = [];
    cell.count = null;
    cell.begun += 1;
  }

  setExecutionCount(key: string, count: number | null): void {
    const cell = this.cells.get(key);
    if (cell) cell.count = count;
  }

  applyOutputs(key: string, changes: readonly RawOutputChange[]): void {
    this.changes += changes.length;
    for (const change of changes) if (change.op === 'text') this.largest = Math.max(this.largest, change.insert.length);
    const cell = this.cells.get(key);
    if (cell) cell.outputs = changes.reduce<Output<RawPayload>[]>(applyOutputChange, cell.outputs);
  }

  setLanguageInfo(info: Record<string, unknown>): void {
    this.languageInfo = info;
  }

  /** The text of a cell's streams, other outputs as their type. */
  text(key: string): string {
    return this.cell(key)!
      .outputs.map((output) => {
        if (output.type === 'stream') return output.text;
        if (output.type === 'error') return `<${output.ename}: ${output.evalue}>`;
        return `<${String(output.data['text/plain'])}>`;
      })
      .join('');
  }
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

export async function openSession(options: { artifacts?: boolean; spec?: KernelSpec } = {}): Promise<SessionFixture> {
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
    cwd: () => folder,
    artifactFolder: options.artifacts === false ? null : artifacts,
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
