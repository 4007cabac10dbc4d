/**
 * Which content each output's address stands for. Every output that comes or is replaced gets a number that its notebook never used
 * before, so an address is never reused for other content. Outputs from the file have number 0.
 */
import type { RawOutputChange } from '../execution/run-protocol.ts';

/** Where each change of a batch lands, given how many outputs the cell has after all of them. */
export function changeIndices(changes: readonly RawOutputChange[], finalCount: number): number[] {
  const lastClear = changes.findLastIndex((change) => change.op === 'clear');
  const appends = (list: readonly RawOutputChange[]) => list.filter((change) => change.op === 'append').length;
  // Without a clear, the count before is the count after less what was added. What a clear removes needs no right place.
  let count = lastClear === -1 ? finalCount - appends(changes) : 0;
  return changes.map((change) => {
    switch (change.op) {
      case 'append':
        count += 1;
        return count - 1;
      case 'clear':
        count = 0;
        return 0;
      default:
        return change.index;
    }
  });
}

export class OutputRevisions {
  readonly #cells = new Map<string, number[]>();
  #last = 0;

  revision(key: string, index: number): number {
    return this.#cells.get(key)?.[index] ?? 0;
  }

  /** Records one change at its index and gives the revision of the output it made (0 for changes that make none). */
  record(key: string, change: RawOutputChange, index: number): number {
    if (change.op === 'text') return this.revision(key, index);
    const numbers = this.#cells.get(key) ?? [];
    this.#cells.set(key, numbers);
    if (change.op === 'clear') {
      numbers.length = 0;
      return 0;
    }
    this.#last += 1;
    numbers[index] = this.#last;
    return this.#last;
  }
}
