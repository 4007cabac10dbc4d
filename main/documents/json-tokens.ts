/**
 * The parts of JSON's grammar that are plain loops over bytes: string content, escapes, numbers, words. Most of a notebook is string content, so
 * `skipPlain` decides how fast a file opens.
 */
import { JsonSyntaxError, tokenReason } from './json-errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;
const HEX = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') HEX[digit.charCodeAt(0)] = 1;

/**
 * Offset of the first byte in `from`..`stop` that is not plain string content, or `stop`. `view` is of the same bytes: four of them are looked at
 * at a time, also where they don't lie on a boundary of four.
 */
export function skipPlain(bytes: Buffer, view: DataView, from: number, stop: number): number {
  let pos = from;
  for (const last = stop - 16; pos <= last; pos += 16) {
    const first = special(view.getInt32(pos, true));
    if (first !== 0) return pos + firstByte(first);
    const second = special(view.getInt32(pos + 4, true));
    if (second !== 0) return pos + 4 + firstByte(second);
    const third = special(view.getInt32(pos + 8, true));
    if (third !== 0) return pos + 8 + firstByte(third);
    const fourth = special(view.getInt32(pos + 12, true));
    if (fourth !== 0) return pos + 12 + firstByte(fourth);
  }
  while (pos < stop && isPlain(bytes[pos]!)) pos += 1;
  return pos;
}

function isPlain(byte: number): boolean {
  return byte >= FIRST_PRINTABLE && byte !== QUOTE && byte !== BACKSLASH;
}

/**
 * Where the first byte of the word is a control character, a quote or a backslash, its high bit is the lowest that is set in the result. Bits of
 * bytes after it say nothing. Zero when the word has none. One test serves for two: with bit 1 turned round, a quote comes to lie right above the
 * control characters, which stay among themselves.
 */
function special(word: number): number {
  const turned = word ^ 0x02020202;
  const backslash = word ^ 0x5c5c5c5c;
  return (((turned - 0x21212121) & ~turned) | ((backslash - 0x01010101) & ~backslash)) & 0x80808080;
}

/** Index of the byte whose high bit is the lowest that is set. */
function firstByte(found: number): number {
  return (31 - Math.clz32(found & -found)) >>> 3;
}

/**
 * From after a value over `, "text"`, which is what long outputs are made of: the same as the scanner does state by state, at twice the speed. -1 where
 * something else stands, something is wrong, or the text does not end well before `stop`.
 */
export function textAfter(bytes: Buffer, view: DataView, from: number, stop: number): number {
  let at = from + 1;
  if (bytes[at] === 0x0a) at += 1;
  while (at < stop && bytes[at] === 0x20) at += 1;
  if (bytes[from] !== 0x2c || bytes[at] !== QUOTE || at >= stop) return -1;
  for (at += 1; ; at += 2) {
    at = skipPlain(bytes, view, at, stop);
    // Room for the longest escape.
    if (at + 6 > stop) return -1;
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return -1;
    const letter = bytes[at + 1]!;
    if (ESCAPES[letter] === 1) continue;
    if (letter !== 0x75 || (HEX[bytes[at + 2]!]! & HEX[bytes[at + 3]!]! & HEX[bytes[at + 4]!]! & HEX[bytes[at + 5]!]!) === 0) return -1;
    at += 4;
  }
}

/** End of the escape whose backslash is at `pos`. Throws JsonSyntaxError. */
export function escapeEnd(bytes: Buffer, pos: number, end: number): number {
  if (pos + 1 >= end) throw tooEarly(bytes, end);
  const letter = bytes[pos + 1]!;
  if (letter === 0x75) {
    for (let digit = pos + 2; digit < pos + 6; digit += 1) {
      if (digit >= end) throw tooEarly(bytes, end);
      if (HEX[bytes[digit]!] !== 1) throw new JsonSyntaxError(bytes, pos, 'a \\u escape needs four hexadecimal digits');
    }
    return pos + 6;
  }
  if (ESCAPES[letter] !== 1) throw new JsonSyntaxError(bytes, pos, 'a string holds an unknown escape');
  return pos + 2;
}

/** End of the number that starts at `start` with a digit or a minus. Throws JsonSyntaxError. */
export function numberEnd(bytes: Buffer, start: number, end: number): number {
  let pos = bytes[start] === 0x2d ? start + 1 : start;
  if (pos < end && bytes[pos] === 0x30) {
    pos += 1;
    if (pos < end && isDigit(bytes[pos]!)) throw new JsonSyntaxError(bytes, pos - 1, 'a number starts with a zero');
  } else pos = digitsEnd(bytes, pos, end);
  if (pos < end && bytes[pos] === 0x2e) pos = digitsEnd(bytes, pos + 1, end);
  if (pos < end && (bytes[pos] === 0x65 || bytes[pos] === 0x45)) {
    pos += 1;
    if (pos < end && (bytes[pos] === 0x2b || bytes[pos] === 0x2d)) pos += 1;
    pos = digitsEnd(bytes, pos, end);
  }
  return pos;
}

function digitsEnd(bytes: Buffer, from: number, end: number): number {
  let pos = from;
  while (pos < end && isDigit(bytes[pos]!)) pos += 1;
  if (pos > from) return pos;
  throw pos >= end ? tooEarly(bytes, end) : new JsonSyntaxError(bytes, pos, 'a digit is missing in a number');
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** End of `true`, `NaN` or another word that should stand at `start`. Throws JsonSyntaxError. */
export function wordEnd(bytes: Buffer, word: string, start: number, end: number): number {
  for (let index = 0; index < word.length; index += 1) {
    if (start + index >= end) throw tooEarly(bytes, end);
    if (bytes[start + index] !== word.charCodeAt(index)) throw new JsonSyntaxError(bytes, start, tokenReason(bytes, start));
  }
  return start + word.length;
}

/** The keys that cells are made of. To decode each of a hundred thousand anew takes as long as all the rest of reading them. */
const USUAL_KEYS: string[][] = [];
for (const key of ['attachments', 'cell_type', 'execution_count', 'id', 'metadata', 'outputs', 'source'])
  USUAL_KEYS[key.length] = [...(USUAL_KEYS[key.length] ?? []), key];
const NO_KEYS: readonly string[] = [];

/** Whether `text`, which is plain ASCII, stands at `start`. */
export function standsAt(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[start + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** What the string from quote to quote says. */
export function keyText(bytes: Buffer, start: number, end: number): string {
  for (const key of USUAL_KEYS[end - start - 2] ?? NO_KEYS) if (standsAt(bytes, start + 1, key)) return key;
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

function tooEarly(bytes: Buffer, end: number): JsonSyntaxError {
  return new JsonSyntaxError(bytes, end, 'the text ends too early');
}
