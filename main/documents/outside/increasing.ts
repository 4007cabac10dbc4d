/** The longest increasing run of a sequence: what stayed in order when some of it was moved. In n log n, as notebooks may have ten thousand cells. */

/** Places (ascending) of the longest strictly increasing subsequence of `values`. */
export function longestIncreasing<T extends number | string>(values: readonly T[]): number[] {
  /** Place of the smallest last value of an increasing run of each length. */
  const ends: number[] = [];
  const before = new Int32Array(values.length);
  values.forEach((value, place) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ends[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    before[place] = low > 0 ? ends[low - 1]! : -1;
    ends[low] = place;
  });
  const run: number[] = [];
  for (let place = ends.at(-1) ?? -1; place !== -1; place = before[place]!) run.push(place);
  return run.reverse();
}
