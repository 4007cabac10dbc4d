/**
 * Values to JSON text and back. Reading accepts Python's bare NaN and Infinity, which `JSON.parse` refuses; writing follows a file's own
 * spelling (indent, line ends, separators) and never writes such a token, since most readers refuse the file then.
 */

/** How a file is spelled. */
export interface FileStyle {
  /** One level of indentation; null when everything stands on one line. */
  indent: string | null;
  eol: '\n' | '\r\n';
  /** Between a key and its value, e.g. `: `. */
  colon: string;
  /** Between values that share a line, e.g. `, `. Only used when `indent` is null. */
  comma: string;
}

/** What nbformat and `JSON.stringify(notebook, null, 1)` write. */
export const USUAL_STYLE: FileStyle = { indent: ' ', eol: '\n', colon: ': ', comma: ',' };

/** The value of a span that the scanner has accepted. */
export function decodeJson(bytes: Buffer, start = 0, end = bytes.length): unknown {
  const text = bytes.toString('utf8', start, end);
  try {
    return JSON.parse(text);
  } catch (error) {
    const tamed = withoutBareTokens(text);
    if (tamed === text) throw error;
    return JSON.parse(tamed, (_key, value: unknown) => (value === NAN_MARK ? Number.NaN : value));
  }
}

/** Stands for NaN between the two steps of decoding; a private-use character keeps it apart from any real text. */
const NAN_MARK = '\uf8ffNaN';

/** Infinity can be said in JSON as a number too large to hold; NaN can't. */
function withoutBareTokens(text: string): string {
  let result = '';
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const plain = text.slice(at, quote === -1 ? text.length : quote);
    result += plain.replaceAll('NaN', JSON.stringify(NAN_MARK)).replaceAll('Infinity', '1e999');
    if (quote === -1) break;
    const end = stringEnd(text, quote);
    result += text.slice(quote, end);
    at = end;
  }
  return result;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    const slash = text.indexOf('\\', at);
    if (slash === -1 || slash > quote) return quote + 1;
    at = slash + 2;
  }
}

/** Line break and indentation at the given depth; nothing in a one-line file. */
export function newline(style: FileStyle, depth: number): string {
  return style.indent === null ? '' : style.eol + style.indent.repeat(depth);
}

/** What stands between two values at the given depth. */
export function separator(style: FileStyle, depth: number): string {
  return style.indent === null ? style.comma : `,${newline(style, depth)}`;
}

/**
 * The text of a value whose first line stands at nesting `depth`, as `JSON.stringify` would write it in this style. Numbers that JSON does not
 * have become null; `onNonFinite` hears of each.
 */
export function formatJson(value: unknown, style: FileStyle, depth: number, onNonFinite?: () => void): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    onNonFinite?.();
    return 'null';
  }
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(item, style, depth + 1, onNonFinite))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => JSON.stringify(key) + style.colon + formatJson(item, style, depth + 1, onNonFinite));
  return wrap(Array.isArray(value) ? '[]' : '{}', parts, style, depth);
}

/** Brackets around parts that are formatted for depth + 1 already. */
export function wrap(brackets: '[]' | '{}', parts: readonly string[], style: FileStyle, depth: number): string {
  if (parts.length === 0) return brackets;
  return brackets[0] + newline(style, depth + 1) + parts.join(separator(style, depth + 1)) + newline(style, depth) + brackets[1];
}

/** Equality of JSON values; NaN equals itself, key order does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  if (left.length !== Object.keys(b).length) return false;
  return left.every(([key, value]) => Object.hasOwn(b, key) && sameJson(value, (b as Record<string, unknown>)[key]));
}
