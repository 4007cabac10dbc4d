/**
 * The parts of JSON's grammar that are plain loops over bytes: string content, escapes, numbers. Most of a notebook is string content, so
 * `skipPlain` decides how fast a file opens.
 */
import { JsonSyntaxError } from './json-errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** 1 for bytes that a string may hold as they are. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, FIRST_PRINTABLE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;
const HEX = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') HEX[digit.charCodeAt(0)] = 1;

/** The first bytes of a string are done one by one: most strings of a notebook are short, and setting up for words costs more. */
const SHORT = 8;

/**
 * Offset of the first byte in `from`..`stop` that is not plain string content, or `stop`. `words` views the same memory four bytes at a time,
 * from the start of its ArrayBuffer.
 */
export function skipPlain(bytes: Buffer, words: Int32Array, from: number, stop: number): number {
  let pos = from;
  const near = Math.min(stop, pos + SHORT);
  while (pos < near) {
    if (PLAIN[bytes[pos]!] === 0) return pos;
    pos += 1;
  }
  const base = bytes.byteOffset;
  while (pos < stop && ((base + pos) & 3) !== 0) {
    if (PLAIN[bytes[pos]!] === 0) return pos;
    pos += 1;
  }
  const last = Math.min(words.length, (base + stop) >>> 2);
  let word = (base + pos) >>> 2;
  const unrolled = last - 3;
  for (; word < unrolled; word += 4) {
    const found = special(words[word]!) | special(words[word + 1]!) | special(words[word + 2]!) | special(words[word + 3]!);
    if ((found & 0x80808080) !== 0) break;
  }
  while (word < last && (special(words[word]!) & 0x80808080) === 0) word += 1;
  pos = Math.max(pos, word * 4 - base);
  while (pos < stop && PLAIN[bytes[pos]!] === 1) pos += 1;
  return pos;
}

/** The high bit of a byte of the result is set where a byte of the word is a control character, a quote or a backslash. */
function special(word: number): number {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  return ((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
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

export function tooEarly(bytes: Buffer, end: number): JsonSyntaxError {
  return new JsonSyntaxError(bytes, end, 'the text ends too early');
}
