/**
 * Interrupting one run. A signal that reaches the kernel before it has begun the code has no effect, so an interrupt waits for that; and code may
 * ignore it, so somebody is told when it goes on.
 */
import type { Kernel } from '../kernels/kernel.ts';

/** A kernel that never says that it began is interrupted after this. */
const BEGIN_LIMIT_MS = 1_000;
/** Code that goes on this long after an interrupt is taken to ignore it. */
const EFFECT_LIMIT_MS = 10_000;

export class RunInterrupt {
  readonly #onIgnored: () => void;
  #begin: () => void = () => {};
  readonly #begun: Promise<void>;
  #ended = false;
  #asked = false;
  #limit: NodeJS.Timeout | null = null;

  constructor(onIgnored: () => void) {
    this.#onIgnored = onIgnored;
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** Somebody wants the run to end. */
  get asked(): boolean {
    return this.#asked;
  }

  /** The kernel works on the code. */
  begun(): void {
    this.#begin();
  }

  /** The run is over. */
  ended(): void {
    this.#ended = true;
    this.#begin();
    if (this.#limit) clearTimeout(this.#limit);
  }

  /** Resolves when the interrupt was sent, or isn't needed any more. */
  async send(kernel: Kernel): Promise<void> {
    this.#asked = true;
    const waited = setTimeout(this.#begin, BEGIN_LIMIT_MS);
    await this.#begun;
    clearTimeout(waited);
    if (this.#ended) return;
    await kernel.interrupt();
    if (this.#limit) clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.#onIgnored(), EFFECT_LIMIT_MS);
    this.#limit.unref();
  }
}
