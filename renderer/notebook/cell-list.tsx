/**
 * The cells of a notebook on a page that scrolls. Only those near the view exist; they lie in normal flow between two gaps, so that a cell
 * that grows pushes the next in the same frame. What must not move is held by scrolling with it (anchoring.ts).
 */
import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { JSX } from 'react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { Cell } from '../cells/cell.tsx';
import { InsertLine } from '../cells/insert-line.tsx';
import { useStorePart } from '../shell/store.ts';
import { anchorIndex, drawnIndices, flowGaps, paysByScroll, revealOffset } from './anchoring.ts';
import { DropLine, useCellDrag } from './cell-drag.tsx';
import styles from './cell-list.module.css';
import { CellSizes } from './cell-size.ts';
import type { NotebookController } from './notebook-controller.ts';
import { PointingHand } from './pointing-hand.ts';
import { useAnchoredKeys } from './use-anchored-keys.ts';
import { useHeldTop } from './use-held-top.ts';
import { useKeys } from './use-notebook.ts';
import { usePointedCell } from './use-pointed-cell.ts';

/** Cells drawn beyond each edge of the view: fewer show blank while scrolling, more cost each scroll. */
const OVERSCAN = 4;
/** Room above the first cell and, for reading the last one in the middle of the screen, below it. */
const ROOM_ABOVE = 20;
const ROOM_BELOW = 360;
/** A revealed cell keeps this distance from the edge. */
const MARGIN = 24;

export function CellList({ controller }: { controller: NotebookController }): JSX.Element {
  const { client } = controller;
  const keys = useKeys(client);
  const scroller = useRef<HTMLDivElement>(null);
  const hand = useMemo(() => new PointingHand(), []);
  const sizes = useMemo(() => new CellSizes(client), [client]);
  const active = useStorePart(controller.mode, (mode) => mode.active);
  const pinned = useMemo(() => (active === null ? [] : [keys.indexOf(active)]), [active, keys]);

  const list = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: keys.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => keys[index] ?? index, [keys]),
    estimateSize: useCallback((index: number) => sizes.estimate(keys[index] ?? ''), [sizes, keys]),
    measureElement: observedHeight,
    paddingStart: ROOM_ABOVE,
    paddingEnd: ROOM_BELOW,
    overscan: OVERSCAN,
    rangeExtractor: useCallback(
      (range: { startIndex: number; endIndex: number; overscan: number; count: number }) =>
        drawnIndices(range.startIndex, range.endIndex, range.overscan, range.count, pinned),
      [pinned],
    ),
    initialOffset: controller.page.scrollMemory?.offset ?? 0,
    initialMeasurementsCache: (controller.page.scrollMemory?.measurements as VirtualItem[] | undefined) ?? [],
  });

  const anchor = () => {
    const { mode, active: editing } = controller.mode.get();
    return anchorIndex(list.getVirtualItems(), {
      scrollTop: list.scrollOffset ?? 0,
      height: list.scrollRect?.height ?? 0,
      pointerY: hand.y,
      editing: mode === 'edit' && editing !== null ? client.keys.indexOf(editing) : null,
    });
  };
  list.shouldAdjustScrollPositionOnItemSizeChange = (item) => paysByScroll(item, anchor(), list.scrollOffset ?? 0);
  useAnchoredKeys(list, keys, anchor);
  useHeldTop(scroller);
  usePointedCell(controller, scroller);
  const drag = useCellDrag(controller, list, scroller);

  useEffect(() => {
    controller.page.list = {
      reveal: (key) => revealCell(list, client.keys.indexOf(key)),
      revealLine: (top, bottom) => revealLine(scroller.current, top, bottom),
      startDrag: drag.start,
    };
    return () => {
      controller.page.scrollMemory = { offset: list.scrollOffset ?? 0, measurements: list.measurementsCache };
      controller.page.list = null;
    };
  }, [controller, client, list, drag.start]);

  const items = list.getVirtualItems();
  const gaps = flowGaps(items, list.getTotalSize());
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      // The page is scrolled with the pointer or from its cells; it is no stop of its own.
      tabIndex={-1}
      onScroll={() => {
        controller.page.scrolledAt = performance.now();
      }}
      onPointerMove={(event) => hand.moved(event, event.currentTarget.getBoundingClientRect().top)}
      onPointerLeave={() => hand.left()}
    >
      <div className={styles.page} role="feed" aria-label={`Cells of ${client.document.title}`} data-cell-count={keys.length}>
        {items.map((item, place) => {
          const key = keys[item.index];
          if (key === undefined) return null;
          return (
            <div key={key} ref={list.measureElement} data-index={item.index} style={{ marginTop: gaps.before[place] }}>
              {item.index === 0 && (
                <div className={styles.first}>
                  <InsertLine controller={controller} index={0} />
                </div>
              )}
              <Cell controller={controller} cellKey={key} index={item.index} count={keys.length} />
              <InsertLine controller={controller} index={item.index + 1} always={item.index === keys.length - 1} />
            </div>
          );
        })}
        <div style={{ height: gaps.after }} />
        <DropLine drag={drag.state} />
      </div>
    </div>
  );
}

/**
 * Heights come from the observer alone, in the frame that draws the cell: asking the element would lay the page out once more for each.
 * Unrounded: rounding would add up to a visible shift over the cells that are not drawn.
 */
function observedHeight(
  element: HTMLDivElement,
  entry: ResizeObserverEntry | undefined,
  list: Virtualizer<HTMLDivElement, HTMLDivElement>,
): number {
  const observed = entry?.borderBoxSize[0]?.blockSize;
  if (observed !== undefined) return observed;
  const index = list.indexFromElement(element);
  return list.itemSizeCache.get(list.options.getItemKey(index)) ?? list.options.estimateSize(index);
}

type List = ReturnType<typeof useVirtualizer<HTMLDivElement, HTMLDivElement>>;

function revealCell(list: List, index: number): void {
  const item = list.measurementsCache[index];
  if (index < 0 || !item) return;
  const offset = revealOffset(item, { scrollTop: list.scrollOffset ?? 0, height: list.scrollRect?.height ?? 0 }, MARGIN);
  if (offset === null) return;
  // A cell that was never drawn has only an estimate: the list scrolls there and corrects itself once it is measured.
  if (list.itemSizeCache.has(item.key)) list.scrollToOffset(offset);
  else list.scrollToIndex(index, { align: 'auto' });
}

function revealLine(scroller: HTMLElement | null, top: number, bottom: number): void {
  if (!scroller) return;
  const box = scroller.getBoundingClientRect();
  const view = { scrollTop: scroller.scrollTop, height: box.height };
  const shift = scroller.scrollTop - box.top;
  const offset = revealOffset({ start: top + shift, end: bottom + shift }, view, MARGIN);
  if (offset !== null) scroller.scrollTop = offset;
}
