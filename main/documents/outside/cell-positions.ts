/** Position keys for a new order of cells, so that as few cells as possible get another: every other move would be one that nobody made. */
import { generateNKeysBetween } from 'fractional-indexing';
import { longestIncreasing } from './increasing.ts';

/** Positions for the cells that need one: those without (`null`) and those that are out of order. `present` holds a position per cell of `order`. */
export function newPositions(order: readonly string[], present: ReadonlyMap<string, string>): Map<string, string> {
  const placed = order.filter((key) => present.has(key));
  const stay = new Set(longestIncreasing(placed.map((key) => present.get(key)!)).map((place) => placed[place]!));
  const positions = new Map<string, string>();
  let before: string | null = null;
  let run: string[] = [];
  const fill = (after: string | null): void => {
    const keys = generateNKeysBetween(before, after, run.length);
    run.forEach((key, index) => {
      positions.set(key, keys[index]!);
    });
    run = [];
  };
  for (const key of order) {
    if (!stay.has(key)) {
      run.push(key);
      continue;
    }
    const position = present.get(key)!;
    fill(position);
    before = position;
  }
  fill(null);
  return positions;
}
