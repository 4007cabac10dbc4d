/**
 * At most one call per interval: the first at once, what comes meanwhile together at the end of the interval. `now` settles what is due
 * before something else may be sent, for order.
 */
export class Paced {
  readonly #intervalMs: number;
  readonly #action: () => void;
  #due = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(intervalMs: number, action: () => void) {
    this.#intervalMs = intervalMs;
    this.#action = action;
  }

  /** Asks for a call. Several requests in one turn of the event loop make one call. */
  request(): void {
    this.#due = true;
    this.#timer ??= setTimeout(() => this.#tick(), 0);
  }

  /** Makes the call that is due, if one is. */
  now(): void {
    if (!this.#due) return;
    this.#due = false;
    this.#action();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#due = false;
  }

  #tick(): void {
    if (!this.#due) {
      this.#timer = null;
      return;
    }
    this.#timer = setTimeout(() => this.#tick(), this.#intervalMs);
    this.now();
  }
}
