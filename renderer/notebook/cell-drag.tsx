/**
 * Moving cells by the handle in the gutter: a line shows where they would go, the page scrolls when the pointer comes near its edge, Escape
 * gives up. Cells are not drawn anew while they are dragged: only the line moves.
 */
import type { useVirtualizer } from '@tanstack/react-virtual';
import type { JSX } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { DropPlace } from './anchoring.ts';
import { dropPlace } from './anchoring.ts';
import styles from './cell-list.module.css';
import type { NotebookController } from './notebook-controller.ts';

type List = ReturnType<typeof useVirtualizer<HTMLDivElement, HTMLDivElement>>;

/** Distance from the edge (pixels) where the page begins to scroll, and how far it goes each frame. */
const EDGE = 48;
const SCROLL_STEP = 12;

export interface CellDrag {
  state: DropPlace | null;
  start: (key: string, event: PointerEvent) => void;
}

export function useCellDrag(controller: NotebookController, list: List, scroller: { current: HTMLDivElement | null }): CellDrag {
  const [state, setState] = useState<DropPlace | null>(null);
  const end = useRef<(() => void) | null>(null);
  useEffect(() => () => end.current?.(), []);

  const start = useCallback(
    (key: string, event: PointerEvent) => {
      const page = scroller.current;
      if (!page) return;
      event.preventDefault();
      if (!controller.selected.includes(key)) controller.select(key);
      const moving = controller.selected;
      let drop: DropPlace | null = null;
      let pointer = event.clientY;
      let frame = 0;

      const follow = () => {
        const box = page.getBoundingClientRect();
        if (pointer < box.top + EDGE) page.scrollTop -= SCROLL_STEP;
        else if (pointer > box.bottom - EDGE) page.scrollTop += SCROLL_STEP;
        drop = dropPlace(list.getVirtualItems(), pointer - box.top + page.scrollTop, controller.client.keys.length);
        setState(drop);
        frame = requestAnimationFrame(follow);
      };
      const move = (moved: PointerEvent) => {
        pointer = moved.clientY;
        if (frame === 0 && Math.abs(pointer - event.clientY) > 4) follow();
      };
      const stop = (place: boolean) => {
        cancelAnimationFrame(frame);
        window.removeEventListener('pointermove', move);
        window.removeEventListener('pointerup', up);
        window.removeEventListener('keydown', giveUp, { capture: true });
        end.current = null;
        setState(null);
        if (place && drop) controller.place(moving, drop.index);
      };
      const up = () => stop(true);
      const giveUp = (pressed: KeyboardEvent) => {
        if (pressed.key !== 'Escape') return;
        pressed.stopPropagation();
        stop(false);
      };
      window.addEventListener('pointermove', move);
      window.addEventListener('pointerup', up);
      window.addEventListener('keydown', giveUp, { capture: true });
      end.current = () => stop(false);
    },
    [controller, list, scroller],
  );
  return { state, start };
}

export function DropLine({ drag }: { drag: DropPlace | null }): JSX.Element | null {
  return drag && <div className={styles.drop} style={{ top: drag.top }} />;
}
