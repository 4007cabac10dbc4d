/**
 * How far a batch of runs has come: `cell 7 of 31`. A batch begins with the first queued cell after a quiet time and ends when nothing is
 * queued or running; cells that join meanwhile make it longer, so the total may grow but the place never goes back.
 */
import type { CellRun } from '../../preload/contract.ts';

export interface RunProgress {
  /** Cells of the batch that have ended. */
  ended: number;
  /** Cells of the batch. */
  total: number;
  /** The cell that runs now; null between two cells. */
  running: string | null;
  /** Every cell of the batch, and whether it has ended. */
  batch: ReadonlyMap<string, boolean>;
}

export const noProgress: RunProgress = { ended: 0, total: 0, running: null, batch: new Map() };

/** `changed` holds the new states of some cells, as one `doc.runs` event brings them. */
export function reduceProgress(progress: RunProgress, changed: Readonly<Record<string, CellRun>>): RunProgress {
  const batch = new Map(progress.batch);
  let ended = progress.ended;
  let total = progress.total;
  let running = progress.running;
  for (const [key, { state }] of Object.entries(changed)) {
    const busy = state === 'queued' || state === 'running';
    if (busy && batch.get(key) !== false) {
      // A cell that is run again within a batch is one more cell to wait for.
      batch.set(key, false);
      total += 1;
    } else if (!busy && batch.get(key) === false) {
      batch.set(key, true);
      ended += 1;
    }
    if (state === 'running') running = key;
    else if (running === key) running = null;
  }
  const open = [...batch.values()].some((done) => !done);
  return open ? { ended, total, running, batch } : noProgress;
}

/** `7 of 31`; the cell that runs counts as begun. */
export function progressWords(progress: RunProgress): string {
  return `cell ${Math.min(progress.ended + 1, progress.total)} of ${progress.total}`;
}
