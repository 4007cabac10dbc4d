/**
 * Whose outputs a cell keeps when the file has others than before. Outputs are results and not work: no question is asked, the newer run
 * wins. When a run took place is told here by the clock, there by the times that Jupyter notes in the cell, else by the file's own time.
 */

export interface OutputSides {
  /** The outputs or the execution count here are others than the file had. */
  mineDiffer: boolean;
  theirsDiffer: boolean;
  /** When the outputs were last changed here, in milliseconds since the epoch; null when they came from the file. */
  mineAt: number | null;
  /** When the file was written. */
  fileAt: number;
  /** When the cell was run there, if the cell says so. */
  theirsAt: number | null;
}

export function newerOutputs({ mineDiffer, theirsDiffer, mineAt, fileAt, theirsAt }: OutputSides): 'mine' | 'theirs' {
  if (!theirsDiffer) return 'mine';
  if (mineAt === null) return 'theirs';
  // Outputs that were saved belong to the file, unless a run has begun since it was written.
  if (!mineDiffer) return mineAt > fileAt ? 'mine' : 'theirs';
  return mineAt >= (theirsAt ?? fileAt) ? 'mine' : 'theirs';
}

/** The latest time under `execution` in a cell's metadata (JupyterLab's record of a run), or null. */
export function recordedRun(metadata: Record<string, unknown>): number | null {
  const { execution } = metadata;
  if (execution === null || typeof execution !== 'object') return null;
  const times = Object.values(execution).map((value) => (typeof value === 'string' ? Date.parse(value) : Number.NaN));
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length > 0 ? Math.max(...known) : null;
}
