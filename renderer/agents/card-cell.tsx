/**
 * One cell of a call: title, state, code, the text so far, images, JSON, and the events its helpers reported. The text arrives sanitized and
 * cut to its end; a link leads to the whole where it was cut.
 */
import type { JSX } from 'react';
import { memo, useMemo } from 'react';
import type { CardCell } from '../../preload/agent-sessions.ts';
import { takenTime } from '../cells/time.ts';
import { countWords } from '../outputs/amounts.ts';
import { stripAnsi } from '../outputs/ansi.ts';
import { ImageWithMenu } from '../outputs/image-menu.tsx';
import { JsonTree } from '../outputs/json-tree.tsx';
import { useViewState } from '../outputs/view-state.ts';
import { cellHeading } from './call-words.ts';
import styles from './card-cell.module.css';
import { openKey } from './card-heights.ts';
import parts from './card-parts.module.css';
import { COLLAPSED_OUTPUT_LINES, lastLines } from './collapse.ts';
import { SourceBlock } from './source-block.tsx';
import { CellMark } from './state-mark.tsx';
import { StatusEvents } from './status-events.tsx';
import { TruncationNote } from './truncation-note.tsx';

interface CardCellProps {
  callId: number;
  cell: CardCell;
  index: number;
  /** Of its code; null when it is not known. */
  language: string | null;
  /** The person is asked whether it may run, so all of its code is shown. */
  asks: boolean;
  /** It is a cell of a notebook, which has all of its output. */
  inNotebook: boolean;
  /** Goes to the cell in its notebook; null when that is not open. */
  onShow: (() => void) | null;
}

const IMAGE_FACTS = { width: null, height: null, unconfined: false, background: null };

export const CardCellView = memo(
  function CardCellView({ callId, cell, index, language, asks, inNotebook, onShow }: CardCellProps): JSX.Element {
    const { status, code, images, json, statusEvents } = cell;
    const key = (part: string) => openKey(callId, `${part} ${index}`);
    return (
      <section className={styles.cell} data-status={status} aria-label={`${cellHeading(cell, index)}, ${STATUS_WORDS[status]}`}>
        <div className={styles.head}>
          <CellMark status={status} />
          {onShow === null ? (
            <span className={styles.title}>{cellHeading(cell, index)}</span>
          ) : (
            <button type="button" className={styles.title} title="Show the cell" onClick={onShow}>
              {cellHeading(cell, index)}
            </button>
          )}
          {cell.executionCount !== null && <span className={styles.fact}>[{cell.executionCount}]</span>}
          <span className={styles.fact}>{cell.durationMs === null ? STATUS_WORDS[status] : takenTime(cell.durationMs)}</span>
        </div>
        {code !== '' && <SourceBlock source={code} language={language} hint={null} stateKey={key('code')} startsOpen={asks} />}
        <PrintedText text={cell.text} stateKey={key('text')} />
        {cell.truncation && <TruncationNote truncation={cell.truncation} otherwise={withoutArtifact(status, inNotebook)} />}
        {images.map(({ url, mime }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same image may come twice
          <div key={place} className={styles.image}>
            <ImageWithMenu
              url={url}
              mime={mime}
              bytes={0}
              facts={IMAGE_FACTS}
              description={`Image ${place + 1} of ${cellHeading(cell, index)}`}
            />
          </div>
        ))}
        {json.map((value, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values have no identity but their place
          <div key={place} className={styles.json}>
            <JsonTree value={value} stateKey={key(`json ${place}`)} expanded={false} rootLabel={null} />
          </div>
        ))}
        {statusEvents.length > 0 && <StatusEvents events={statusEvents} stateKey={key('events')} />}
      </section>
    );
  },
  // The handler is made anew with each drawing and does the same.
  (a, b) =>
    a.cell === b.cell &&
    a.language === b.language &&
    a.asks === b.asks &&
    a.callId === b.callId &&
    a.index === b.index &&
    (a.onShow === null) === (b.onShow === null),
);

function withoutArtifact(status: CardCell['status'], inNotebook: boolean): string {
  if (inNotebook) return 'All of it is in the notebook.';
  return status === 'running' ? 'All of it is kept when it is over.' : 'The rest could not be kept.';
}

const STATUS_WORDS: Readonly<Record<CardCell['status'], string>> = {
  pending: 'pending',
  running: 'running',
  complete: 'complete',
  error: 'error',
};

function PrintedText({ text, stateKey }: { text: string; stateKey: string }): JSX.Element | null {
  const [open, setOpen] = useViewState<boolean>(stateKey, false);
  const clean = useMemo(() => (text.includes('\u001b') ? stripAnsi(text) : text), [text]);
  const collapsed = useMemo(() => lastLines(clean, COLLAPSED_OUTPUT_LINES), [clean]);
  // The way to a single line takes a line itself.
  const isFolded = collapsed.hidden > 1;
  if (clean === '') return null;
  return (
    <>
      <pre className={parts.text}>{open || !isFolded ? clean : collapsed.text}</pre>
      {isFolded && (
        <button type="button" className={parts.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `${countWords(collapsed.hidden, 'line')} before these`}
        </button>
      )}
    </>
  );
}
