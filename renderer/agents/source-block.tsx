/** A source in a card: its first lines, and all of it on demand. */
import type { JSX } from 'react';
import { useMemo } from 'react';
import codeColors from '../cells/editor/code-colors.module.css';
import { countWords } from '../outputs/amounts.ts';
import { highlight } from '../outputs/highlight.ts';
import { useViewState } from '../outputs/view-state.ts';
import styles from './card-parts.module.css';
import { COLLAPSED_SOURCE_LINES, firstLines } from './collapse.ts';

interface SourceBlockProps {
  source: string;
  /** Colours its words; null when nobody knows its language. */
  language: string | null;
  /** Said above the text. */
  hint: string | null;
  /** Where it is kept that it is open (openKey). */
  stateKey: string;
  startsOpen?: boolean;
}

export function SourceBlock({ source, language, hint, stateKey, startsOpen = false }: SourceBlockProps): JSX.Element | null {
  const [open, setOpen] = useViewState<boolean>(stateKey, startsOpen);
  const collapsed = useMemo(() => firstLines(source, COLLAPSED_SOURCE_LINES), [source]);
  if (source === '') return <p className={styles.nothing}>(empty source)</p>;
  return (
    <div className={styles.block}>
      {hint !== null && <span className={styles.hint}>{hint}</span>}
      <pre className={styles.code}>
        <Coloured text={open ? source : collapsed.text} language={language} />
      </pre>
      {collapsed.hidden > 0 && (
        <button type="button" className={styles.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : countWords(collapsed.hidden, 'more line')}
        </button>
      )}
    </div>
  );
}

function Coloured({ text, language }: { text: string; language: string | null }): JSX.Element {
  const tokens = useMemo(() => (language === null ? null : highlight(text, language)), [text, language]);
  if (tokens === null) return <>{text}</>;
  return (
    <>
      {tokens.map(({ kind, text: part }, index) =>
        kind === 'plain' ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
          <span key={index} className={codeColors[kind]}>
            {part}
          </span>
        ),
      )}
    </>
  );
}
