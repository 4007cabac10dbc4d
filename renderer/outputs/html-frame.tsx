/**
 * HTML, JavaScript, plots and SVG with scripts, in a sandboxed frame of an opaque origin. The frame says how tall it is; until then the last
 * known height keeps its place, so that nothing jumps when an output comes back into view.
 */
import type { JSX } from 'react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isPlot } from '../../preload/frame-types.ts';
import { byteWords } from './amounts.ts';
import { useDarkTheme } from './dark-theme.ts';
import { listenToFrame } from './frame-messages.ts';
import styles from './html-frame.module.css';
import { useOutputActions } from './output-actions.tsx';
import { OutputNote } from './output-note.tsx';
import { recall, remember, useViewState } from './view-state.ts';
import { type FrameRequest, joinWidgets, requestForFrame, type WidgetFrameLink } from './widget-channel.ts';

/** Larger pages can stop the window's own drawing, so they are shown only when asked for. */
export const MAX_UNASKED_BYTES = 2_000_000;
/** A plot's data is mostly numbers: much of it makes few elements. */
const MAX_UNASKED_PLOT_BYTES = 20_000_000;
/** Taller content scrolls inside, until all of it is asked for. */
const MAX_HEIGHT = 640;
const MAX_OPEN_HEIGHT = 30_000;
const FIRST_HEIGHT = 80;
/** A page that is loaded again is small at first: its last height is kept for this long before it may shrink. */
const SETTLE_MS = 1000;
/** How far outside the view a frame is loaded, in pixels. */
const NEAR = 800;

interface HtmlFrameProps {
  url: string;
  bytes: number;
  mime: string;
  trusted: boolean;
  title: string;
  onTrust: () => void;
  /** The notebook whose widgets this frame shows; absent for a frame that has none of them. */
  widgetsOf?: string;
}

export const HtmlFrame = memo(function HtmlFrame(props: HtmlFrameProps): JSX.Element {
  const [isWanted, setWanted] = useViewState<boolean>(`frame/${props.url}/wanted`, false);
  const [isHeld, setHeld] = useState(false);
  const isScript = /javascript/.test(props.mime);
  if (props.bytes > (isPlot(props.mime) ? MAX_UNASKED_PLOT_BYTES : MAX_UNASKED_BYTES) && !isWanted) {
    return (
      <OutputNote action={{ label: 'Show anyway', run: () => setWanted(true) }}>
        {isPlot(props.mime) ? 'A plot' : 'HTML'} of {byteWords(props.bytes)} is held back, so that the window stays quick.
      </OutputNote>
    );
  }
  const isHidden = isScript && !props.trusted;
  return (
    <>
      {!props.trusted && (isHeld || isScript) && (
        <div className={styles.held}>
          <OutputNote action={{ label: 'Trust this notebook', run: props.onTrust }} live>
            Scripts are held back.
          </OutputNote>
        </div>
      )}
      {!isHidden && <Frame key={String(props.trusted)} {...props} onHeld={() => setHeld(true)} />}
    </>
  );
});

function Frame(props: HtmlFrameProps & { onHeld: () => void }): JSX.Element {
  const { url, onHeld } = props;
  const actions = useOutputActions();
  const dark = useDarkTheme();
  const frame = useRef<HTMLIFrameElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [height, tellHeight] = useFrameHeight(heightKey(url));
  const [isOpen, setOpen] = useViewState<boolean>(`frame/${url}/all`, false);
  const showAll = isOpen || actions.showsAll;
  const isNear = useNear(box);
  // The theme at the first load is part of the address; later changes are told to the page, which keeps its state.
  const [firstDark] = useState(dark);
  const widgetRequest = useWidgets(frame, isNear ? props.widgetsOf : undefined);

  useEffect(() => {
    const page = isNear ? frame.current?.contentWindow : null;
    if (!page) return;
    return listenToFrame(page, (message) => {
      if (message.kind === 'size') tellHeight(message.height);
      else if (message.kind === 'held') onHeld();
      else if (message.kind === 'widget') widgetRequest(message.request);
      // A script may send this by itself; only a press of the person's opens a page.
      else if (navigator.userActivation.isActive) actions.openLink(message.url);
    });
  }, [isNear, tellHeight, actions, onHeld, widgetRequest]);

  useEffect(() => {
    if (isNear) frame.current?.contentWindow?.postMessage({ cellwright: 'theme', dark }, '*');
  }, [isNear, dark]);

  const limit = showAll ? MAX_OPEN_HEIGHT : MAX_HEIGHT;
  return (
    <div ref={box} className={styles.frame} style={{ height: Math.min(Math.max(height, 1), limit) }}>
      {isNear && (
        <iframe
          ref={frame}
          className={styles.page}
          src={`${url}${url.includes('?') ? '&' : '?'}theme=${firstDark ? 'dark' : 'light'}`}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          title={props.title}
        />
      )}
      {height > MAX_HEIGHT && !actions.showsAll && (
        <button type="button" className={styles.more} aria-expanded={showAll} onClick={() => setOpen(!isOpen)}>
          {showAll ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}

function heightKey(url: string): string {
  return `frame/${url}/height`;
}

/** The height that a page had the last time; undefined for one that was never shown. */
export function knownFrameHeight(url: string): number | undefined {
  return recall<number>(heightKey(url));
}

/** Passes on to a frame what happens to widgets; gives what passes on what it asks for. */
function useWidgets(frame: React.RefObject<HTMLIFrameElement | null>, docId: string | undefined): (request: FrameRequest) => void {
  const link = useMemo<WidgetFrameLink>(
    () => ({ tell: (news) => frame.current?.contentWindow?.postMessage({ cellwright: 'widget', news }, '*') }),
    [frame],
  );
  useEffect(() => (docId === undefined ? undefined : joinWidgets(docId, link)), [docId, link]);
  return useCallback(
    (asked: FrameRequest) => {
      // A frame that shows no widgets has no business with them.
      if (docId !== undefined) void requestForFrame(docId, asked, link);
    },
    [docId, link],
  );
}

/** The height of the page, starting with the one it had the last time. */
function useFrameHeight(key: string): [number, (height: number) => void] {
  const [height, setHeight] = useState(() => recall<number>(key) ?? FIRST_HEIGHT);
  const mounted = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    mounted.current = performance.now();
    return () => clearTimeout(timer.current);
  }, []);
  const tell = useCallback(
    (told: number) => {
      const apply = (): void => {
        remember(key, told);
        setHeight(told);
      };
      clearTimeout(timer.current);
      const known = recall<number>(key);
      const rest = mounted.current + SETTLE_MS - performance.now();
      if (known !== undefined && told < known && rest > 0) timer.current = setTimeout(apply, rest);
      else apply();
    },
    [key],
  );
  return [height, tell];
}

/** True from the first time the element is in or near the view. */
function useNear(element: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !element.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      // The page of cells scrolls, not the window: the margin has to count there.
      { rootMargin: `${NEAR}px`, scrollMargin: `${NEAR}px` },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isNear, element]);
  return isNear;
}
