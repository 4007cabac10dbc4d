/**
 * The one queue of a session: calls have their turns in the order they came. A turn goes from one call to the next without a moment in which
 * nobody has it, else a newcomer could slip in.
 */
import { WaitingLine } from './waiting-line.ts';

export class Turns {
  readonly #line = new WaitingLine<null, true>();
  #taken = false;

  /** Calls that wait for their turn. */
  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Resolves when it is this call's turn, with the function that ends it. `onWaiting` is told the place in the queue, from 1. Throws the
   * signal's reason, which leaves the order of the others as it was.
   */
  async take(signal: AbortSignal, onWaiting: (position: number) => void = () => {}): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken) await this.#line.wait(null, signal, onWaiting);
    this.#taken = true;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#taken = false;
      this.#line.serve(() => {
        if (this.#taken) return null;
        this.#taken = true;
        return true;
      });
    };
  }
}
