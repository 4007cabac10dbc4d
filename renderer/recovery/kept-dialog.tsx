/** Kept versions: a list by notebook and time, what differs from the file, and what to do with the one that is looked at. */
import type { JSX } from 'react';
import type { KeptVersionView } from '../../preload/kept-versions.ts';
import { DiffPane } from '../conflicts/diff-pane.tsx';
import { FullDialog } from '../conflicts/full-dialog.tsx';
import { useApp } from '../shell/app.ts';
import buttons from '../shell/button.module.css';
import parts from '../shell/dialog-parts.module.css';
import entries from '../shell/entry-list.module.css';
import { useStore } from '../shell/store.ts';
import styles from './kept-dialog.module.css';
import { keptCount, keptNote, keptWords } from './recovery-words.ts';

export function KeptDialog(): JSX.Element | null {
  const { kept, workspace } = useApp();
  const state = useStore(kept.state);
  if (!state) return null;
  const { versions, shown } = state;
  const version = versions.find(({ id }) => id === shown);
  return (
    <FullDialog
      title="Kept versions"
      body="Unsaved changes that were discarded or put away. Each stays for two weeks."
      status={keptCount(versions.length)}
      onClose={() => kept.close()}
      onClosed={() => workspace.active?.refocus()}
      actions={
        <button type="button" className={buttons.button} onClick={() => kept.close()}>
          Close
        </button>
      }
    >
      <nav className={`${entries.list} ${styles.list}`} aria-label="Kept versions">
        {versions.map((one) => (
          <Entry key={one.id} version={one} isShown={one.id === shown} />
        ))}
      </nav>
      {version ? <Version key={version.id} version={version} /> : <p className={styles.empty}>Nothing is kept now.</p>}
    </FullDialog>
  );
}

function Entry({ version, isShown }: { version: KeptVersionView; isShown: boolean }): JSX.Element {
  const { kept, start } = useApp();
  const home = useStore(start)?.home ?? '';
  return (
    <button type="button" className={entries.entry} aria-current={isShown} onClick={() => void kept.look(version.id)}>
      <span className={styles.title}>{version.title}</span>
      <span className={styles.facts}>{keptWords(version, home, Date.now())}</span>
    </button>
  );
}

function Version({ version }: { version: KeptVersionView }): JSX.Element {
  const { kept } = useApp();
  const texts = useStore(kept.state)?.texts ?? null;
  const isReadable = version.state !== 'unreadable';
  return (
    <section className={styles.version} aria-label={version.title}>
      {texts ? (
        <DiffPane
          original={texts.file ?? ''}
          modified={texts.kept}
          language="python"
          editable={false}
          labels={{ original: texts.file === null ? 'There is no file' : 'The file now', modified: 'The kept version' }}
          onEdit={() => undefined}
        />
      ) : (
        <p className={styles.empty}>
          {isReadable ? '' : 'This version can’t be read: it is damaged, or another version of Cellwright wrote it.'}
        </p>
      )}
      <div className={parts.choices}>
        <button
          type="button"
          className={`${buttons.button} ${buttons.main}`}
          disabled={!isReadable}
          onClick={() => void kept.open(version.id)}
        >
          Open as a copy
        </button>
        <button type="button" className={`${buttons.button} ${buttons.danger}`} onClick={() => void kept.remove(version)}>
          Remove…
        </button>
        <span className={styles.note}>{keptNote(version)}</span>
      </div>
    </section>
  );
}
