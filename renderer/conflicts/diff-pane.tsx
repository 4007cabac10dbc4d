/** Two versions of a cell beside each other; the right one can be edited where that is wanted. */
import type { JSX } from 'react';
import { useEffect, useRef } from 'react';
import { loadEditorLibrary } from '../cells/editor/tokenizer.ts';
import styles from './diff-pane.module.css';

interface DiffPaneProps {
  original: string;
  modified: string;
  language: string;
  editable: boolean;
  labels: { original: string; modified: string };
  onEdit: (text: string) => void;
}

export function DiffPane({ original, modified, language, editable, labels, onEdit }: DiffPaneProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const edit = useRef(onEdit);
  edit.current = onEdit;
  const { original: left, modified: right } = labels;
  useEffect(() => {
    let takeDown: (() => void) | null = null;
    let gone = false;
    void Promise.all([import('./diff-library.ts'), loadEditorLibrary()]).then(([{ showDiff }]) => {
      if (gone || !host.current) return;
      takeDown = showDiff({
        host: host.current,
        original,
        modified,
        language,
        editable,
        labels: { original: left, modified: right },
        onEdit: (text) => edit.current(text),
      });
    });
    return () => {
      gone = true;
      takeDown?.();
    };
  }, [original, modified, language, editable, left, right]);
  return (
    <div className={styles.pane}>
      <div className={styles.labels} aria-hidden="true">
        <span>{left}</span>
        <span>{right}</span>
      </div>
      <div className={styles.host} ref={host} />
    </div>
  );
}
