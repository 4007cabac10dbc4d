/**
 * Keeps what the person looks at in its place when cells come, go or move above it (an agent inserts a cell, another window deletes one).
 * What counts is where the anchor was before the change and is after it, so both are taken around the drawing of the new order.
 */
import type { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';

type List = ReturnType<typeof useVirtualizer<HTMLDivElement, HTMLDivElement>>;

export function useAnchoredKeys(list: List, keys: readonly string[], anchor: () => number | null): void {
  const before = useRef<{ keys: readonly string[]; anchor: string | null; start: number }>({ keys, anchor: null, start: 0 });

  useLayoutEffect(() => {
    const last = before.current;
    if (last.keys !== keys && last.anchor !== null) {
      const index = keys.indexOf(last.anchor);
      const start = index < 0 ? undefined : list.measurementsCache[index]?.start;
      if (start !== undefined && start !== last.start) list.scrollBy(start - last.start);
    }
  }, [list, keys]);

  // After every drawing, for the next change.
  useLayoutEffect(() => {
    const index = anchor();
    const key = index === null ? null : (keys[index] ?? null);
    before.current = { keys, anchor: key, start: (index === null ? undefined : list.measurementsCache[index]?.start) ?? 0 };
  });
}
