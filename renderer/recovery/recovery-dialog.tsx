/** The choice after a crash: which notebooks had unsaved work, when and how much. Escape decides nothing; the next start asks again. */
import { NotebookText } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { JSX } from 'react';
import type { LeftWorkView } from '../../preload/contract.ts';
import { useApp } from '../shell/app.ts';
import buttons from '../shell/button.module.css';
import dialog from '../shell/dialog.module.css';
import { useStore } from '../shell/store.ts';
import styles from './recovery-dialog.module.css';
import { keepLabel, leftNote, leftWords } from './recovery-words.ts';

const MAIN_BUTTON = `${buttons.button} ${buttons.main}`;

export function RecoveryDialog(): JSX.Element | null {
  const { recovery } = useApp();
  const left = useStore(recovery.left);
  const isPutOff = useStore(recovery.isPutOff);
  const isBusy = useStore(recovery.isBusy);
  if (left.length === 0 || isPutOff) return null;
  const single = left.length === 1 ? left[0]! : null;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && recovery.putOff()}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog.scrim} />
        <Dialog.Content
          className={`${dialog.sheet} ${dialog.centred} ${styles.dialog}`}
          aria-busy={isBusy}
          onInteractOutside={(event) => event.preventDefault()}
        >
          <Dialog.Title className={styles.title}>Unsaved work was kept</Dialog.Title>
          <Dialog.Description className={styles.body}>
            Cellwright ended before {single ? 'this notebook was' : 'these notebooks were'} saved. Nothing is written to a file until you
            save.
          </Dialog.Description>
          <ul className={styles.list}>
            {left.map((one) => (
              <LeftRow key={one.id} left={one} withActions={single === null} />
            ))}
          </ul>
          <div className={styles.choices}>
            <button type="button" className={styles.later} onClick={() => recovery.putOff()}>
              Decide later
            </button>
            <span className={styles.space} />
            {single && (
              <button type="button" className={buttons.button} disabled={isBusy} onClick={() => void recovery.keepFile(single)}>
                {keepLabel(single)}
              </button>
            )}
            <button
              type="button"
              className={MAIN_BUTTON}
              disabled={isBusy}
              // biome-ignore lint/a11y/noAutofocus: a dialog must begin somewhere, and restoring loses nothing
              autoFocus
              onClick={() => void recovery.restoreAll()}
            >
              {single ? 'Restore' : 'Restore all'}
            </button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function LeftRow({ left, withActions }: { left: LeftWorkView; withActions: boolean }): JSX.Element {
  const { recovery, start } = useApp();
  const home = useStore(start)?.home ?? '';
  const note = leftNote(left);
  return (
    <li className={styles.row}>
      <NotebookText size={18} strokeWidth={1.75} className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <span className={styles.name}>{left.title}</span>
        <span className={styles.facts}>{leftWords(left, home, Date.now())}</span>
        {note && <span className={styles.note}>{note}</span>}
        {withActions && (
          <div className={styles.actions}>
            <button type="button" className={styles.link} onClick={() => void recovery.restore(left)} aria-label={`Restore ${left.title}`}>
              Restore
            </button>
            <button
              type="button"
              className={styles.link}
              onClick={() => void recovery.keepFile(left)}
              aria-label={`${keepLabel(left)}: ${left.title}`}
            >
              {keepLabel(left)}
            </button>
          </div>
        )}
      </div>
    </li>
  );
}
