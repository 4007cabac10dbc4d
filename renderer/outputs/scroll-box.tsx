/**
 * Room for long content: some thirty lines that scroll, and all of it on demand. While content grows the box stays at its end, unless
 * the person scrolled up; content that is there from the start begins at its top.
 */
import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import type { JSX, ReactNode } from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useOutputActions } from './output-actions.tsx';
import { watchOverflow } from './overflow.ts';
import styles from './scroll-box.module.css';
import { recall, remember, useViewState } from './view-state.ts';

/** Within this many pixels of the end the person is taken to read the end. */
const END_SLACK = 24;

interface ScrollBoxProps {
  /** Names the box across remounts. */
  stateKey: string;
  /** What is inside, for screen readers. */
  label: string;
  /** Changes when content was added; the box then keeps its end in view. */
  growth?: unknown;
  /** Shown on the button, e.g. `1,234 lines`. */
  amount?: string;
  children: ReactNode;
}

export function ScrollBox(props: ScrollBoxProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { showsAll } = useOutputActions();
  const [isOpen, setOpen] = useViewState<boolean>(`${props.stateKey}/all`, false);
  const showAll = isOpen || showsAll;
  const overflows = useOverflow(box, props.stateKey);
  useTail(box, props.stateKey, props.growth);
  const isTall = !showsAll && (overflows || isOpen);
  return (
    <div className={styles.frame} data-overflows={overflows || undefined} data-all={showAll || undefined}>
      <div className={styles.view}>
        <section
          ref={box}
          className={styles.box}
          data-all={showAll || undefined}
          aria-label={props.label}
          // A region that scrolls must be reachable by keyboard.
          tabIndex={overflows && !showAll ? 0 : undefined}
        >
          {props.children}
        </section>
      </div>
      {isTall && (
        <button type="button" className={styles.more} aria-expanded={showAll} onClick={() => setOpen(!isOpen)}>
          {showAll ? <ChevronsDownUp aria-hidden size={14} /> : <ChevronsUpDown aria-hidden size={14} />}
          {showAll ? 'Show less' : `Show all${props.amount ? ` ${props.amount}` : ''}`}
        </button>
      )}
    </div>
  );
}

/** Until the box was measured, in the frame that first draws it, what it was the last time counts. */
function useOverflow(box: React.RefObject<HTMLDivElement | null>, stateKey: string): boolean {
  const [overflows, setOverflows] = useState(() => recall<boolean>(`${stateKey}/overflows`) ?? false);
  useEffect(() => {
    const node = box.current;
    const content = node?.firstElementChild;
    if (!node || !content) return;
    return watchOverflow(node, content, (now) => {
      setOverflows(now);
      remember(`${stateKey}/overflows`, now);
    });
  }, [box, stateKey]);
  return overflows;
}

function useTail(box: React.RefObject<HTMLDivElement | null>, stateKey: string, growth: unknown): void {
  const follows = useRef(true);
  const seen = useRef(growth);
  useEffect(() => {
    const node = box.current;
    if (!node) return;
    const place = recall<number>(`${stateKey}/scroll`);
    if (place !== undefined) node.scrollTop = place;
    const onScroll = (): void => {
      follows.current = node.scrollTop + node.clientHeight >= node.scrollHeight - END_SLACK;
      remember(`${stateKey}/scroll`, node.scrollTop);
    };
    node.addEventListener('scroll', onScroll, { passive: true });
    return () => node.removeEventListener('scroll', onScroll);
  }, [box, stateKey]);
  useLayoutEffect(() => {
    if (seen.current === growth) return;
    seen.current = growth;
    const node = box.current;
    if (node && follows.current) node.scrollTop = node.scrollHeight;
  }, [box, growth]);
}
