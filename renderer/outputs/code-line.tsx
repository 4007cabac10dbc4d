/** One line of code with its tokens coloured, and optionally one range of it marked. */
import type { JSX, ReactNode } from 'react';
import { memo } from 'react';
import codeColors from '../cells/editor/code-colors.module.css';
import styles from './code-line.module.css';
import type { CodeToken } from './highlight.ts';

interface CodeLineProps {
  tokens: readonly CodeToken[];
  /** UTF-16 range to underline. It may lie behind the end, as a caret that says what is missing does. */
  mark?: readonly [number, number] | null;
}

export const CodeLine = memo(function CodeLine({ tokens, mark = null }: CodeLineProps): JSX.Element {
  let at = 0;
  const pieces: ReactNode[] = [];
  for (const token of padded(tokens, mark?.[1] ?? 1)) {
    for (const { text, isMarked } of cutAtMark(token, at, mark)) {
      const name = [token.kind !== 'plain' && codeColors[token.kind], isMarked && styles.mark].filter(Boolean).join(' ');
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

function padded(tokens: readonly CodeToken[], length: number): readonly CodeToken[] {
  const missing = length - tokens.reduce((sum, { text }) => sum + text.length, 0);
  return missing > 0 ? [...tokens, { kind: 'plain', text: ' '.repeat(missing) }] : tokens;
}

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
