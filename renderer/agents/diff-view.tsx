/** Changes line by line. What was added or taken out is told by its sign as well as by its colour. */
import type { JSX } from 'react';
import { useMemo } from 'react';
import { countWords } from '../outputs/amounts.ts';
import { useViewState } from '../outputs/view-state.ts';
import parts from './card-parts.module.css';
import styles from './diff-view.module.css';
import type { DiffLine, DiffRow } from './line-diff.ts';
import { diffRows } from './line-diff.ts';

/** Rows of a collapsed diff: a person who reviews one should rarely have to open it. */
const COLLAPSED_ROWS = 14;
/** Rows drawn at most; beyond it a change is not reviewed line by line. */
const MOST_ROWS = 2_000;

interface DiffViewProps {
  diff: readonly DiffLine[];
  stateKey: string;
  startsOpen?: boolean;
}

export function DiffView({ diff, stateKey, startsOpen = false }: DiffViewProps): JSX.Element {
  const [open, setOpen] = useViewState<boolean>(stateKey, startsOpen);
  const rows = useMemo(() => diffRows(diff), [diff]);
  const shown = rows.slice(0, open ? MOST_ROWS : COLLAPSED_ROWS);
  if (rows.length === 0) return <p className={parts.nothing}>(nothing changes)</p>;
  return (
    <div className={parts.block}>
      <div className={styles.diff}>
        {shown.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
          <Row key={index} row={row} />
        ))}
      </div>
      {open && rows.length > MOST_ROWS && <p className={parts.nothing}>{countWords(rows.length - MOST_ROWS, 'more row')} not shown</p>}
      {rows.length > COLLAPSED_ROWS && (
        <button type="button" className={parts.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : countWords(rows.length - COLLAPSED_ROWS, 'more row')}
        </button>
      )}
    </div>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' };
const SPOKEN = { same: '', added: 'added: ', removed: 'removed: ' };

function Row({ row }: { row: DiffRow }): JSX.Element {
  if (row.kind === 'gap') return <div className={styles.gap}>{countWords(row.lines, 'unchanged line')}</div>;
  return (
    <div className={styles.line} data-kind={row.kind}>
      <span className={styles.sign} aria-hidden="true">
        {SIGNS[row.kind]}
      </span>
      <span className={styles.spoken}>{SPOKEN[row.kind]}</span>
      <span className={styles.text}>{row.text === '' ? '\u200b' : row.text}</span>
    </div>
  );
}
