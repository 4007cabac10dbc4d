/**
 * Keeps calls in the order in which they came although each has to look at the disk first: what two calls of one key wait for may end in
 * any order, and they still go on one after the other.
 */

export class Arrivals {
  readonly #last = new Map<string, Promise<unknown>>();

  /** The outcome of `task`, not before those that arrived earlier under this key have theirs. */
  async next<T>(key: string, task: Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const settled = Promise.allSettled([before, task]);
    this.#last.set(key, settled);
    await settled;
    if (this.#last.get(key) === settled) this.#last.delete(key);
    return task;
  }
}
