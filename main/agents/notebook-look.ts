/**
 * A notebook as agents are told of it: its cells with what became of each. Never-run, stale, done and failed are different things to a model,
 * and nothing in the file tells them apart by itself, so it is decided here from the runs of this session and from the stored outputs.
 */
import { cellFields } from '../../preload/notebook-model.ts';
import { documentView } from '../documents/document-edits.ts';
import { outlineOf } from '../documents/edit-words.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { OwnedNotebook } from './notebook-owner.ts';

/** `stale`: the source was changed after the run that made the outputs. `not-run`: neither here nor, as far as the file says, before. */
export const CELL_STATUSES = ['not-code', 'not-run', 'queued', 'running', 'done', 'failed', 'cancelled', 'stale'] as const;
export type CellStatus = (typeof CELL_STATUSES)[number];

export interface LookedAtCell {
  index: number;
  key: string;
  id: string | null;
  type: string;
  source: string;
  status: CellStatus;
  executionCount: number | null;
  outputs: number;
  /** To be run again when outputs are to fit their sources, the order of the cells and the kernel that runs now. */
  stale: boolean;
}

export interface KernelNow {
  state: string;
  name: string;
  /** Counts restarts: variables of an earlier generation are gone. */
  generation: number;
  queued: number;
}

export function lookAt({ document, session }: OwnedNotebook): LookedAtCell[] {
  return document.keys().map((key, index) => lookAtCell(document, session.runs(), key, index));
}

export function kernelNow({ session }: OwnedNotebook): KernelNow {
  const { state, name, generation, queued } = session.kernelView();
  return { state, name, generation, queued };
}

export function presentOutline(document: NotebookDocument): string {
  return outlineOf(documentView(document));
}

export function lookAtCell(
  document: NotebookDocument,
  runs: ReturnType<OwnedNotebook['session']['runs']>,
  key: string,
  index: number,
): LookedAtCell {
  const { id, type, source } = cellFields(document.ydoc, key);
  const outputs = document.outputCount(key);
  const executionCount = document.executionCount(key);
  const run = runs.get(key)?.state ?? 'idle';
  const status = cellStatus({
    type,
    run,
    edited: document.staleOutputs(key),
    hasRun: executionCount !== null || outputs > 0,
    failed: outputs > 0 && document.outputs(key).some((output) => output.type === 'error'),
  });
  const isOutdated =
    ['kernel-restarted', 'out-of-order'].includes(document.freshness.reason(key) ?? '') && run !== 'queued' && run !== 'running';
  const stale = isOutdated || status === 'stale' || ((status === 'not-run' || status === 'cancelled') && source.trim() !== '');
  return { index, key, id, type, source, status, executionCount, outputs, stale };
}

export interface StatusFacts {
  type: string;
  /** In this session. */
  run: 'idle' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  edited: boolean;
  /** By what is stored. */
  hasRun: boolean;
  failed: boolean;
}

export function cellStatus({ type, run, edited, hasRun, failed }: StatusFacts): CellStatus {
  if (type !== 'code') return 'not-code';
  if (run === 'queued' || run === 'running') return run;
  if (edited) return 'stale';
  // Its turn never came: that it was asked for once is no news of the cell.
  if (run === 'cancelled' && !hasRun) return 'not-run';
  if (run !== 'idle') return run;
  if (!hasRun) return 'not-run';
  return failed ? 'failed' : 'done';
}
