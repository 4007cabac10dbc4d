/**
 * When main is told that a kernel is busy or idle. Most cells end within a frame of the screen, and telling that they began wakes main just while
 * the kernel needs the processor: so `busy` waits that long and is dropped when it is over by then. `idle` is never held back or left out, since
 * an interrupt waits for it.
 */

/** One frame of the screen. Longer, and the mark of a busy kernel would lag behind what is seen. */
const BUSY_AFTER_MS = 16;

export class StatusTelling {
  readonly #tell: (status: 'busy' | 'idle') => void;
  #busySoon: NodeJS.Timeout | null = null;

  constructor(tell: (status: 'busy' | 'idle') => void) {
    this.#tell = tell;
  }

  heard(status: 'busy' | 'idle'): void {
    if (status === 'busy') {
      this.#busySoon ??= setTimeout(() => {
        this.#busySoon = null;
        this.#tell('busy');
      }, BUSY_AFTER_MS);
      return;
    }
    this.stop();
    this.#tell('idle');
  }

  /** Nothing more is told of what was heard until now. */
  stop(): void {
    if (this.#busySoon) clearTimeout(this.#busySoon);
    this.#busySoon = null;
  }
}
