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
    let timer: ReturnType<typeof setTimeout> | undefined;

    const restOn = (key: string | null) => {
      clearTimeout(timer);
      if (key === controller.page.restedOn.get()) return;
      const take = () => {
        if (key !== null && performance.now() - controller.page.scrolledAt < STILL_MS) timer = setTimeout(take, STILL_MS);
        else controller.page.restedOn.set(key);
      };
      timer = setTimeout(take, key === null ? KEEP_MS : REST_MS);
    };
    const onPointerOver = ({ target }: PointerEvent) => {
      const element = target instanceof Element && scroller.current?.contains(target) ? target : null;
      controller.page.pointed.set(element?.closest<HTMLElement>('[data-cell-key]')?.dataset.cellKey ?? null);
      const source = element?.closest('[data-source]');
      restOn(source?.closest<HTMLElement>('[data-cell-key]')?.dataset.cellKey ?? null);
    };
    const onLeave = () => {
      controller.page.pointed.set(null);
      restOn(null);
    };

    document.addEventListener('pointerover', onPointerOver, { passive: true });
    document.documentElement.addEventListener('pointerleave', onLeave);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerover', onPointerOver);
      document.documentElement.removeEventListener('pointerleave', onLeave);
      controller.page.pointed.set(null);
      controller.page.restedOn.set(null);
    };
  }, [controller, scroller]);
}
