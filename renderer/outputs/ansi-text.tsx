/** ANSI text as elements. Text is only ever a text node: nothing a program prints can become markup. */
import type { CSSProperties, JSX, ReactNode } from 'react';
import { memo, useMemo } from 'react';
import type { AnsiRun, AnsiStyle } from './ansi.ts';
import { PLAIN, parseAnsi } from './ansi.ts';
import { ansiPaint } from './ansi-color.ts';
import styles from './ansi-text.module.css';
import { splitLinks } from './bare-links.ts';

/** Clicks on links bubble to the output area, which opens them outside. */
export const AnsiText = memo(function AnsiText(props: { text: string; start?: AnsiStyle }): JSX.Element {
  const runs = useMemo(() => parseAnsi(props.text, props.start ?? PLAIN).runs, [props.text, props.start]);
  return <AnsiRuns runs={runs} />;
});

export function AnsiRuns(props: { runs: readonly AnsiRun[] }): JSX.Element {
  // Runs have no identity beyond their place; they are replaced as a whole.
  return <>{props.runs.map((run, index) => renderRun(run, index))}</>;
}

function renderRun({ text, style }: AnsiRun, key: number): ReactNode {
  const content = style.link === null ? renderText(text) : renderLink(text, style.link, 0);
  const className = classesOf(style);
  const { color, background } = ansiPaint(style);
  if (!className && !color && !background) return <span key={key}>{content}</span>;
  const paint: CSSProperties = { color, backgroundColor: background };
  return (
    <span key={key} className={className || undefined} style={paint}>
      {content}
    </span>
  );
}

function renderText(text: string): ReactNode {
  const parts = splitLinks(text);
  if (parts.length === 1 && parts[0]!.href === null) return text;
  return parts.map((part, index) => (part.href === null ? part.text : renderLink(part.text, part.href, index)));
}

function renderLink(text: string, href: string, key: number): ReactNode {
  return (
    <a key={key} className={styles.link} href={href} title={href} rel="noreferrer">
      {text}
    </a>
  );
}

function classesOf(style: AnsiStyle): string {
  const names = [
    style.bold && styles.bold,
    style.faint && styles.faint,
    style.italic && styles.italic,
    style.underline && styles.underline,
    style.strike && styles.strike,
  ];
  return names.filter(Boolean).join(' ');
}
