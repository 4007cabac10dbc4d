/**
 * The one queue of a session: calls have their turns in the order they came. Waiting ends early when its signal is aborted, which leaves the
 * order of the others as it was; each is told when its place changes.
 */

interface Waiting {
  enter: () => void;
  moved: (position: number) => void;
}

export class Turns {
  #waiting: Waiting[] = [];
  #taken = false;

  /** Calls that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves when it is this call's turn, with the function that ends it (to be called once). `onWaiting` is told the place in the queue, from 1.
   * Throws the signal's reason.
   */
  async take(signal: AbortSignal, onWaiting: (position: number) => void = () => {}): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken) await this.#wait(signal, onWaiting);
    this.#taken = true;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#next();
    };
  }

  #wait(signal: AbortSignal, moved: (position: number) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        this.#tell();
        reject(signal.reason);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const waiting = { enter, moved };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.push(waiting);
      moved(this.#waiting.length);
    });
  }

  /** The turn goes on to the next without a moment in which nobody has it: else a newcomer could slip in. */
  #next(): void {
    const next = this.#waiting.shift();
    if (!next) {
      this.#taken = false;
      return;
    }
    next.enter();
    this.#tell();
  }

  #tell(): void {
    this.#waiting.forEach(({ moved }, index) => {
      moved(index + 1);
    });
  }
}
