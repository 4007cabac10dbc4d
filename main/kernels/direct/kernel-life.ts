/** One process of a kernel, from its start to its end: what changes of it, and who may take it over. */
import { randomUUID } from 'node:crypto';
import type { DetachReason } from '../host/host-protocol.ts';
import type { InfoReply } from '../messages.ts';
import type { WorkWatch } from './left-at-work.ts';
import { PeakMemory } from './peak-memory.ts';
import type { RunningKernel } from './running-kernel.ts';

export interface KernelLife {
  readonly running: RunningKernel;
  readonly memory: PeakMemory;
  readonly work: WorkWatch;
  /** How its sockets know us. */
  readonly identity: string;
  /** The handshake is done. */
  ready: boolean;
  reattaching: boolean;
  /** Why we end it ourselves. */
  ending: DetachReason | null;
  /** Resolves when the process is gone and everything is given back. */
  ended: Promise<void>;
}

export function newLife(running: RunningKernel, work: WorkWatch): KernelLife {
  const memory = new PeakMemory(running.process.pid);
  return { running, memory, work, identity: randomUUID(), ready: false, reattaching: false, ending: null, ended: Promise.resolve() };
}

export function isAlive({ running }: KernelLife): boolean {
  return running.process.exit === null;
}

/**
 * The name for a further connection to the process. ipykernel gives what it owes to the last one that bears the name; another kernel may
 * refuse a double of one that it has not forgotten yet.
 */
export function nextIdentity({ identity }: KernelLife, info: InfoReply): string {
  return info.implementation === 'ipython' ? identity : randomUUID();
}
