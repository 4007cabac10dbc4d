/** How several texts share one limit: short ones are kept whole, and the long ones get the same of what is left. Pure. */

/** The limit of each size. Together they are at most `total`, unless there are more texts than bytes. */
export function shares(sizes: readonly number[], total: number): number[] {
  const limits = sizes.map(() => 0);
  let room = total;
  let left = sizes.length;
  const ascending = [...sizes.keys()].sort((a, b) => sizes[a]! - sizes[b]!);
  for (const index of ascending) {
    const limit = Math.floor(room / left);
    limits[index] = Math.min(sizes[index]!, limit);
    room -= limits[index]!;
    left -= 1;
  }
  return limits;
}
