/** What came in from the disk, in one short sentence. */

export interface TakenIn {
  changed: number;
  added: number;
  deleted: number;
  outputs: number;
  moved: boolean;
  conflicts: number;
  /** Cell metadata that both sides changed. */
  clashes: number;
}

/** Null when nothing that a person could see came in. */
export function takenInWords(name: string, taken: TakenIn): string | null {
  const parts = [
    count(taken.changed, 'changed'),
    count(taken.added, 'added'),
    count(taken.deleted, 'deleted'),
    taken.changed + taken.added + taken.deleted === 0 && taken.outputs > 0
      ? `new outputs in ${taken.outputs} ${taken.outputs === 1 ? 'cell' : 'cells'}`
      : null,
    taken.moved ? 'cells moved' : null,
  ].filter((part) => part !== null);
  const clash = taken.clashes > 0 ? ' Cell settings changed on both sides stay as they are here.' : '';
  if (parts.length > 0) return `${name} was changed by another program. Taken in: ${parts.join(', ')}.${clash}`;
  return clash === '' || taken.conflicts > 0 ? null : `${name} was changed by another program.${clash}`;
}

function count(cells: number, what: string): string | null {
  return cells === 0 ? null : `${cells} ${cells === 1 ? 'cell' : 'cells'} ${what}`;
}

export function conflictWords(cells: number): string {
  return cells === 1
    ? '1 cell was changed here and in the file. Both versions are kept.'
    : `${cells} cells were changed here and in the file. Both versions are kept.`;
}
