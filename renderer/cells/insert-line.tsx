/** The line between two cells, with what can be put there. Seen when the pointer comes near; keys A and B do the same. */
import type { JSX } from 'react';
import { memo } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import styles from './insert-line.module.css';

interface InsertLineProps {
  controller: NotebookController;
  /** The place the new cell gets. */
  index: number;
  /** Always seen: under the last cell. */
  always?: boolean;
}

export const InsertLine = memo(function InsertLine({ controller, index, always = false }: InsertLineProps): JSX.Element {
  return (
    <div className={styles.insert} data-always={always}>
      <div className={styles.line} aria-hidden="true" />
      <div className={styles.buttons}>
        <button type="button" tabIndex={-1} className={styles.button} onClick={() => controller.insertAt(index, 'code', true)}>
          Code
        </button>
        <button type="button" tabIndex={-1} className={styles.button} onClick={() => controller.insertAt(index, 'markdown', true)}>
          Markdown
        </button>
      </div>
    </div>
  );
});
