/**
 * The outputs under a code cell, with their quiet menu. Each output stands in a boundary of its own: one that can't be drawn never takes
 * its neighbours, or the notebook, down. Drawn again only when its own output object changed.
 */
import type { JSX, MouseEvent } from 'react';
import { memo, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { StaleReason, WindowOutput } from '../../preload/contract.ts';
import { countWords } from './amounts.ts';
import { ArtifactLog } from './artifact-log.tsx';
import styles from './cell-outputs.module.css';
import { choiceKey, DataOutputView } from './data-output.tsx';
import type { DisplayItem } from './display-items.ts';
import { displayItems } from './display-items.ts';
import { ErrorOutputView } from './error-output.tsx';
import type { Representation } from './mime-choice.ts';
import { representations } from './mime-choice.ts';
import type { OutputActions } from './output-actions.tsx';
import { clearOutputs, copyText, OutputActionsProvider, openOutside } from './output-actions.tsx';
import { OutputBoundary } from './output-boundary.tsx';
import { OutputMenu } from './output-menu.tsx';
import { OutputNote } from './output-note.tsx';
import { outputText } from './output-text.ts';
import { StreamOutputView } from './stream-output.tsx';
import { useViewState } from './view-state.ts';

export interface CellOutputsProps {
  docId: string;
  cellKey: string;
  outputs: readonly WindowOutput[];
  /** Scripts in outputs may run. */
  trusted: boolean;
  /** Why these outputs can't be relied on; null when they can. */
  stale: StaleReason | null;
  onTrust: () => void;
  /** Shows a spilled log; without it the outputs show it in a dialog of their own. */
  onOpenArtifact?: (artifactId: string) => void;
  /** Hides the outputs where the notebook keeps that; without it they are hidden for as long as the window lives. */
  onCollapse?: () => void;
  /** Clears the outputs so that the person can undo it; without it they are cleared for good. */
  onClear?: () => void;
}

/** A cell with more outputs than this shows the rest on demand: each is an element with its own layout. */
const FIRST_ITEMS = 200;

const STALE_REASONS: Record<StaleReason, string> = {
  edited: 'The code was edited after this output was made',
  'kernel-restarted': 'The kernel was restarted after this output was made',
  'out-of-order': 'A cell above was run after this output was made',
  'not-run': 'This output was made before this session',
};

export const CellOutputs = memo(function CellOutputs(props: CellOutputsProps): JSX.Element | null {
  if (props.outputs.length === 0) return null;
  return <OutputArea {...props} />;
});

function OutputArea(props: CellOutputsProps): JSX.Element {
  const { docId, cellKey, outputs, onOpenArtifact } = props;
  const areaKey = `${docId}/${cellKey}`;
  const [isCollapsed, setCollapsed] = useViewState<boolean>(`${areaKey}/collapsed`, false);
  const [showsAll, setShowsAll] = useViewState<boolean>(`${areaKey}/all`, false);
  const [openArtifactId, setOpenArtifactId] = useState<string | null>(null);
  const actions = useMemo<OutputActions>(
    () => ({ docId, showsAll, openLink: openOutside, copyText, openArtifact: onOpenArtifact ?? setOpenArtifactId }),
    [docId, showsAll, onOpenArtifact],
  );
  const items = useMemo(() => displayItems(outputs), [outputs]);
  return (
    <OutputActionsProvider actions={actions}>
      <section className={styles.area} aria-label="Output" data-stale={props.stale ?? undefined}>
        <div className={styles.corner}>
          {props.stale && <span className={styles.reason}>{STALE_REASONS[props.stale]}</span>}
          <AreaMenu
            {...{ docId, cellKey, outputs, items, isCollapsed, showsAll }}
            onCollapse={props.onCollapse ?? (() => setCollapsed(!isCollapsed))}
            onShowAll={setShowsAll}
            onClear={props.onClear ?? (() => clearOutputs(docId, cellKey))}
          />
        </div>
        {isCollapsed ? (
          <OutputNote
            action={{ label: 'Show', run: () => setCollapsed(false) }}
          >{`${countWords(items.length, 'output')} hidden`}</OutputNote>
        ) : (
          <Items {...props} areaKey={areaKey} items={items} />
        )}
      </section>
      {openArtifactId !== null && <ArtifactLog docId={docId} artifactId={openArtifactId} onClose={() => setOpenArtifactId(null)} />}
    </OutputActionsProvider>
  );
}

interface AreaMenuProps {
  docId: string;
  cellKey: string;
  outputs: readonly WindowOutput[];
  items: readonly DisplayItem[];
  isCollapsed: boolean;
  showsAll: boolean;
  onCollapse: () => void;
  onShowAll: (all: boolean) => void;
  onClear: () => void;
}

function AreaMenu(props: AreaMenuProps): JSX.Element {
  const { docId, cellKey, outputs, items } = props;
  const single = singleChoice(items);
  const [chosen, setChosen] = useViewState<string | null>(choiceKey(itemKey(`${docId}/${cellKey}`, single.index)), null);
  return (
    <OutputMenu
      isCollapsed={props.isCollapsed}
      showsAll={props.showsAll}
      choices={single.choices}
      chosen={chosen}
      onCopy={() => copyText(outputText(outputs))}
      onCollapse={props.onCollapse}
      onShowAll={props.onShowAll}
      onChoose={setChosen}
      onClear={props.onClear}
    />
  );
}

/** The representations of the one data output of the area; none when there are several or no such outputs. */
function singleChoice(items: readonly DisplayItem[]): { index: number; choices: readonly Representation[] } {
  const data = items.filter((item) => item.kind === 'single' && item.output.type !== 'error');
  const [only] = data;
  if (data.length !== 1 || only?.kind !== 'single' || only.output.type === 'error') return { index: -1, choices: [] };
  return { index: only.index, choices: representations(Object.keys(only.output.data)) };
}

function itemKey(areaKey: string, index: number): string {
  return `${areaKey}/${index}`;
}

interface ItemsProps extends CellOutputsProps {
  areaKey: string;
  items: readonly DisplayItem[];
}

function Items(props: ItemsProps): JSX.Element {
  const { items, areaKey, trusted } = props;
  const [isAll, setAll] = useViewState<boolean>(`${areaKey}/items`, false);
  const onTrust = useLatest(props.onTrust);
  const shown = isAll ? items : items.slice(0, FIRST_ITEMS);
  // What is operated are the links inside; they bubble to here, and never navigate the window.
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: as said
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link's key press arrives as a click
    <div className={styles.items} onClick={followLink} onAuxClick={followLink}>
      {shown.map((item) => (
        <Item key={`${item.index} ${item.kind}`} item={item} stateKey={itemKey(areaKey, item.index)} trusted={trusted} onTrust={onTrust} />
      ))}
      {shown.length < items.length && (
        <OutputNote action={{ label: 'Show them', run: () => setAll(true) }}>
          {`${countWords(items.length - shown.length, 'more output')}`}
        </OutputNote>
      )}
    </div>
  );
}

