/**
 * Whether a version of a notebook is another one with every cell twice: how a client leaves it that loaded a file into what had it already. Nobody
 * writes that on purpose behind a window, and once taken in it would look like work of one's own. Pure.
 */
import type { CellBase } from '../cell-record.ts';
import type { DiskCell } from './read-version.ts';

/** One cell that is there twice may be somebody's copy of it. */
const FEWEST = 2;

export function isDoubled(known: readonly Pick<CellBase, 'type' | 'text'>[], found: readonly DiskCell[]): boolean {
  const count = known.length;
  if (count < FEWEST || found.length !== 2 * count) return false;
  const is = (place: number, of: number): boolean => {
    const { type, source } = found[place]!.fields;
    return type === known[of]!.type && source === known[of]!.text;
  };
  const appended = known.every((_cell, place) => is(place, place) && is(place + count, place));
  return appended || known.every((_cell, place) => is(2 * place, place) && is(2 * place + 1, place));
}
