/** Says that a text is only its end, and where all of it is. */
import type { JSX } from 'react';
import type { CardCell } from '../../preload/agent-sessions.ts';
import { byteWords, countWords } from '../outputs/amounts.ts';
import { viewedLog } from '../outputs/viewed-log.tsx';
import styles from './card-parts.module.css';

interface TruncationNoteProps {
  truncation: NonNullable<CardCell['truncation']>;
  /** What is said where no artifact has the whole. */
  otherwise: string;
}

export function TruncationNote({ truncation, otherwise }: TruncationNoteProps): JSX.Element {
  const { totalLines, totalBytes, artifactUrl } = truncation;
  const artifact = artifactUrl === null ? null : artifactOf(artifactUrl);
  return (
    <p className={styles.note}>
      Only the end of {countWords(totalLines, 'line')} ({byteWords(totalBytes)}).{' '}
      {artifact === null ? (
        otherwise
      ) : (
        <>
          Whole text:{' '}
          <button type="button" className={styles.link} onClick={() => viewedLog.set({ docId: artifact.host, artifactId: artifact.id })}>
            artifact://{artifact.id}
          </button>
        </>
      )}
    </p>
  );
}

/** The parts of `artifact://<session or document>/<id>`; null for what is no such address. */
export function artifactOf(url: string): { host: string; id: string } | null {
  const parts = /^artifact:\/\/([^/?#]+)\/([^/?#]+)$/.exec(url);
  return parts?.[1] && parts[2] ? { host: parts[1], id: parts[2] } : null;
}
