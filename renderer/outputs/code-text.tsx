/** Code with its tokens coloured, and optionally one range marked. */
import type { JSX, ReactNode } from 'react';
import { memo } from 'react';
import styles from './code-text.module.css';
import type { CodeToken } from './highlight.ts';
import { highlight } from './highlight.ts';

interface CodeTextProps {
  code: string;
  language: string;
  /** UTF-16 range to underline. */
  mark?: readonly [number, number] | null;
}

export const CodeText = memo(function CodeText({ code, language, mark }: CodeTextProps): JSX.Element {
  let at = 0;
  const pieces: ReactNode[] = [];
  for (const token of highlight(code, language)) {
    for (const { text, isMarked } of cutAtMark(token, at, mark ?? null)) {
      const name = [token.kind !== 'plain' && styles[token.kind], isMarked && styles.mark].filter(Boolean).join(' ');
      pieces.push(
        name ? (
          <span key={pieces.length} className={name}>
            {text}
          </span>
        ) : (
          text
        ),
      );
    }
    at += token.text.length;
  }
  return <>{pieces}</>;
});

function cutAtMark(token: CodeToken, at: number, mark: readonly [number, number] | null): { text: string; isMarked: boolean }[] {
  if (!mark) return [{ text: token.text, isMarked: false }];
  const start = Math.max(0, Math.min(token.text.length, mark[0] - at));
  const end = Math.max(start, Math.min(token.text.length, mark[1] - at));
  return [
    { text: token.text.slice(0, start), isMarked: false },
    { text: token.text.slice(start, end), isMarked: true },
    { text: token.text.slice(end), isMarked: false },
  ].filter((piece) => piece.text !== '');
}