interface ItemProps {
  item: DisplayItem;
  stateKey: string;
  trusted: boolean;
  onTrust: () => void;
}

const Item = memo(function Item({ item, stateKey, trusted, onTrust }: ItemProps): JSX.Element {
  return (
    <div className={styles.item}>
      <OutputBoundary content={item.kind === 'stream' ? item.text : item.output}>
        {item.kind === 'stream' ? (
          <StreamOutputView item={item} stateKey={stateKey} />
        ) : item.output.type === 'error' ? (
          <ErrorOutputView output={item.output} stateKey={stateKey} />
        ) : (
          <DataOutputView output={item.output} stateKey={stateKey} trusted={trusted} onTrust={onTrust} />
        )}
      </OutputBoundary>
    </div>
  );
}, sameItem);

/** Items are made anew with each change of the outputs; what counts is what they hold. */
function sameItem(before: ItemProps, after: ItemProps): boolean {
  const isSameRest = before.stateKey === after.stateKey && before.trusted === after.trusted && before.onTrust === after.onTrust;
  const [a, b] = [before.item, after.item];
  if (a.kind === 'stream' && b.kind === 'stream') return isSameRest && a.text === b.text && a.name === b.name && sameGaps(a.gaps, b.gaps);
  return isSameRest && a.kind === 'single' && b.kind === 'single' && a.output === b.output;
}

function sameGaps(a: readonly object[], b: readonly object[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest('a[href]');
  if (!link || event.defaultPrevented || event.button > 1) return;
  event.preventDefault();
  openOutside(link.getAttribute('href') ?? '');
}

/** One function for good that calls the latest one given: callers need not keep theirs the same. */
function useLatest(callback: () => void): () => void {
  const latest = useRef(callback);
  useLayoutEffect(() => {
    latest.current = callback;
  });
  return useCallback(() => latest.current(), []);
}
