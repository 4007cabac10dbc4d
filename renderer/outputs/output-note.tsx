/** A quiet line in the place of something that is not shown, with what the person can do about it. */
import type { JSX, ReactNode } from 'react';
import styles from './output-note.module.css';

interface OutputNoteProps {
  children: ReactNode;
  action?: { label: string; run: () => void };
  /** Said aloud by screen readers when it appears. */
  live?: boolean;
}

export function OutputNote(props: OutputNoteProps): JSX.Element {
  return (
    <p className={styles.note} role={props.live ? 'status' : undefined}>
      <span className={styles.words}>{props.children}</span>
      {props.action && (
        <button type="button" className={styles.action} onClick={props.action.run}>
          {props.action.label}
        </button>
      )}
    </p>
  );
}
