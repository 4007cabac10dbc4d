/** What is said about cells that were changed here and in the file. Pure. */
import type { CellConflict } from '../../preload/outside-changes.ts';

export type ConflictChoice = 'mine' | 'theirs' | 'both' | 'edited' | 'delete';

export interface ChoiceButton {
  choice: ConflictChoice;
  label: string;
}

export const SETTLED_WORDS: { [C in ConflictChoice]: string } = {
  mine: 'Kept what is here',
  theirs: 'Took the file’s version',
  both: 'Kept both',
  edited: 'Took the edited text',
  delete: 'Deleted',
};

/** What can be done about one cell, from the safest on. */
export function choicesOf({ kind }: Pick<CellConflict, 'kind'>): ChoiceButton[] {
  switch (kind) {
    case 'both':
      return [
        { choice: 'mine', label: 'Keep what is here' },
        { choice: 'theirs', label: 'Take the file’s version' },
        { choice: 'both', label: 'Keep both' },
      ];
    case 'deleted-there':
      return [
        { choice: 'mine', label: 'Keep the cell' },
        { choice: 'delete', label: 'Delete it here too' },
      ];
    case 'deleted-here':
      return [
        { choice: 'mine', label: 'Keep the file’s version' },
        { choice: 'delete', label: 'Delete it again' },
      ];
  }
}

/** Names of the two sides of the view. */
export function sideLabels({ kind }: Pick<CellConflict, 'kind'>): { original: string; modified: string } {
  switch (kind) {
    case 'both':
      return { original: 'In the file', modified: 'Here – you can edit this side' };
    case 'deleted-there':
      return { original: 'Before – deleted in the file', modified: 'Here' };
    case 'deleted-here':
      return { original: 'Before – deleted here', modified: 'In the file' };
  }
}

export function leftWords(left: number, total: number): string {
  if (total === 0) return 'Nothing to settle.';
  if (left === 0) return 'All settled. Save to write it to the file.';
  return `${left} of ${total} ${total === 1 ? 'cell' : 'cells'} left`;
}

export function bannerWords(conflicts: number): string {
  return conflicts === 1
    ? '1 cell was changed here and in the file. Both versions are kept until you choose.'
    : `${conflicts} cells were changed here and in the file. Both versions are kept until you choose.`;
}
