/**
 * Typed events. A listener that throws is reported and the others are still told: one window's trouble must not stop another's kernel.
 */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(payload: never) => void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns the function that ends it. */
  on<N extends keyof Events>(event: N, listener: (payload: Events[N]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  emit<N extends keyof Events>(event: N, payload: Events[N]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        listener(payload as never);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
