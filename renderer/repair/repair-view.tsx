/**
 * A file that can't be opened as a notebook: its text with the place of the fault, beside it the cells that can be had back. Nothing is written
 * before the person says where, and the file itself is replaced only after a question.
 */
import type { JSX } from 'react';
import { useEffect, useState } from 'react';
import type { DamagedFileView, RepairChoice } from '../../preload/outside-changes.ts';
import { FullDialog } from '../conflicts/full-dialog.tsx';
import { type App, useApp } from '../shell/app.ts';
import buttons from '../shell/button.module.css';
import { useStore } from '../shell/store.ts';
import { RawText } from './raw-text.tsx';
import { RecoveredCell } from './recovered-cell.tsx';
import styles from './repair-view.module.css';
import { type Choices, chooseAll, fileName, placeWords, recoveredWords, statusWords, undecided } from './repair-words.ts';

/** Shows the damaged files one after the other. */
export function RepairView(): JSX.Element | null {
  const app = useApp();
  const [path] = useStore(app.damaged);
  const [damage, setDamage] = useState<DamagedFileView | null>(null);
  useEffect(() => {
    if (path === undefined) return;
    let gone = false;
    void look(app, path).then((found) => {
      if (!gone && found) setDamage(found);
    });
    return () => {
      gone = true;
      setDamage(null);
    };
  }, [app, path]);
  if (path === undefined || damage?.path !== path) return null;
  return <Repair key={damage.version} damage={damage} app={app} />;
}

/** A file that turns out to be sound, or can't be looked at, is no matter of this view. */
async function look(app: App, path: string): Promise<DamagedFileView | null> {
  const answer = await app.bridge.call('repair.look', { path });
  if (answer.ok && answer.value) return answer.value;
  closeFirst(app);
  if (!answer.ok) app.toasts.fail(answer.error);
  else await app.workspace.open(path);
  return null;
}

function closeFirst(app: App): void {
  app.damaged.set((paths) => paths.slice(1));
}

function Repair({ damage, app }: { damage: DamagedFileView; app: App }): JSX.Element {
  const [choices, setChoices] = useState<Choices>(new Map());
  const [isWriting, setWriting] = useState(false);
  const { cells, sides } = damage;
  const write = async (target: string | null) => {
    setWriting(true);
    const { path, version } = damage;
    const answer = await app.bridge.call('repair.write', { path, version, choices: [...choices], target });
    setWriting(false);
    if (!answer.ok) app.toasts.fail(answer.error);
    else if (answer.value) {
      closeFirst(app);
      await app.workspace.open(answer.value.path);
    }
  };
  const replace = async () => {
    const answer = await app.questions.ask({
      title: `Replace ${damage.name}?`,
      body: 'The file gets the repaired notebook in place of what it holds now. What could not be had back is gone from it.',
      choices: [{ id: 'replace', label: 'Replace the file', tone: 'danger' }],
    });
    if (answer === 'replace') await write(damage.path);
  };
  const isBlocked = !cells || undecided(cells, choices) > 0 || isWriting;
  return (
    <FullDialog
      title={damage.name}
      body={damage.message}
      status={statusWords(damage, choices)}
      onClose={() => closeFirst(app)}
      actions={
        <>
          <button type="button" className={buttons.button} onClick={() => closeFirst(app)}>
            Close
          </button>
          {cells && (
            <>
              <button
                type="button"
                className={`${buttons.button} ${buttons.danger} ${styles.action}`}
                disabled={isBlocked}
                onClick={() => void replace()}
              >
                Replace the file…
              </button>
              <button type="button" className={`${buttons.button} ${styles.action}`} disabled={isBlocked} onClick={() => void write(null)}>
                Save as…
              </button>
              <button
                type="button"
                className={`${buttons.button} ${buttons.main} ${styles.action}`}
                disabled={isBlocked}
                onClick={() => void write(damage.suggestedPath)}
              >
                Save as {fileName(damage.suggestedPath)}
              </button>
            </>
          )}
        </>
      }
    >
      <section className={styles.rawSide} aria-label={placeWords(damage)}>
        <h3 className={styles.heading}>{placeWords(damage)}</h3>
        <RawText damage={damage} />
      </section>
      <section className={styles.cellSide} aria-label="What can be had back">
        <div className={styles.heading}>
          <h3>{recoveredWords(damage)}</h3>
          {sides && cells?.some(({ open }) => open) && <AllButtons cells={cells} sides={sides} setChoices={setChoices} />}
        </div>
        {damage.notes.map((note) => (
          <p key={note} className={styles.fileNote}>
            {note}
          </p>
        ))}
        {cells ? (
          <CellList damage={damage} choices={choices} setChoices={setChoices} />
        ) : (
          <p className={styles.nothing}>Restore it from a copy, or open it in a text editor to see what it is. It was not changed.</p>
        )}
      </section>
    </FullDialog>
  );
}

interface AllButtonsProps {
  cells: NonNullable<DamagedFileView['cells']>;
  sides: { ours: string; theirs: string };
  setChoices: (choices: Choices) => void;
}

function AllButtons({ cells, sides, setChoices }: AllButtonsProps): JSX.Element {
  return (
    <>
      {(['ours', 'theirs'] as const).map((side) => (
        <button type="button" key={side} className={buttons.button} onClick={() => setChoices(chooseAll(cells, side))}>
          Take all of {sides[side]}
        </button>
      ))}
    </>
  );
}

interface CellListProps {
  damage: DamagedFileView;
  choices: Choices;
  setChoices: (change: (choices: Choices) => Choices) => void;
}

function CellList({ damage, choices, setChoices }: CellListProps): JSX.Element {
  const choose = (key: string, choice: RepairChoice) => setChoices((present) => new Map([...present, [key, choice]]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <ol className={styles.cells} tabIndex={0} aria-label="Cells">
      {damage.cells?.map((cell, index) => (
        <RecoveredCell
          key={cell.key}
          cell={cell}
          place={index + 1}
          sides={damage.sides}
          choice={choices.get(cell.key)}
          choose={(choice) => choose(cell.key, choice)}
        />
      ))}
    </ol>
  );
}
