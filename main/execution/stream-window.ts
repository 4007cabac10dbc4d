/**
 * The part of a long stream that a document keeps: its beginning and its end, with what lies between counted and left out.
 * The hard part is that the places of the cuts depend on the text alone and never on the chunks it came in, and that a cut falls on a line
 * border where there is one near, never inside a character or a colour sequence.
 */

import { isHighSurrogate } from './surrogates.ts';
import { detached } from './terminal.ts';

/** Sizes in UTF-8 bytes. */
export interface WindowLimits {
  /** Kept of the beginning. */
  head: number;
  /** Kept of the end, at least. */
  tail: number;
  /** The end is cut in steps of this, so that not every line moves it. */
  step: number;
}

/** Together with the terminal's own rows (at most 128 KiB) these make at most 1 MiB of text. */
export const WINDOW_LIMITS: WindowLimits = { head: 256 * 1024, tail: 512 * 1024, step: 128 * 1024 };

/** How far from its wanted place a cut looks for a line border, as a part of the step. */
const BORDER_REACH = 0.5;
/** Pieces in which the end is kept, in UTF-16 units: cutting copies one piece and not the whole. */
const PIECE_UNITS = 64 * 1024;
/** Longest sequence that the terminal leaves in its text: a link. */
const SEQUENCE_LIMIT = 1100;
const SEQUENCE = /\x1b(?:\[[0-9;:]*m|\]8;;[^\x1b]*\x1b\\)/y;

interface Piece {
  text: string;
  /** Its length in UTF-8. */
  bytes: number;
}

export class StreamWindow {
  readonly #limits: WindowLimits;
  #head: string | null = null;
  #pieces: Piece[] = [];
  /** Everything pushed so far, in bytes and in UTF-16 units. */
  #bytes = 0;
  #units = 0;
  /** Where the kept end begins in the whole. */
  #tailBytes = 0;
  #tailUnits = 0;
  #omittedLines = 0;
  #omittedBytes = 0;

  constructor(limits: WindowLimits = WINDOW_LIMITS) {
    this.#limits = limits;
  }

  /** The beginning, once something was left out; before that everything is in `tail`. */
  get head(): string | null {
    return this.#head;
  }

  /** UTF-16 offset in the whole stream where the kept end begins. */
  get tailStart(): number {
    return this.#tailUnits;
  }

  /** UTF-16 units of the whole stream. */
  get end(): number {
    return this.#units;
  }

  get omitted(): { lines: number; bytes: number; at: number } | null {
    return this.#head === null ? null : { lines: this.#omittedLines, bytes: this.#omittedBytes, at: this.#head.length };
  }

  /** The kept text from offset `start` of the whole on; `start` must not lie before the kept end. */
  tail(start = this.#tailUnits): string {
    let text = '';
    let offset = this.#tailUnits;
    for (const piece of this.#pieces) {
      const from = Math.max(0, start - offset);
      if (from < piece.text.length) text += from === 0 ? piece.text : piece.text.slice(from);
      offset += piece.text.length;
    }
    return text;
  }

