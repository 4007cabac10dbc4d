/**
 * The whole text of a stream that outgrew its cell, in a dialog: read from its artifact page by page as it comes into view, so a file of
 * gigabytes opens as fast as a short one.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { JSX } from 'react';
import { memo, useEffect, useRef, useState } from 'react';
import { useReturnFocus } from '../shell/return-focus.ts';
import { byteWords } from './amounts.ts';
import { AnsiText } from './ansi-text.tsx';
import styles from './artifact-log.module.css';
import { PAGE_BYTES, pageRange, pageText, totalBytes, viewCount, viewPages } from './log-pages.ts';
import { openOutside } from './output-actions.tsx';

interface ArtifactLogProps {
  docId: string;
  artifactId: string;
  onClose: () => void;
  /** What opened it is gone from the page when it closes. */
  onLost?: () => void;
}

/** First guess at a page's height before it is read: lines of 60 bytes, 19 pixels each. */
const PAGE_HEIGHT = Math.round((PAGE_BYTES / 60) * 19);

export function ArtifactLog(props: ArtifactLogProps): JSX.Element {
  const url = `artifact://${props.docId}/${props.artifactId}`;
  const size = useSize(url);
  const returnFocus = useReturnFocus(props.onLost);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.scrim} />
        <Dialog.Content className={styles.dialog} aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <header className={styles.header}>
            <Dialog.Title className={styles.title}>Whole log</Dialog.Title>
            <span className={styles.facts}>
              artifact://{props.artifactId}
              {typeof size === 'number' && ` · ${byteWords(size)}`}
            </span>
            <Dialog.Close className={styles.close} aria-label="Close">
              <X aria-hidden size={16} />
            </Dialog.Close>
          </header>
          {typeof size === 'number' ? (
            <Log url={url} bytes={size} />
          ) : (
            <p className={styles.state} role="status">
              {size === null ? 'Opening the log…' : size.message}
            </p>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Bytes of the whole, null while asking. */
function useSize(url: string): number | null | { message: string } {
  const [size, setSize] = useState<number | null | { message: string }>(null);
  useEffect(() => {
    const abort = new AbortController();
    fetch(url, { headers: { range: 'bytes=0-0' }, signal: abort.signal }).then(
      (response) => {
        if (response.status === 416) setSize(0);
        else if (!response.ok) setSize({ message: 'This log is not there any more.' });
        else setSize(totalBytes(response.headers.get('content-range')) ?? Number(response.headers.get('content-length') ?? 0));
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setSize({ message: `The log could not be read: ${String(error)}` });
      },
    );
    return () => abort.abort();
  }, [url]);
  return size;
}

function Log({ url, bytes }: { url: string; bytes: number }): JSX.Element {
  const views = viewCount(bytes);
  const [view, setView] = useState(0);
  return (
    <>
      {views > 1 && <Pager view={view} views={views} onView={setView} />}
      <LogView key={view} url={url} bytes={bytes} view={view} />
    </>
  );
}

function LogView({ url, bytes, view }: { url: string; bytes: number; view: number }): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const { start, end } = viewPages(bytes, view);
  const list = useVirtualizer({
    count: end - start,
    getScrollElement: () => scroller.current,
    estimateSize: () => Math.min(PAGE_HEIGHT, Math.round((bytes / 60) * 19) + 19),
    overscan: 1,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section ref={scroller} className={styles.scroller} aria-label="Log" tabIndex={0}>
      <div className={styles.pages} style={{ height: list.getTotalSize() }} onClickCapture={followLink}>
        {list.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={list.measureElement}
            data-index={item.index}
            className={styles.page}
            style={{ translate: `0 ${item.start}px` }}
          >
            <LogPage url={url} bytes={bytes} page={start + item.index} />
          </div>
        ))}
      </div>
    </section>
  );
}

const LogPage = memo(function LogPage({ url, bytes, page }: { url: string; bytes: number; page: number }): JSX.Element {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    readPage(url, bytes, page, abort.signal).then(setText, (error: unknown) => {
      if (!abort.signal.aborted) setText(`[This part could not be read: ${String(error)}]\n`);
    });
    return () => abort.abort();
  }, [url, bytes, page]);
  if (text === null) return <div style={{ height: Math.min(PAGE_HEIGHT, Math.round((bytes / 60) * 19) + 19) }} />;
  return (
    <div className={styles.text}>
      <AnsiText text={text} />
    </div>
  );
});

async function readPage(url: string, bytes: number, page: number, signal: AbortSignal): Promise<string> {
  const { start, end } = pageRange(bytes, page);
  const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` }, signal });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const data = new Uint8Array(await response.arrayBuffer());
  // Whoever ignores the range answers with the whole.
  return pageText(bytes, page, response.status === 206 ? data : data.subarray(start, end));
}

function Pager(props: { view: number; views: number; onView: (view: number) => void }): JSX.Element {
  const { view, views, onView } = props;
  const buttons = [
    { label: 'First part', icon: <ChevronFirst aria-hidden size={16} />, to: 0 },
    { label: 'Part before', icon: <ChevronLeft aria-hidden size={16} />, to: view - 1 },
    { label: 'Next part', icon: <ChevronRight aria-hidden size={16} />, to: view + 1 },
    { label: 'Last part', icon: <ChevronLast aria-hidden size={16} />, to: views - 1 },
  ];
  return (
    <nav className={styles.pager} aria-label="Parts of the log">
      {buttons.map(({ label, icon, to }) => (
        <button
          key={label}
          type="button"
          className={styles.pagerButton}
          aria-label={label}
          title={label}
          disabled={to === view || to < 0 || to >= views}
          onClick={() => onView(to)}
        >
          {icon}
        </button>
      ))}
      <span className={styles.facts}>
        Part {(view + 1).toLocaleString('en-US')} of {views.toLocaleString('en-US')}
      </span>
    </nav>
  );
}

function followLink(event: React.MouseEvent): void {
  const link = (event.target as Element).closest('a[href]');
  if (!link) return;
  event.preventDefault();
  openOutside(link.getAttribute('href') ?? '');
}
