/**
 * What a client is told while its call goes on, at the pace that it may be told: waiting for a person, waiting for a kernel and progress speak at the
 * same time and know nothing of each other. The last word is never dropped: the answer comes after it.
 */
import { PROGRESS_MS } from '../execution/agents/progress.ts';

export class PacedTell {
  readonly #send: (message: string) => void;
  #lastAt: number | null = null;
  /** The newest word that may not be said yet. */
  #held: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  tell(message: string): void {
    this.#held = message;
    const wait = this.#wait;
    if (wait <= 0) this.#say();
    else this.#timer ??= setTimeout(() => this.#say(), wait);
  }

  /** Resolves when the last word is said. */
  async end(): Promise<void> {
    if (this.#held === null) return;
    if (this.#timer) clearTimeout(this.#timer);
    await new Promise((resolve) => setTimeout(resolve, this.#wait));
    this.#say();
  }

  /** Nobody listens any more. */
  drop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#held = null;
  }

  /** Milliseconds until a word may be said. */
  get #wait(): number {
    return this.#lastAt === null ? 0 : Math.ceil(Math.max(0, this.#lastAt + PROGRESS_MS - performance.now()));
  }

  #say(): void {
    const message = this.#held;
    this.#timer = null;
    this.#held = null;
    if (message === null) return;
    this.#lastAt = performance.now();
    this.#send(message);
  }
}
