/** One cell that was had back: its text and what was mended, or its two versions and the choice between them. */
import { Check } from 'lucide-react';
import type { JSX } from 'react';
import { useState } from 'react';
import type { RecoveredCellView, RecoveredText, RepairChoice } from '../../preload/outside-changes.ts';
import { editorLanguage } from '../cells/editor/languages.ts';
import { StaticSource } from '../cells/editor/static-source.tsx';
import { DiffPane } from '../conflicts/diff-pane.tsx';
import buttons from '../shell/button.module.css';
import styles from './repair-view.module.css';

interface RecoveredCellProps {
  cell: RecoveredCellView;
  place: number;
  sides: { ours: string; theirs: string } | null;
  choice: RepairChoice | undefined;
  choose: (choice: RepairChoice) => void;
}

const TYPE_WORDS = { code: 'code', markdown: 'markdown', raw: 'raw text' };

export function RecoveredCell({ cell, place, sides, choice, choose }: RecoveredCellProps): JSX.Element {
  const shown = (cell.choice === 'ours' ? cell.ours : cell.theirs) ?? cell.ours ?? cell.theirs;
  return (
    <li className={styles.cell} data-open={cell.open && choice === undefined}>
      <p className={styles.label}>
        <span>
          {place} · {shown ? TYPE_WORDS[shown.type] : ''}
        </span>
        {cell.open && choice === undefined && <span className={styles.open}>two versions</span>}
        {!cell.open && shown?.note && <span className={styles.note}>{shown.note}</span>}
      </p>
      {cell.open && sides ? <Versions cell={cell} sides={sides} choice={choice} choose={choose} /> : shown && <Source text={shown} />}
    </li>
  );
}

function Source({ text }: { text: RecoveredText }): JSX.Element {
  const { source, type, outputs } = text;
  return (
    <>
      <div className={styles.source}>
        <StaticSource source={source} language={languageOf(text)} wrap={type !== 'code'} lineNumbers={false} placeholder="empty" />
      </div>
      {outputs > 0 && <p className={styles.outputs}>{outputs === 1 ? '1 output' : `${outputs} outputs`}</p>}
    </>
  );
}

function languageOf({ type, source }: RecoveredText): string {
  return editorLanguage(type, 'python', source.split('\n', 1)[0] ?? '');
}

type VersionsProps = Pick<RecoveredCellProps, 'cell' | 'choice' | 'choose'> & { sides: { ours: string; theirs: string } };

function Versions({ cell, sides, choice, choose }: VersionsProps): JSX.Element {
  const [isEditing, setEditing] = useState(false);
  const { ours, theirs } = cell;
  if (isEditing && ours && theirs) {
    return (
      <Editing
        ours={ours}
        theirs={theirs}
        sides={sides}
        use={(source) => {
          choose({ source });
          setEditing(false);
        }}
        cancel={() => setEditing(false)}
      />
    );
  }
  return (
    <>
      <div className={styles.versions}>
        {(['ours', 'theirs'] as const).map((side) => (
          <Version
            key={side}
            name={sides[side]}
            text={cell[side]}
            isChosen={choice === side || choice === 'both'}
            choose={() => choose(side)}
          />
        ))}
      </div>
      {ours && theirs && (
        <div className={styles.more}>
          <button type="button" className={buttons.button} aria-pressed={choice === 'both'} onClick={() => choose('both')}>
            Keep both
          </button>
          <button type="button" className={buttons.button} onClick={() => setEditing(true)}>
            Compare and edit…
          </button>
          {typeof choice === 'object' && <span className={styles.edited}>Edited text taken</span>}
        </div>
      )}
    </>
  );
}

interface VersionProps {
  name: string;
  text: RecoveredText | null;
  isChosen: boolean;
  choose: () => void;
}

function Version({ name, text, isChosen, choose }: VersionProps): JSX.Element {
  return (
    <div className={styles.version} data-chosen={isChosen}>
      <div className={styles.versionHead}>
        <span className={styles.side}>{name}</span>
        <button type="button" className={styles.take} aria-pressed={isChosen} onClick={choose}>
          {isChosen && <Check size={14} strokeWidth={2} aria-hidden="true" />}
          {isChosen ? 'Taken' : text ? 'Take this' : 'Leave it out'}
          <span className={styles.hidden}> – {name}</span>
        </button>
      </div>
      {text ? <Source text={text} /> : <p className={styles.missing}>This side does not have the cell.</p>}
    </div>
  );
}

interface EditingProps {
  ours: RecoveredText;
  theirs: RecoveredText;
  sides: { ours: string; theirs: string };
  use: (source: string) => void;
  cancel: () => void;
}

function Editing({ ours, theirs, sides, use, cancel }: EditingProps): JSX.Element {
  const [text, setText] = useState(ours.source);
  return (
    <div className={styles.editing}>
      <DiffPane
        original={theirs.source}
        modified={ours.source}
        language={languageOf(ours)}
        editable
        labels={{ original: sides.theirs, modified: `${sides.ours} – you can edit this side` }}
        onEdit={setText}
      />
      <div className={styles.more}>
        <button type="button" className={`${buttons.button} ${buttons.main}`} onClick={() => use(text)}>
          Use this text
        </button>
        <button type="button" className={buttons.button} onClick={cancel}>
          Back
        </button>
      </div>
    </div>
  );
}
