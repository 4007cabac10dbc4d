/** A question over the window. Escape and Cancel change nothing; the meant answer has the focus. */
import { AlertDialog } from 'radix-ui';
import type { JSX } from 'react';
import { useApp } from './app.ts';
import buttons from './button.module.css';
import dialog from './dialog.module.css';
import styles from './question-dialog.module.css';
import { useStore } from './store.ts';

export function QuestionDialog(): JSX.Element | null {
  const { questions } = useApp();
  const question = useStore(questions.current);
  if (!question) return null;
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && question.answer(null)}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={`${dialog.scrim} ${styles.scrim}`} />
        <AlertDialog.Content className={`${dialog.sheet} ${dialog.centred} ${styles.dialog}`}>
          <AlertDialog.Title className={styles.title}>{question.title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.body}>{question.body}</AlertDialog.Description>
          {question.items && question.items.length > 0 && (
            <ul className={styles.items}>
              {question.items.map((item) => (
                <li key={item}>{item}</li>
              ))}
            </ul>
          )}
          <div className={styles.choices}>
            <button type="button" className={buttons.button} onClick={() => question.answer(null)}>
              Cancel
            </button>
            <span className={styles.space} />
            {question.choices.map((choice, index) => (
              <button
                type="button"
                key={choice.id}
                // biome-ignore lint/a11y/noAutofocus: a dialog must begin somewhere, and its meant answer is where Enter belongs
                autoFocus={index === question.choices.length - 1}
                className={[buttons.button, choice.tone === 'main' && buttons.main, choice.tone === 'danger' && buttons.danger]
                  .filter(Boolean)
                  .join(' ')}
                onClick={() => question.answer(choice.id)}
              >
                {choice.label}
              </button>
            ))}
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
