/**
 * The cards of a timeline, of which only those near the view exist. At its end the list stays at its end while cards come and grow; away
 * from it, what is read keeps its place on the screen, whatever grows above or comes in.
 */
import type { Virtualizer } from '@tanstack/react-virtual';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, MessageCircleQuestion } from 'lucide-react';
import type { JSX } from 'react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { AgentView } from '../../preload/agent-sessions.ts';
import { anchorIndex, flowGaps, paysByScroll } from '../notebook/anchoring.ts';
import { PointingHand } from '../notebook/pointing-hand.ts';
import { useAnchoredKeys } from '../notebook/use-anchored-keys.ts';
import { CallCard } from './call-card.tsx';
import { CardHeights } from './card-heights.ts';
import { nextCard } from './feed-keys.ts';
import styles from './timeline-list.module.css';
import type { TimelineRow } from './timeline-rows.ts';
import { TurnHead } from './turn-head.tsx';

/** Rows drawn beyond each edge of the view. */
const OVERSCAN = 4;
/** Within this many pixels of the end the person is taken to watch the end. */
const END_SLACK = 32;
/** Older calls are asked for when this few rows are above the view. */
const NEAR_START = 6;
const ROOM = 12;
/** Places are fractions of a pixel, heights are not. */
const ROUNDING = 1;

interface TimelineListProps {
  agent: AgentView;
  rows: readonly TimelineRow[];
  /** Where the scrubber stands: the list goes to its end whenever it moves. */
  until: number | null;
  onNearStart: () => void;
}

export function TimelineList({ agent, rows, until, onNearStart }: TimelineListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const hand = useMemo(() => new PointingHand(), []);
  const atEnd = useRef(true);
  /** Where the list was scrolled to, as far as that is known. */
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);
  const heights = useMemo(() => new CardHeights(), []);
  const width = useWidth(scroller);
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const latest = useRef(rows);
  latest.current = rows;

  const list = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => keys[index] ?? index, [keys]),
    estimateSize: useCallback((index: number) => (rows[index] ? heights.height(rows[index], width) : 0), [rows, heights, width]),
    measureElement: useCallback(
      (element: HTMLDivElement, entry: ResizeObserverEntry | undefined, of: Virtualizer<HTMLDivElement, HTMLDivElement>) => {
        const index = of.indexFromElement(element);
        const observed = entry?.borderBoxSize[0]?.blockSize;
        if (observed === undefined) return of.itemSizeCache.get(of.options.getItemKey(index)) ?? of.options.estimateSize(index);
        const row = latest.current[index];
        if (row) heights.remember(row, width, observed);
        return observed;
      },
      [heights, width],
    ),
    paddingStart: ROOM / 2,
    paddingEnd: ROOM,
    overscan: OVERSCAN,
  });

  const anchor = () =>
    anchorIndex(list.getVirtualItems(), {
      scrollTop: list.scrollOffset ?? 0,
      height: list.scrollRect?.height ?? 0,
      pointerY: hand.y,
      editing: null,
    });
  list.shouldAdjustScrollPositionOnItemSizeChange = (item) => !atEnd.current && paysByScroll(item, anchor(), list.scrollOffset ?? 0);
  // At the end the end is held; nothing above it needs to be.
  useAnchoredKeys(list, keys, () => (atEnd.current ? null : anchor()));

  const pull = useCallback((view: HTMLElement) => {
    view.scrollTop = view.scrollHeight;
    lastTop.current = view.scrollTop;
  }, []);
  const toEnd = useCallback(() => {
    atEnd.current = true;
    setAway(false);
    if (scroller.current) pull(scroller.current);
  }, [pull]);
  // A new width makes every height that was measured wrong.
  useLayoutEffect(() => {
    if (width > 0) list.measure();
  }, [list, width]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scrubber's move is what it answers to
  useLayoutEffect(toEnd, [toEnd, until]);
  useLayoutEffect(() => {
    const view = scroller.current;
    if (!view || !atEnd.current) return;
    // A list that became shorter went up by itself.
    lastTop.current = Math.min(lastTop.current, view.scrollHeight - view.clientHeight);
    // Somebody has just scrolled up, and the event of it comes with the next frame.
    if (view.scrollTop >= lastTop.current - ROUNDING) pull(view);
  });

  const items = list.getVirtualItems();
  const nearStart = (items[0]?.index ?? 0) < NEAR_START;
  const askOlder = useRef(onNearStart);
  askOlder.current = onNearStart;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when a page has come and did not fill the view
  useEffect(() => {
    if (nearStart) askOlder.current();
  }, [nearStart, rows.length]);

  const focusCard = (index: number) => {
    list.scrollToIndex(index, { align: 'auto' });
    // A card that was out of view is drawn first.
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] article`)?.focus());
  };

  const asks = (row: TimelineRow) => row.kind === 'call' && row.call.state === 'approval';
  const asking = rows.findIndex(asks);
  const several = asking >= 0 && asking !== rows.findLastIndex(asks);
  const asksAbove = asking >= 0 && list.range !== null && asking < list.range.startIndex;
  const asksBelow = asking >= 0 && list.range !== null && asking > list.range.endIndex;
  const gaps = flowGaps(items, list.getTotalSize());
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="feed"
        aria-label={`Calls of ${agent.name}`}
        // A region that scrolls must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        onScroll={({ currentTarget: view }) => {
          // A card that grew below the view, when its image came, took nobody away from the end: only a way up does.
          const isUp = view.scrollTop < lastTop.current;
          lastTop.current = view.scrollTop;
          const isAtEnd = view.scrollTop + view.clientHeight >= view.scrollHeight - END_SLACK;
          if (isAtEnd || isUp) atEnd.current = isAtEnd;
          setAway(!atEnd.current);
        }}
        onKeyDown={(event) => {
          const index = nextCard(event, rows.length, (at) => rows[at]?.kind === 'call');
          if (index === null) return;
          event.preventDefault();
          focusCard(index);
        }}
        onPointerMove={(event) => hand.moved(event, event.currentTarget.getBoundingClientRect().top)}
        onPointerLeave={() => hand.left()}
      >
        <div className={styles.page}>
          {items.map((item, place) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <div
                key={row.key}
                ref={list.measureElement}
                className={styles.row}
                data-index={item.index}
                style={{ marginTop: gaps.before[place] }}
              >
                {row.kind === 'turn' ? (
                  <TurnHead row={row} agentId={agent.id} agentName={agent.name} />
                ) : (
                  <CallCard call={row.call} agentName={agent.name} place={item.index + 1} count={rows.length} />
                )}
              </div>
            );
          })}
          <div style={{ height: gaps.after }} />
        </div>
      </div>
      {asksAbove || asksBelow ? (
        <button
          type="button"
          className={styles.jump}
          data-asks
          // Where the question is: there it covers no button of another one.
          data-above={asksAbove || undefined}
          onClick={() => list.scrollToIndex(asking, { align: 'center' })}
        >
          <MessageCircleQuestion size={13} aria-hidden="true" />
          {several ? 'Show the first question' : 'Show the question'}
        </button>
      ) : (
        away && (
          <button type="button" className={styles.jump} onClick={toEnd}>
            <ArrowDown size={13} aria-hidden="true" />
            Newest
          </button>
        )
      )}
    </div>
  );
}

/** The width cards have, in whole pixels; 0 until it is known. */
function useWidth(scroller: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return width;
}
