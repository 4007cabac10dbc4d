/**
 * Cells that were changed here and in the file, one after the other: both versions side by side, and what to do about them. Nothing has to be
 * decided now: until it is, both versions are kept.
 */
import { Check } from 'lucide-react';
import type { JSX } from 'react';
import { useEffect, useMemo, useState } from 'react';
import { editorLanguage } from '../cells/editor/languages.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useDocument, useKernel } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import buttons from '../shell/button.module.css';
import parts from '../shell/dialog-parts.module.css';
import entries from '../shell/entry-list.module.css';
import { useStore } from '../shell/store.ts';
import { type ConflictItem, ConflictSession } from './conflict-session.ts';
import styles from './conflict-view.module.css';
import { type ConflictChoice, choicesOf, leftWords, SETTLED_WORDS, sideLabels } from './conflict-words.ts';
import { DiffPane } from './diff-pane.tsx';
import { FullDialog } from './full-dialog.tsx';

export function ConflictView({ controller, onClose }: { controller: NotebookController; onClose: () => void }): JSX.Element {
  const { bridge, toasts } = useApp();
  const { client } = controller;
  const { conflicts = 0, title } = useDocument(client);
  const session = useMemo(() => new ConflictSession(bridge, client, (failure) => toasts.fail(failure)), [bridge, client, toasts]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of conflicts means that main has another list
  useEffect(() => void session.load(), [session, conflicts]);
  const { items, shown, loaded } = useStore(session.state);
  const item = items.find(({ conflict }) => conflict.key === shown);
  const left = items.filter(({ settled }) => settled === null).length;
  return (
    <FullDialog
      title="Two versions of the same cells"
      body={`${title} was changed by another program where you changed it too. Until you choose, both versions are kept.`}
      status={loaded ? leftWords(left, items.length) : ''}
      onClose={onClose}
      onClosed={() => controller.refocus()}
      actions={
        <button type="button" className={left === 0 ? `${buttons.button} ${buttons.main}` : buttons.button} onClick={onClose}>
          {left === 0 ? 'Done' : 'Decide later'}
        </button>
      }
    >
      <nav className={`${entries.list} ${styles.list}`} aria-label="Cells with two versions">
        {items.map((each) => (
          <ListEntry
            key={each.conflict.key}
            item={each}
            here={session.here(each.conflict.key)?.source}
            isShown={each === item}
            show={() => session.show(each.conflict.key)}
          />
        ))}
      </nav>
      {item && <Versions key={item.conflict.key} item={item} session={session} controller={controller} />}
    </FullDialog>
  );
}

interface ListEntryProps {
  item: ConflictItem;
  here: string | undefined;
  isShown: boolean;
  show: () => void;
}

function ListEntry({ item: { conflict, place, settled }, here, isShown, show }: ListEntryProps): JSX.Element {
  const firstLine = (here ?? conflict.theirs?.source ?? conflict.base?.source ?? '').split('\n').find((line) => line.trim() !== '');
  return (
    <button type="button" className={entries.entry} aria-current={isShown} data-settled={settled !== null} onClick={show}>
      <span className={styles.place}>
        {settled !== null && <Check size={14} strokeWidth={2} className={styles.check} aria-hidden="true" />}
        Cell {place}
      </span>
      <span className={styles.line}>{settled === null ? (firstLine ?? 'empty') : SETTLED_WORDS[settled]}</span>
    </button>
  );
}

function Versions({
  item,
  session,
  controller,
}: {
  item: ConflictItem;
  session: ConflictSession;
  controller: NotebookController;
}): JSX.Element {
  const { conflict, settled } = item;
  const { language: kernelLanguage } = useKernel(controller.client);
  const [start] = useState(() => session.here(conflict.key)?.source ?? '');
  const [edited, setEdited] = useState(start);
  const isEditable = conflict.kind === 'both' && settled === null;
  const original = (conflict.kind === 'both' ? conflict.theirs : conflict.base)?.source ?? '';
  const type = (conflict.theirs ?? conflict.base)?.type ?? 'code';
  const language = editorLanguage(type, kernelLanguage, start.split('\n', 1)[0] ?? '');
  const choose = (choice: ConflictChoice) => void session.choose(conflict, choice, edited);
  return (
    <section className={styles.versions} aria-label={`Cell ${item.place}`}>
      <DiffPane
        original={original}
        modified={start}
        language={language}
        editable={isEditable}
        labels={sideLabels(conflict)}
        onEdit={setEdited}
      />
      <div className={parts.choices}>
        {settled !== null ? (
          <p className={styles.settled}>
            {SETTLED_WORDS[settled]}.{settled === 'mine' ? '' : ' Undo in the notebook takes it back.'}
          </p>
        ) : (
          <>
            {choicesOf(conflict).map(({ choice, label }) => (
              <button
                type="button"
                key={choice}
                className={choice === 'delete' ? `${buttons.button} ${buttons.danger}` : buttons.button}
                onClick={() => choose(choice)}
              >
                {label}
              </button>
            ))}
            {isEditable && (
              <button
                type="button"
                className={`${buttons.button} ${buttons.main}`}
                disabled={edited === start}
                onClick={() => choose('edited')}
              >
                Use the edited text
              </button>
            )}
          </>
        )}
      </div>
    </section>
  );
}
