/**
 * File bytes to the UTF-8 that everything else works on. A UTF-8 file is used as it is, byte order mark included; anything else is converted
 * in memory and must never be written back over the original without the person's consent.
 */
import { isUtf8 } from 'node:buffer';
import { NotebookOpenError } from './errors.ts';
import { placeOf } from './json-errors.ts';
import { pacer } from './pacing.ts';

export interface DecodedText {
  bytes: Buffer;
  /** Where the text starts: after a UTF-8 byte order mark. */
  start: number;
  /** Says what was converted, or null when `bytes` are the file's own. */
  converted: string | null;
}

/** Throws NotebookOpenError for encodings that can't be told. */
export async function decodeFile(bytes: Buffer, name: string): Promise<DecodedText> {
  const marked = utf16(bytes, name);
  if (marked) return marked;
  const start = textStart(bytes);
  const invalid = looksLikeObject(bytes, start) ? await invalidBytes(bytes, name) : [];
  const [first] = invalid;
  if (first === undefined) return { bytes, start, converted: null };
  const { line } = placeOf(bytes, first);
  const value = `0x${bytes[first]!.toString(16).padStart(2, '0')}`;
  return {
    bytes: repaired(bytes, invalid),
    start,
    converted: `Byte ${value} at offset ${first} (line ${line}) is not UTF-8; it is shown as Windows-1252 text. The file is read-only here: save under another name to keep it as UTF-8.`,
  };
}

/** Where UTF-8 text starts: after its byte order mark. */
export function textStart(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Only what starts like a notebook is worth repairing; the reading that follows says what is wrong with other files. */
function looksLikeObject(bytes: Buffer, start: number): boolean {
  return /^\s*\{/.test(bytes.toString('latin1', start, start + 100));
}

function utf16(bytes: Buffer, name: string): DecodedText | null {
  const little = bytes[0] === 0xff && bytes[1] === 0xfe;
  const big = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (!little && !big) return null;
  if (little && bytes[2] === 0 && bytes[3] === 0) {
    throw new NotebookOpenError('not-notebook', `${name} is UTF-32 text, which is not supported.`, 'Convert it to UTF-8 first.');
  }
  const text = new TextDecoder(little ? 'utf-16le' : 'utf-16be').decode(bytes);
  const kind = `UTF-16 (${little ? 'little' : 'big'}-endian)`;
  return {
    bytes: Buffer.from(text),
    start: 0,
    converted: `The file is ${kind} text. It is read-only here: save under another name to keep it as UTF-8.`,
  };
}

const CHECK_BYTES = 1_000_000;
/** A file with more bytes that are not UTF-8 is no text in a wrong encoding, but something else. */
const MAX_INVALID = 100_000;

/** Offsets of the bytes that are not part of a UTF-8 character. */
async function invalidBytes(bytes: Buffer, name: string): Promise<number[]> {
  const invalid: number[] = [];
  const breathe = pacer();
  for (let from = 0; from < bytes.length; ) {
    let to = Math.min(bytes.length, from + CHECK_BYTES);
    // A slice must not end inside a character.
    for (let back = 0; back < 3 && to < bytes.length && (bytes[to]! & 0xc0) === 0x80; back += 1) to -= 1;
    if (!isUtf8(bytes.subarray(from, to))) addInvalid(bytes, from, to, invalid);
    if (invalid.length > MAX_INVALID) throw new NotebookOpenError('not-notebook', `${name} is not text.`, 'Choose a notebook file.');
    from = to;
    await breathe();
  }
  return invalid;
}

function addInvalid(bytes: Buffer, from: number, to: number, invalid: number[]): void {
  for (let at = from; at < to; ) {
    const length = characterLength(bytes, at);
    if (length === 0) invalid.push(at);
    at += Math.max(1, length);
  }
}

/** Bytes of the UTF-8 character at `at`, or 0 when there is none. */
function characterLength(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

/** Windows-1252 from 0x80 to 0x9f; above it is Latin-1. (Node's own decoder of that name gives Latin-1 here too.) */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The text with every byte that is not UTF-8 taken as Windows-1252, which is what such bytes nearly always are. */
function repaired(bytes: Buffer, invalid: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  let good = 0;
  for (const at of invalid) {
    const byte = bytes[at]!;
    parts.push(bytes.subarray(good, at), Buffer.from(WINDOWS_1252[byte - 0x80] ?? String.fromCharCode(byte)));
    good = at + 1;
  }
  parts.push(bytes.subarray(good));
  return Buffer.concat(parts);
}
