/**
 * Coloured source without an editor: the tokenizer's result as spans per line. Pure.
 * What a token means comes from the start of its name (`string.escape.python` is a string); the colours are tokens of the design.
 */
export type TokenKind = 'text' | 'keyword' | 'string' | 'number' | 'comment' | 'type' | 'function' | 'decorator' | 'operator';

export interface SourceSpan {
  kind: TokenKind;
  text: string;
}

/** As the editor's tokenizer gives it: where a token begins in its line, and its dotted name. */
export interface RawToken {
  offset: number;
  type: string;
}

/** First match wins, so the longer name comes before its own beginning. */
const KINDS: readonly (readonly [string, TokenKind])[] = [
  ['comment', 'comment'],
  ['string', 'string'],
  ['regexp', 'string'],
  ['number', 'number'],
  ['keyword.operator', 'operator'],
  ['keyword', 'keyword'],
  ['constant', 'number'],
  ['tag', 'decorator'],
  ['annotation', 'decorator'],
  ['decorator', 'decorator'],
  ['meta', 'decorator'],
  ['metatag', 'decorator'],
  ['function', 'function'],
  ['predefined', 'function'],
  ['builtin', 'function'],
  ['type', 'type'],
  ['namespace', 'type'],
  ['operator', 'operator'],
  ['delimiter', 'operator'],
];

export function tokenKind(type: string): TokenKind {
  return KINDS.find(([prefix]) => type === prefix || type.startsWith(`${prefix}.`))?.[1] ?? 'text';
}

/** Spans of each line. Neighbours of one kind are joined, which halves the elements on the page. */
export function sourceSpans(lines: readonly string[], tokens: readonly (readonly RawToken[])[]): SourceSpan[][] {
  return lines.map((line, index) => {
    const spans: SourceSpan[] = [];
    const row = tokens[index] ?? [];
    row.forEach((token, place) => {
      const text = line.slice(token.offset, row[place + 1]?.offset ?? line.length);
      const kind = tokenKind(token.type);
      const last = spans.at(-1);
      if (last?.kind === kind || (last && text.trim() === '')) last.text += text;
      else if (text) spans.push({ kind, text });
    });
    if (row.length === 0 && line) spans.push({ kind: 'text', text: line });
    return spans;
  });
}
