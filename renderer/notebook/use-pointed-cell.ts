/**
 * Which cell the pointer is on, and on whose source it has come to rest. Watched in one place for the whole window: a cell that waits for
 * the pointer to leave it waits in vain when what was under the pointer is taken away, as static text is when an editor takes its place.
 */
import { useEffect } from 'react';
import type { NotebookController } from './notebook-controller.ts';

/** The pointer must rest this long (milliseconds) before a cell gets an editor: passing over the page must cost nothing. */
const REST_MS = 90;
/** And the cell keeps it this long after the pointer has gone. */
const KEEP_MS = 600;
/** Scrolling is over when nothing has moved for this long. */
const STILL_MS = 150;

export function usePointedCell(controller: NotebookController, scroller: { current: HTMLElement | null }): void {
  useEffect(() => {
    const { page } = controller;
    let under: Element | null = null;
    let pointTimer: ReturnType<typeof setTimeout> | undefined;
    let restTimer: ReturnType<typeof setTimeout> | undefined;

    const rest = () => {
      const key = cellKeyOf(under?.closest('[data-source]') ?? null);
      clearTimeout(restTimer);
      if (key !== page.restedOn.get()) restTimer = setTimeout(() => page.restedOn.set(key), key === null ? KEEP_MS : REST_MS);
    };
    // Cells that pass under the pointer while the page scrolls get nothing drawn for them.
    const point = () => {
      clearTimeout(pointTimer);
      if (performance.now() - page.scrolledAt < STILL_MS) {
        pointTimer = setTimeout(point, STILL_MS);
        return;
      }
      page.pointed.set(cellKeyOf(under));
      rest();
    };
    const onPointerOver = ({ target }: PointerEvent) => {
      under = target instanceof Element && scroller.current?.contains(target) ? target : null;
      point();
    };
    const onLeave = () => {
      under = null;
      point();
    };

    document.addEventListener('pointerover', onPointerOver, { passive: true });
    document.documentElement.addEventListener('pointerleave', onLeave);
    return () => {
      clearTimeout(pointTimer);
      clearTimeout(restTimer);
      document.removeEventListener('pointerover', onPointerOver);
      document.documentElement.removeEventListener('pointerleave', onLeave);
      page.pointed.set(null);
      page.restedOn.set(null);
    };
  }, [controller, scroller]);
}

function cellKeyOf(element: Element | null): string | null {
  return element?.closest<HTMLElement>('[data-cell-key]')?.dataset.cellKey ?? null;
}
