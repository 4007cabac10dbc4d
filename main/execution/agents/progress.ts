/**
 * Progress at a bounded pace: at most one word per interval, each with everything that is known by then, and the last is never dropped. The first
 * waits for a whole interval as well, so that a call shorter than that says one word at its end and needs no pause before it.
 */

/** Milliseconds between two words (SPEC section 3). */
export const PROGRESS_MS = 100;

export class Progress<T> {
  readonly #tell: (value: T) => void;
  readonly #now: () => T;
  #lastAt: number | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** `now` gives what is to be told at that moment. */
  constructor(now: () => T, tell: (value: T) => void) {
    this.#now = now;
    this.#tell = tell;
  }

  /** There is something to tell. */
  changed(): void {
    this.#timer ??= setTimeout(() => this.#say(), PROGRESS_MS);
  }

  /** Tells what is left to tell. Resolves when it is told: at once, unless the last word was less than an interval ago. */
  async end(): Promise<void> {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    const wait = this.#lastAt === null ? 0 : this.#lastAt + PROGRESS_MS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(wait)));
    this.#say();
  }

  #say(): void {
    this.#timer = null;
    this.#lastAt = performance.now();
    this.#tell(this.#now());
  }
}
