/**
 * The order of cells after both sides changed it. What only they moved or added goes after the cell it follows there; where both moved the
 * same cell, the order here stays, since a cell must not jump under the person's hands.
 */
import { longestIncreasing } from './increasing.ts';

/** Keys of `kept` (each in `mine` or `theirs`) in their new order. */
export function mergeOrder(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  kept: ReadonlySet<string>,
): string[] {
  const here = new Set(mine);
  const movedHere = movedKeys(base, mine);
  const movedThere = movedKeys(base, theirs);
  const floats = (key: string): boolean => !here.has(key) || (movedThere.has(key) && !movedHere.has(key));
  const there = new Set(theirs);
  const stable = mine.filter((key) => kept.has(key) && !(there.has(key) && floats(key)));
  const anchors = new Set(stable);
  const first: string[] = [];
  const following = new Map<string, string[]>();
  let list = first;
  for (const key of withDeleted(base, theirs, kept)) {
    if (anchors.has(key)) {
      list = following.get(key) ?? [];
      following.set(key, list);
    } else if (kept.has(key)) list.push(key);
  }
  return [...first, ...stable.flatMap((key) => [key, ...(following.get(key) ?? [])])];
}

/** Their order with the cells that they deleted and that stay all the same, each after the cell it followed before. */
function withDeleted(base: readonly string[], theirs: readonly string[], kept: ReadonlySet<string>): string[] {
  const there = new Set(theirs);
  const first: string[] = [];
  const following = new Map<string, string[]>();
  let list = first;
  for (const key of base) {
    if (there.has(key)) {
      list = [];
      following.set(key, list);
    } else if (kept.has(key)) list.push(key);
  }
  return [...first, ...theirs.flatMap((key) => [key, ...(following.get(key) ?? [])])];
}

/** Keys of `base` that had to be moved to get the order of `now`: the fewest possible. */
function movedKeys(base: readonly string[], now: readonly string[]): Set<string> {
  const places = new Map(base.map((key, place) => [key, place]));
  const common = now.filter((key) => places.has(key));
  const stayed = new Set(longestIncreasing(common.map((key) => places.get(key)!)).map((place) => common[place]!));
  return new Set(common.filter((key) => !stayed.has(key)));
}
