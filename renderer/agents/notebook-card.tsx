/** An edit of a notebook: where, what happened, and the source it left; a failure is a block of its own with the path it is about. */
import type { JSX } from 'react';
import { useMemo } from 'react';
import type { AgentCall, CallCard } from '../../preload/agent-sessions.ts';
import { useViewState } from '../outputs/view-state.ts';
import { useApp } from '../shell/app.ts';
import { fileName } from './call-words.ts';
import { openKey } from './card-heights.ts';
import styles from './card-parts.module.css';
import { DiffView } from './diff-view.tsx';
import type { DiffLine } from './line-diff.ts';
import { diffCounts, lineDiff } from './line-diff.ts';
import { SourceBlock } from './source-block.tsx';

type NotebookCallCard = Extract<CallCard, { kind: 'notebook' }>;

/** Kept, because a card that is scrolled out and in again is made anew. */
const diffs = new WeakMap<NotebookCallCard, readonly DiffLine[]>();

function diffOf(card: NotebookCallCard): readonly DiffLine[] {
  const known = diffs.get(card);
  if (known) return known;
  const diff = lineDiff(card.before ?? '', card.source ?? '');
  diffs.set(card, diff);
  return diff;
}

export function isErrorText(text: string): boolean {
  return text.startsWith('Error:');
}

export function NotebookCard({ call, card }: { call: AgentCall; card: NotebookCallCard }): JSX.Element {
  const asks = call.state === 'approval';
  const diff = useMemo(
    // What a new cell would hold is reviewed as a whole, like any change.
    () => (card.before === null && !asks ? null : diffOf(card)),
    [card, asks],
  );
  const counts = diff && diffCounts(diff);
  const isChange = counts !== null && counts.added + counts.removed > 0;
  return (
    <>
      <div className={styles.place}>
        <Place call={call} card={card} />
        {isChange && (
          <span className={styles.counts}>
            <span className={styles.added}>+{counts.added}</span> <span className={styles.removed}>−{counts.removed}</span>
          </span>
        )}
      </div>
      {isErrorText(card.summary) ? (
        <ErrorBlock text={card.summary} path={card.path} />
      ) : (
        <>
          {card.summary !== '' && <p className={styles.summary}>{card.summary}</p>}
          {isOfLineEnds(card, diff) && <p className={styles.summary}>Only how lines end changes.</p>}
          {asks && diff && isChange ? (
            <DiffView diff={diff} stateKey={openKey(call.id, 'source')} startsOpen />
          ) : (
            <Content call={call} card={card} hasDiff={isChange} />
          )}
        </>
      )}
    </>
  );
}

/** Nothing that a diff of lines can show. */
function isOfLineEnds({ before, source }: NotebookCallCard, diff: readonly DiffLine[] | null): boolean {
  if (before === null || source === null || before === source) return false;
  return diff?.every(({ kind }) => kind === 'same') ?? false;
}

function Content({ call, card, hasDiff }: { call: AgentCall; card: NotebookCallCard; hasDiff: boolean }): JSX.Element | null {
  const [changes, setChanges] = useViewState<boolean>(openKey(call.id, 'changes'), false);
  const stateKey = openKey(call.id, 'source');
  // A cell that was taken out has no source after it: what it held is all there is to see.
  const shown = card.source ?? card.before;
  if (shown === null) return null;
  const isMarkdown = card.cellType === 'markdown';
  return (
    <>
      {changes && hasDiff ? (
        <DiffView diff={diffOf(card)} stateKey={stateKey} />
      ) : (
        <SourceBlock source={shown} language={null} hint={isMarkdown ? 'markdown' : null} stateKey={stateKey} />
      )}
      {hasDiff && card.source !== null && (
        <button
          type="button"
          className={styles.more}
          style={{ paddingLeft: 0 }}
          aria-pressed={changes}
          onClick={() => setChanges(!changes)}
        >
          {changes ? 'Show the source' : 'Show the changes'}
        </button>
      )}
    </>
  );
}

/** File, cell and type; a click goes there. */
function Place({ call, card }: { call: AgentCall; card: NotebookCallCard }): JSX.Element {
  const { agents } = useApp();
  const [key] = call.cellKeys;
  const words = (
    <span className={styles.place}>
      <span className={styles.file}>{fileName(card.path)}</span>
      {card.cellIndex !== null && (
        <span className={styles.cell} title={`Cell index ${card.cellIndex}, counted from 0`}>
          c:{card.cellIndex}
        </span>
      )}
      {card.cellType !== null && <span>{card.cellType}</span>}
    </span>
  );
  if (key === undefined || call.docId === null)
    return (
      <span className={styles.placeText} title={card.path}>
        {words}
      </span>
    );
  return (
    <button
      type="button"
      className={styles.placeLink}
      title={`${card.path}: show the cell`}
      onClick={() => void agents.showCell(card.path, call.docId, key)}
    >
      {words}
    </button>
  );
}

export function ErrorBlock({ text, path }: { text: string; path: string | null }): JSX.Element {
  return (
    <div className={styles.error}>
      {text}
      {path !== null && <span className={styles.errorPath}>{path}</span>}
    </div>
  );
}