  /** Adds settled text of a terminal: well-formed, and with whole sequences only. */
  push(text: string): void {
    for (let from = 0; from < text.length; ) {
      let to = Math.min(text.length, from + PIECE_UNITS);
      if (to < text.length && isHighSurrogate(text, to - 1)) to += 1;
      this.#add(from === 0 && to === text.length ? text : text.slice(from, to));
      from = to;
    }
    const { head, tail, step } = this.#limits;
    if (this.#bytes <= head + tail + step) return;
    if (this.#head === null) this.#cutHead(head);
    const wanted = Math.floor((this.#bytes - tail) / step) * step;
    if (wanted > this.#tailBytes) this.#cutTail(wanted);
  }

  /** Copies the kept text, so that it doesn't keep the larger message alive that it was cut from. */
  detach(): void {
    for (const piece of this.#pieces) piece.text = detached(piece.text);
    if (this.#head !== null) this.#head = detached(this.#head);
  }

  #add(text: string): void {
    const bytes = Buffer.byteLength(text);
    const last = this.#pieces[this.#pieces.length - 1];
    if (last && last.text.length + text.length <= PIECE_UNITS) {
      last.text += text;
      last.bytes += bytes;
    } else this.#pieces.push({ text, bytes });
    this.#bytes += bytes;
    this.#units += text.length;
  }

  #cutHead(limit: number): void {
    const text = this.tail();
    const at = unitAt({ text, bytes: this.#bytes - this.#tailBytes }, limit);
    const feed = text.lastIndexOf('\n', at - 1);
    const cut = feed >= at - this.#reach() ? feed + 1 : (sequenceAround(text, at)?.start ?? at);
    this.#head = text.slice(0, cut);
    this.#drop(cut);
    this.#omittedBytes = 0;
    this.#omittedLines = 0;
  }

  #cutTail(wanted: number): void {
    // Whole pieces go first; what a sequence around the cut could need stays.
    let whole = 0;
    let bytes = this.#tailBytes;
    for (const piece of this.#pieces) {
      bytes += piece.bytes;
      if (bytes > wanted - 4 * SEQUENCE_LIMIT) break;
      whole += piece.text.length;
    }
    if (whole > 0) this.#drop(whole);
    const before = wanted - this.#tailBytes;
    const near = this.#front(before + 1);
    const at = unitAt(near, before);
    let { text } = near;
    let feed = text.indexOf('\n', at - 1);
    if (feed < 0) {
      // Seldom: joining costs more than the rest.
      text = this.#front(before + 4 * this.#reach()).text;
      feed = text.indexOf('\n', at - 1);
    }
    this.#drop(feed >= 0 && feed < at + this.#reach() ? feed + 1 : (sequenceAround(text, at)?.end ?? at));
  }

  /** The first pieces of the kept end, at least `bytes` long. */
  #front(bytes: number): Piece {
    const front: Piece = { text: '', bytes: 0 };
    for (const piece of this.#pieces) {
      if (front.bytes >= bytes) break;
      front.text += piece.text;
      front.bytes += piece.bytes;
    }
    return front;
  }

  #reach(): number {
    return Math.floor(this.#limits.step * BORDER_REACH);
  }

  /** Leaves out the first `units` of the kept end. */
  #drop(units: number): void {
    let left = units;
    let whole = 0;
    for (const piece of this.#pieces) {
      if (piece.text.length > left) break;
      this.#count(piece.text, piece.bytes);
      left -= piece.text.length;
      whole += 1;
    }
    this.#pieces.splice(0, whole);
    const first = this.#pieces[0];
    if (left > 0 && first) {
      const gone = first.text.slice(0, left);
      const bytes = first.bytes === first.text.length ? left : Buffer.byteLength(gone);
      this.#count(gone, bytes);
      first.text = first.text.slice(left);
      first.bytes -= bytes;
    }
    this.#tailUnits += units;
  }

  #count(text: string, bytes: number): void {
    this.#omittedBytes += bytes;
    this.#tailBytes += bytes;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#omittedLines += 1;
  }
}

/** Index of the character at byte `offset` of the piece's UTF-8, or of the one that begins before it. */
function unitAt({ text, bytes }: Piece, offset: number): number {
  if (bytes === text.length) return offset;
  const encoded = Buffer.from(text, 'utf8');
  let end = Math.min(offset, encoded.length);
  while (end > 0 && end < encoded.length && (encoded[end]! & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end).length;
}

/** The sequence that a cut at `at` would break. */
function sequenceAround(text: string, at: number): { start: number; end: number } | null {
  // A link ends in an ESC of its own, so the ESC before that one may be the beginning.
  let start = at;
  for (let tries = 0; tries < 2; tries += 1) {
    start = start > 0 ? text.lastIndexOf('\x1b', start - 1) : -1;
    if (start < 0 || start < at - SEQUENCE_LIMIT) return null;
    SEQUENCE.lastIndex = start;
    if (SEQUENCE.test(text)) return SEQUENCE.lastIndex > at ? { start, end: SEQUENCE.lastIndex } : null;
  }
  return null;
}
