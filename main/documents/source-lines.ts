/**
 * Source text and its form in the file. Only `\n` ends a line: a form feed, `\r`, U+2028 or U+0085 is text like any other, though some
 * writers split there, so arrays are always joined with nothing between, never with a line feed.
 */

/** Lines as nbformat stores them: each keeps its `\n`; no empty last element. `"a\n"` gives `["a\n"]`, `""` gives `[]`. */
export function toLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
    lines.push(text.slice(start, at + 1));
    start = at + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** The text of a multiline value, or null when it is neither a string nor an array of strings. */
export function multilineText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value.join('');
  return null;
}

/** Editors and kernels get `\n` alone (also for the `\r\r\n` of a doubled conversion); see `restoreLineEnds` for the way back. */
export function withLineFeeds(text: string): string {
  return text.includes('\r\n') ? text.replace(/\r+\n/g, '\n') : text;
}

/**
 * Puts the file's `\r\n` back into an edited text that has `\n` alone. Lines equal to those at the start and end of the stored text get
 * theirs exactly; new lines between get the kind of the line before them, so a cell of one kind stays of that kind.
 */
export function restoreLineEnds(stored: string, edited: string): string {
  if (!stored.includes('\r\n')) return edited;
  const old = toLines(stored);
  const lines = toLines(edited);
  const same = (a: string, b: string): boolean => a === b || withLineFeeds(a) === b;
  let head = 0;
  while (head < lines.length && head < old.length && same(old[head]!, lines[head]!)) head += 1;
  let tail = 0;
  while (tail < lines.length - head && tail < old.length - head && same(old.at(-1 - tail)!, lines.at(-1 - tail)!)) tail += 1;
  const crlf = (head > 0 ? old[head - 1]! : old[0]!).endsWith('\r\n');
  const middle = lines
    .slice(head, lines.length - tail)
    .map((line) => (crlf && line.endsWith('\n') && !line.endsWith('\r\n') ? `${line.slice(0, -1)}\r\n` : line));
  return [...old.slice(0, head), ...middle, ...old.slice(old.length - tail)].join('');
}
