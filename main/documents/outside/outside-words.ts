/** What came in from the disk, and what was left out of it, in one short sentence each. */

export interface TakenIn {
  changed: number;
  added: number;
  deleted: number;
  outputs: number;
  /** Of these, cells that have no outputs any more. */
  cleared: number;
  /** Cells that have no attachments any more. */
  unattached: number;
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
    taken.changed + taken.added + taken.deleted === 0 && taken.outputs > taken.cleared
      ? `new outputs in ${taken.outputs - taken.cleared} ${taken.outputs - taken.cleared === 1 ? 'cell' : 'cells'}`
      : null,
    count(taken.cleared, 'without outputs now'),
    count(taken.unattached, 'without attachments now'),
    taken.moved ? 'cells moved' : null,
  ].filter((part) => part !== null);
  const clash = taken.clashes > 0 ? ' Cell settings changed on both sides stay as they are here.' : '';
  if (parts.length > 0) return `${name} was changed by another program. Taken in: ${parts.join(', ')}.${clash}`;
  return clash === '' || taken.conflicts > 0 ? null : `${name} was changed by another program.${clash}`;
}

export function leftOutWords(name: string): string {
  return `${name} is as the other program wrote it.`;
}

export function doubledWords(name: string): string {
  return `Another program wrote every cell of ${name} twice. That was not taken in; your version is kept here.`;
}

function count(cells: number, what: string): string | null {
  return cells === 0 ? null : `${cells} ${cells === 1 ? 'cell' : 'cells'} ${what}`;
}

export function conflictWords(cells: number): string {
  return cells === 1
    ? '1 cell was changed here and in the file. Both versions are kept.'
    : `${cells} cells were changed here and in the file. Both versions are kept.`;
}
