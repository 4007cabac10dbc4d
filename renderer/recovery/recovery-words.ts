/** What the window says about work that a crash left: short, and without alarm. */
import type { LeftWorkView } from '../../preload/contract.ts';
import { sinceTime } from '../cells/time.ts';
import { shortPath } from '../shell/files.ts';

/** Under the notebook's name: where it is, how much was changed and when. */
export function leftWords({ folder, cells, changedAt }: LeftWorkView, home: string, now: number): string {
  const where = folder === null ? [] : [shortPath(folder, home)];
  return [...where, amount(cells), sinceTime(changedAt, now)].join(' · ');
}

/** What restoring does where that is not plain; null where it is. */
export function leftNote({ state }: LeftWorkView): string | null {
  switch (state) {
    case 'changed':
      return 'The file holds a newer version, which stays as it is. Yours opens beside it.';
    case 'gone':
      return 'The file is not there any more. Yours opens as a new notebook.';
    case 'untitled':
      return 'It was never saved.';
    case 'same':
      return null;
  }
}

export function keepLabel({ state }: LeftWorkView): string {
  return state === 'same' || state === 'changed' ? 'Keep the file as it is' : 'Put it away';
}

function amount(cells: number): string {
  if (cells === 0) return 'the whole notebook';
  return cells === 1 ? '1 cell' : `${cells.toLocaleString('en')} cells`;
}
