/**
 * Results under the keys that an agent gave its calls: the same key gives the same result, also while the first call still runs and after the
 * client has connected again. The hard rule: one key never means two things, so another call under a used key is refused.
 */
import { createHash } from 'node:crypto';
import { ToolError } from './errors.ts';

/** Keys kept for each agent; a client that retries does so soon. */
const LIMIT = 500;

interface Remembered {
  call: string;
  result: Promise<unknown>;
}

export class RememberedResults {
  readonly #results = new Map<string, Remembered>();

  /** `call` is everything that the result depends on. Throws ToolError when the key was given to another call. */
  async once<T>(key: string | null, call: unknown, work: () => Promise<T>): Promise<T> {
    if (key === null) return work();
    const digest = createHash('sha256').update(JSON.stringify(call)).digest('base64');
    const known = this.#results.get(key);
    if (known && known.call !== digest)
      throw new ToolError(`The idempotency key ${JSON.stringify(key)} was used for another call. Give each call its own key.`);
    if (known) return known.result as Promise<T>;
    const result = work();
    this.#results.set(key, { call: digest, result });
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= LIMIT) break;
      this.#results.delete(oldest);
    }
    // A call that broke has no result to give again.
    result.catch(() => this.#results.delete(key));
    return result;
  }
}
