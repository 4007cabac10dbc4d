/**
 * JSON whose whole numbers are exact: those that a JavaScript number can't hold come as BigInt. Other programs write ids and nanoseconds of 19
 * digits, and a viewer that shows other digits than the file has is worse than none. The hard thing is to tell numbers from what looks like one
 * in a string, of a text of many megabytes.
 */

/** Keeps a number apart from any text while it is a string: a control character of private use, of one byte like most of such text. */
const MARK = '\u0091';
const MARKED = /^\u0091-?\d+$/;
const HOLDS_MARK = /\u0091|\\u0091/;

/** A whole number of so many digits that it may be too large, or a part of a string that looks like one. */
const LARGE = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** Throws SyntaxError like `JSON.parse`. */
export function parseExact(text: string): unknown {
  const marked = markLarge(text);
  if (marked === null) return JSON.parse(text);
  return JSON.parse(marked, (_key, value: unknown) => (typeof value === 'string' && MARKED.test(value) ? BigInt(value.slice(1)) : value));
}

/** Those numbers come as texts of their digits, for whoever writes JSON again. Throws SyntaxError like `JSON.parse`. */
export function parseWithDigits(text: string): unknown {
  const marked = markLarge(text);
  if (marked === null) return JSON.parse(text);
  return JSON.parse(marked, (_key, value: unknown) => (typeof value === 'string' && MARKED.test(value) ? value.slice(1) : value));
}

/** The JSON with each number that is too large as a string that begins with a mark; null when there is none. */
export function markLarge(text: string): string | null {
  if (HOLDS_MARK.test(text)) return null;
  const parts: string[] = [];
  let copied = 0;
  /** Up to here it is known what is a string; outside of one. */
  let known = 0;
  let quote = nextQuote(text, 0);
  for (const { 0: digits, index } of text.matchAll(LARGE)) {
    while (quote < index) {
      known = endOfString(text, quote);
      quote = nextQuote(text, known);
    }
    if (known > index || isExact(digits)) continue;
    parts.push(text.slice(copied, index), `"${MARK}${digits}"`);
    copied = index + digits.length;
  }
  return parts.length === 0 ? null : parts.join('') + text.slice(copied);
}

/** The JSON of a value that was parsed from marked JSON, with the numbers as they were; null when it has none of them. */
export function exactJsonOf(value: unknown): string | null {
  const json = JSON.stringify(value) ?? 'null';
  return json.includes(MARK) ? json.replace(/"\u0091(-?\d+)"/g, '$1') : null;
}

function isExact(digits: string): boolean {
  return String(Number(digits)) === digits;
}

/** The index of the next quote; the text's end when there is none. */
function nextQuote(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at === -1 ? text.length : at;
}

/** The index after the closing quote of the JSON string that opens at `start`; the text's end for one that never closes. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
}
