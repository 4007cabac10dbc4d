/** What the repair view says and counts. Pure. */
import type { DamagedFileView, RecoveredCellView, RepairChoice } from '../../preload/outside-changes.ts';

export type Choices = ReadonlyMap<string, RepairChoice>;

/** Cells with two versions that nobody has chosen from. */
export function undecided(cells: readonly RecoveredCellView[], choices: Choices): number {
  return cells.filter(({ key, open }) => open && !choices.has(key)).length;
}

export function statusWords(damage: DamagedFileView, choices: Choices): string {
  const { cells } = damage;
  if (!cells) return 'The file stays as it is.';
  const left = undecided(cells, choices);
  if (left > 0) return `${left} ${left === 1 ? 'cell has' : 'cells have'} two versions. Nothing is written until you choose.`;
  return 'Nothing has been written yet. The file stays as it is.';
}

/** One sentence over the list of cells. */
export function recoveredWords({ cells, sides }: DamagedFileView): string {
  if (!cells) return 'Nothing that looks like a notebook was found in this file.';
  const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
  const open = cells.filter((cell) => cell.open).length;
  if (sides && open > 0) return `${count} found, ${open} of them in two versions.`;
  const mended = cells.filter(({ ours, theirs }) => (ours ?? theirs)?.note != null).length;
  return mended === 0 ? `${count} found, all of them whole.` : `${count} found, ${mended} of them mended.`;
}

export function placeWords({ line, column, offset }: Pick<DamagedFileView, 'line' | 'column' | 'offset'>): string {
  if (line === null) return 'The file as it is';
  const inLine = column === null || column === 1 ? '' : `, column ${column}`;
  return `The file as it is – line ${line}${inLine}${offset === null ? '' : ` (byte ${offset})`}`;
}

/** The same choice for every cell that has two versions. */
export function chooseAll(cells: readonly RecoveredCellView[], choice: 'ours' | 'theirs'): Choices {
  return new Map(cells.filter(({ open }) => open).map(({ key }) => [key, choice]));
}

/** The last part of a path on any system. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
