/**
 * The smallest possible store, and subscriptions by topic. React reads both through `useSyncExternalStore`, so a snapshot must keep its
 * identity until it really changes: `set` with the same value tells nobody.
 */
import { useSyncExternalStore } from 'react';

export interface Store<T> {
  get(): T;
  set(next: T | ((previous: T) => T)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const resolved = typeof next === 'function' ? (next as (previous: T) => T)(value) : next;
      if (Object.is(resolved, value)) return;
      value = resolved;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Reads a part of a store; the part must be a primitive or keep its identity, else React renders for ever. */
export function useStorePart<T, Part>(store: Store<T>, part: (value: T) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => part(store.get()));
}

/** Listeners by topic name, so that a change of one cell wakes only what shows that cell. */
export class Topics {
  readonly #listeners = new Map<string, Set<() => void>>();

  on(topic: string, listener: () => void): () => void {
    let set = this.#listeners.get(topic);
    if (!set) {
      set = new Set();
      this.#listeners.set(topic, set);
    }
    set.add(listener);
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#listeners.get(topic) === set) this.#listeners.delete(topic);
    };
  }

  emit(topic: string): void {
    const set = this.#listeners.get(topic);
    if (set) for (const listener of [...set]) listener();
  }
}
