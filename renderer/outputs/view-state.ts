/**
 * What the person did to an output (collapsed it, opened all of it, asked for it anyway), kept for as long as the window lives. The
 * notebook takes cells out of the page when they are far from view: state inside a component would be lost on the way back.
 */
import { useCallback, useSyncExternalStore } from 'react';

/** Oldest entries go first; a forgotten one only means that a default shows again. */
const MAX_ENTRIES = 20_000;
const kept = new Map<string, unknown>();
const listeners = new Map<string, Set<() => void>>();

export function recall<T>(key: string): T | undefined {
  return kept.get(key) as T | undefined;
}

export function remember(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > MAX_ENTRIES) kept.delete(kept.keys().next().value!);
  for (const listener of listeners.get(key) ?? []) listener();
}

/** Like `useState`, for a value that outlives the component and may be shared. `key` names the output and the choice. */
export function useViewState<T extends string | number | boolean | null>(key: string, initial: T): [T, (value: T) => void] {
  const value = useSyncExternalStore(
    useCallback((listener) => subscribe(key, listener), [key]),
    () => recall<T>(key) ?? initial,
  );
  const set = useCallback((next: T) => remember(key, next), [key]);
  return [value, set];
}

function subscribe(key: string, listener: () => void): () => void {
  const own = listeners.get(key) ?? new Set();
  own.add(listener);
  listeners.set(key, own);
  return () => {
    own.delete(listener);
    if (own.size === 0) listeners.delete(key);
  };
}
