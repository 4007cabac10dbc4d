/** What a notebook session needs from outside, and what it tells. */
import type { KernelView } from '../../preload/contract.ts';
import type { Kernel, KernelSpec } from '../kernels/kernel.ts';
import type { KernelManager } from '../kernels/kernel-manager.ts';
import type { Log } from '../log/log.ts';
import type { RunEvents } from './run-protocol.ts';
import type { RunSummary } from './run-queue.ts';
import type { RunTarget } from './run-target.ts';

export type KernelViewState = KernelView;

/** Shows a kernel's widgets, and so the outputs that they take in. */
export interface WidgetFollower {
  /** Called with each kernel before anything runs on it; the function that it gives ends it. */
  follow(kernel: Kernel): () => void;
  /** Changes of outputs, of widgets and of cells alike. */
  outputsChanged(areas: RunEvents['run.changes']['areas']): void;
}

export interface NotebookSessionOptions {
  target: RunTarget;
  kernels: Pick<KernelManager, 'start' | 'withRoom'>;
  chooseSpec: () => Promise<{ spec: KernelSpec; note: string | null }>;
  cwd: () => string;
  /** For streams and payloads that outgrow the limits; null keeps only what the notebook keeps. */
  artifactFolder: string | null;
  /** Absent: nobody shows widgets, and what they would take in stays in the cells. */
  widgets?: WidgetFollower;
  /** False: an error doesn't stop the cells after it. Default true. */
  pauseOnError?: boolean;
  log?: Log;
}

export interface SessionEvents {
  /** Keys of the cells whose state changed. */
  runs: string[];
  kernel: KernelViewState;
  /** All cells of one `runCells` have had their turn. */
  run: RunSummary;
}

/** Sentences for the person. */
export const IGNORED = 'The code goes on in spite of the interrupt. Restart the kernel to end it.';
export const UNANSWERED = 'A cell ended while a thread of it waited for input. The thread was given an empty answer.';
export const LOST =
  'The connection to the kernel broke while a cell ran: the rest of its output and its result are missing. The kernel and its variables are still there. Run the cell again.';
