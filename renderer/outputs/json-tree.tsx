/** JSON as a tree that opens level by level. Only what is open exists in the page, so the size of the value does not matter. */
import { ChevronRight } from 'lucide-react';
import type { JSX, KeyboardEvent } from 'react';
import { memo, useState } from 'react';
import { countWords } from './amounts.ts';
import type { JsonChild } from './json-entries.ts';
import { jsonChildren, jsonKind, jsonPreview, jsonSize, quote } from './json-entries.ts';
import styles from './json-tree.module.css';
import { useViewState } from './view-state.ts';

/** A value with more entries than this starts closed. */
const OPEN_AT_START = 24;
const STRING_LIMIT = 400;

interface JsonTreeProps {
  value: unknown;
  stateKey: string;
  /** From the output's metadata: open the first level whatever its size. */
  expanded: boolean;
  rootLabel: string | null;
}

export const JsonTree = memo(function JsonTree(props: JsonTreeProps): JSX.Element {
  const isOpen = props.expanded || jsonSize(props.value) <= OPEN_AT_START;
  const root: JsonChild = { label: props.rootLabel ?? '', value: props.value, range: null };
  return (
    <ul className={styles.tree} aria-label="JSON">
      <JsonRow child={root} depth={0} path={props.stateKey} startsOpen={isOpen} />
    </ul>
  );
});

interface JsonRowProps {
  child: JsonChild;
  depth: number;
  path: string;
  startsOpen: boolean;
}

function JsonRow(props: JsonRowProps): JSX.Element {
  const { label, value, range } = props.child;
  const kind = jsonKind(value);
  const isBranch = range !== null || ((kind === 'object' || kind === 'array') && jsonSize(value) > 0);
  if (isBranch) return <Branch {...props} />;
  return (
    <li className={styles.row} style={{ paddingLeft: props.depth * 16 + 18 }}>
      {label !== '' && <span className={styles.key}>{label}: </span>}
      <Leaf value={value} />
    </li>
  );
}

function Branch({ child, depth, path, startsOpen }: JsonRowProps): JSX.Element {
  const { label, value, range } = child;
  const [isOpen, setOpen] = useViewState<boolean>(`${path}/open`, startsOpen);
  const onKeyDown = (event: KeyboardEvent): void => {
    const wanted = event.key === 'ArrowRight' ? true : event.key === 'ArrowLeft' ? false : null;
    if (wanted === null || wanted === isOpen) return;
    event.preventDefault();
    event.stopPropagation();
    setOpen(wanted);
  };
  const isArray = Array.isArray(value);
  return (
    <li>
      <button
        type="button"
        className={styles.branch}
        style={{ paddingLeft: depth * 16 }}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={onKeyDown}
      >
        <ChevronRight aria-hidden size={14} className={styles.chevron} />
        <span className={styles.summary}>
          {range !== null ? (
            <span className={styles.range}>{label}</span>
          ) : (
            <>
              {label !== '' && <span className={styles.key}>{label}: </span>}
              {!isOpen && <span className={styles.preview}>{jsonPreview(value)}</span>}
              <span className={styles.count}>{countWords(jsonSize(value), isArray ? 'item' : 'key')}</span>
            </>
          )}
        </span>
      </button>
      {isOpen && (
        <ul className={styles.children}>
          {jsonChildren(value, range).map((each) => (
            <JsonRow key={each.label} child={each} depth={depth + 1} path={`${path}/${each.label}`} startsOpen={false} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Leaf({ value }: { value: unknown }): JSX.Element {
  const [showAll, setShowAll] = useState(false);
  const kind = jsonKind(value);
  if (kind === 'object' || kind === 'array') return <span className={styles.preview}>{kind === 'array' ? '[]' : '{}'}</span>;
  if (kind !== 'string') return <span className={styles[kind]}>{String(value)}</span>;
  const text = String(value);
  const isCut = text.length > STRING_LIMIT && !showAll;
  return (
    <>
      <span className={styles.string}>{quote(text, isCut ? STRING_LIMIT : Number.POSITIVE_INFINITY)}</span>
      {isCut && (
        <button type="button" className={styles.more} onClick={() => setShowAll(true)}>
          {countWords(text.length - STRING_LIMIT, 'more character')}
        </button>
      )}
    </>
  );
}
