/** A raw cell: text for a converter, neither run nor rendered; marked as such, so that nobody wonders why it does nothing. */
import type { JSX } from 'react';
import styles from './code-body.module.css';
import type { BodyProps } from './code-body.tsx';
import { SourceEditor } from './source-editor.tsx';

export function RawBody({ controller, cellKey, mark }: BodyProps): JSX.Element {
  return (
    <div className={styles.raw}>
      <div className={styles.label}>Raw text</div>
      <SourceEditor
        controller={controller}
        cellKey={cellKey}
        mark={mark}
        language="plaintext"
        wrap
        label="Raw text"
        placeholder="Text for a converter"
        helped={false}
      />
    </div>
  );
}
