/** What the window says about work that a crash left: short, and without alarm. */
import type { LeftWorkView } from '../../preload/contract.ts';
import type { KeptVersionView } from '../../preload/kept-versions.ts';
import { sinceTime } from '../cells/time.ts';
import { shortPath } from '../shell/files.ts';

/** Under the notebook's name: where it is, how much was changed and when. */
export function leftWords(
  { folder, cells, changedAt }: Pick<LeftWorkView, 'folder' | 'cells' | 'changedAt'>,
  home: string,
  now: number,
): string {
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

/** Under a kept version's name. */
export function keptWords(version: KeptVersionView, home: string, now: number): string {
  if (version.state !== 'unreadable') return leftWords(version, home, now);
  return [version.folder === null ? '' : shortPath(version.folder, home), sinceTime(version.changedAt, now)].join(' · ');
}

/** In the foot of the list. */
export function keptCount(count: number): string {
  if (count === 0) return 'Changes that you discard are kept here for two weeks.';
  return count === 1 ? '1 version is kept.' : `${count} versions are kept.`;
}

/** How the file is now, where that is not plain from the comparison. */
export function keptNote({ state }: KeptVersionView): string {
  switch (state) {
    case 'gone':
      return 'The file is not there any more.';
    case 'untitled':
      return 'It was never saved.';
    case 'unreadable':
      return 'Its record lies in the folder named in the list.';
    case 'same':
    case 'changed':
      return 'The file stays as it is.';
  }
}

function amount(cells: number): string {
  if (cells === 0) return 'the whole notebook';
  return cells === 1 ? '1 cell' : `${cells.toLocaleString('en')} cells`;
}
