/** A LaTeX output cut into prose and formulas, by the same rules as in markdown. Pure. */
import { mathAt } from './math.ts';

export interface LatexPart {
  /** Offset in the source. */
  at: number;
  text: string;
  /** null: prose. */
  tex: string | null;
  display: boolean;
}

export function latexParts(source: string): LatexPart[] {
  const parts: LatexPart[] = [];
  let from = 0;
  let at = 0;
  while (at < source.length) {
    const span = source[at] === '$' || source[at] === '\\' ? mathAt(source, at) : null;
    if (!span) {
      at += source[at] === '\\' ? 2 : 1;
      continue;
    }
    if (at > from) parts.push({ at: from, text: source.slice(from, at), tex: null, display: false });
    parts.push({ at, text: source.slice(at, span.end), tex: span.tex, display: span.display });
    from = span.end;
    at = span.end;
  }
  // Without any delimiter the whole is one formula.
  if (parts.length === 0 && source.trim() !== '') return [{ at: 0, text: source, tex: source, display: true }];
  if (from < source.length) parts.push({ at: from, text: source.slice(from), tex: null, display: false });
  return parts.filter((part) => part.tex !== null || part.text.trim() !== '');
}
