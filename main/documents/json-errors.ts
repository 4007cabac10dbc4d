/**
 * What is wrong with a JSON text and where. The scanner knows a byte offset; people and tools want a line and a column, which are worked out
 * only when there is an error, since counting lines of a large file costs time.
 */

export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Byte offset in the file, from 0. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  /** What is wrong, without the place, as a clause that starts in lower case. */
  readonly reason: string;

  constructor(bytes: Buffer, offset: number, reason: string) {
    const { line, column } = placeOf(bytes, offset);
    super(`line ${line}, column ${column} (byte ${offset}): ${reason}`);
    this.offset = offset;
    this.line = line;
    this.column = column;
    this.reason = reason;
  }
}

/** Line and column (both from 1; the column counts characters) of a byte offset. A byte order mark takes no column. */
export function placeOf(bytes: Buffer, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  let column = 1;
  // Continuation bytes of UTF-8 belong to the character before them.
  for (let at = lineStart; at < offset; at += 1) if ((bytes[at]! & 0xc0) !== 0x80) column += 1;
  return { line, column };
}

const NO_COMMENTS = 'JSON has no comments';

function isComment(byte: number): boolean {
  return byte === 0x2f || byte === 0x23;
}

/** The reason where something else than a value should stand; a comment is named as such. */
export function expectedReason(bytes: Buffer, offset: number, expected: string): string {
  return isComment(bytes[offset]!) ? NO_COMMENTS : expected;
}

/** Why no value can start with what stands at `offset`; names the usual causes. */
export function tokenReason(bytes: Buffer, offset: number): string {
  const byte = bytes[offset]!;
  if (isComment(byte)) return NO_COMMENTS;
  if (byte === 0x27) return 'JSON strings stand in double quotes';
  if (byte === 0x7d || byte === 0x5d || byte === 0x2c || byte === 0x3a) return `a value is missing before "${String.fromCharCode(byte)}"`;
  if (byte === 0) return 'there is a zero byte where a value should start';
  return `a value should start here, not ${JSON.stringify(wordAt(bytes, offset))}`;
}

function wordAt(bytes: Buffer, offset: number): string {
  const text = bytes.toString('utf8', offset, Math.min(bytes.length, offset + 48));
  const word = /^[\p{L}\p{N}_+.-]+/u.exec(text)?.[0] ?? [...text][0] ?? '';
  const characters = [...word];
  return characters.length > 20 ? `${characters.slice(0, 20).join('')}…` : word;
}
