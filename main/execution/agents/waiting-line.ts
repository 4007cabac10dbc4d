/**
 * A line in which calls wait for something, first come first served. Waiting ends early when its signal is aborted, which leaves the order of
 * the others as it was; each is told when its place changes.
 */

interface Waiting<Item, Result> {
  item: Item;
  moved: (position: number) => void;
  position: number;
  enter: (result: Result) => void;
  refuse: (reason: unknown) => void;
}

export class WaitingLine<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  /** Resolves with what it is admitted with. `moved` is told the place in the line, from 1. Throws the signal's reason, or that of `refuse`. */
  wait(item: Item, signal: AbortSignal, moved: (position: number) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        this.#tell();
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      const leave = (): void => signal.removeEventListener('abort', stop);
      const waiting: Waiting<Item, Result> = {
        item,
        moved,
        position: 0,
        enter: (result) => {
          leave();
          resolve(result);
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.#waiting.push(waiting);
      this.#tell();
    });
  }

  /** Asks for each in order whether it may enter: null leaves it in its place. */
  serve(admit: (item: Item) => Result | null): void {
    for (const waiting of [...this.#waiting]) {
      const result = admit(waiting.item);
      if (result === null) continue;
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      waiting.enter(result);
    }
    this.#tell();
  }

  /** Sends everybody away. */
  refuse(reason: unknown): void {
    for (const waiting of this.#waiting.splice(0)) waiting.refuse(reason);
  }

  #tell(): void {
    this.#waiting.forEach((waiting, index) => {
      if (waiting.position === index + 1) return;
      waiting.position = index + 1;
      waiting.moved(waiting.position);
    });
  }
}
