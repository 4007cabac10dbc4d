/**
 * A document's events with their arguments. Each listener is called even when one before it throws: a window's trouble must not keep another
 * from hearing of a change.
 */

type Listeners<Events extends { [name: string]: unknown[] }> = { [N in keyof Events]?: Set<(...args: Events[N]) => void> };

export class DocumentEvents<Events extends { [name: string]: unknown[] }> {
  #listeners: Listeners<Events> = {};
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns the function that ends the subscription. */
  on<N extends keyof Events>(event: N, listener: (...args: Events[N]) => void): () => void {
    const listeners = this.#listeners[event] ?? new Set<(...args: Events[N]) => void>();
    this.#listeners[event] = listeners;
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
