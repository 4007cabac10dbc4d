/**
 * A document's events with their arguments. Each listener is called even when one before it throws: a window's trouble must not keep another
 * from hearing of a change.
 */
import type { RawOutputChange } from '../execution/run-protocol.ts';
import type { OutputsReset } from './document-outputs.ts';
import type { OutsideNotice } from './outside/outside-changes.ts';

export type Events = {
  update: [update: Uint8Array, origin: unknown];
  outputs: [key: string, changes: readonly RawOutputChange[]];
  /** Outputs were cleared by hand, or others took their place, and not by a run. */
  reset: [key: string, how: OutputsReset];
  /** Which outputs are stale may have changed. */
  freshness: [];
  state: [];
  /** What no other event tells: counts of these cells; without keys the notebook's metadata. */
  touched: [keys: readonly string[]];
  /** An edit gave a cell line ends of its own, which are not in the shared model. */
  spelled: [key: string];
  /** Something came in from the disk. */
  outside: [notice: OutsideNotice];
};

type Listeners = { [N in keyof Events]?: Set<(...args: Events[N]) => void> };

export class DocumentEvents {
  #listeners: Listeners = {};
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns the function that ends the subscription. */
  on<N extends keyof Events>(event: N, listener: (...args: Events[N]) => void): () => void {
    const listeners: Set<(...args: Events[N]) => void> = this.#listeners[event] ?? new Set();
    this.#listeners[event] = listeners as Listeners[N];
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<N extends keyof Events>(event: N, ...args: Events[N]): void {
    for (const listener of [...(this.#listeners[event] ?? [])]) {
      try {
        listener(...args);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  clear(): void {
    this.#listeners = {};
  }
}
