/** The damaged file's text around its fault, to read and never to change. */
import type { JSX } from 'react';
import { useEffect, useRef } from 'react';
import type { DamagedFileView } from '../../preload/outside-changes.ts';
import { loadEditorLibrary } from '../cells/editor/tokenizer.ts';
import styles from './repair-view.module.css';

export function RawText({ damage }: { damage: DamagedFileView }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let takeDown: (() => void) | null = null;
    let gone = false;
    void Promise.all([import('../conflicts/diff-library.ts'), loadEditorLibrary()]).then(([{ showRawText }]) => {
      if (gone || !host.current) return;
      const { excerpt, line, column, name } = damage;
      const { text, firstLine } = excerpt;
      takeDown = showRawText({
        host: host.current,
        text,
        firstLine,
        line,
        column,
        label: `Text of ${name}, read-only`,
        markClass: styles.fault ?? '',
      });
    });
    return () => {
      gone = true;
      takeDown?.();
    };
  }, [damage]);
  return <div className={styles.raw} ref={host} />;
}
