/**
 * What a terminal would show of a stream: carriage returns, backspaces, erasing and cursor movement are carried out, colours and safe links
 * stay in the text, everything else that isn't text goes. Only the last rows can still change; older ones are given out as settled text.
 * The hard part is that chunks are cut anywhere: the result is the same however a stream was cut, and plain text costs one scan.
 */
import { readEscape } from './escape-sequence.ts';
import { applySgr, linkSequence, type Pen, PLAIN, withLink } from './sgr.ts';
import { isHighSurrogate } from './surrogates.ts';
import { appendStyle, appendText, blankCells, newRow, putCell, type Row, rowSize, rowText, rowWidth, truncateRow } from './terminal-row.ts';

/** Rows the cursor can come back to. Stacked progress bars use a few; more rows only cost memory. */
const ROWS = 256;
/** Longer lines are wrapped, as a terminal does, so that one edit never costs a whole long line. */
const COLUMNS = 8192;
/** Weight of the rows above the last that can still change, in UTF-16 units; it bounds what one redraw sends. */
const SCREEN_UNITS = 64 * 1024;
/** Settled rows are joined up to this many UTF-16 units. */
const PIECE_UNITS = 64 * 1024;
/** How far past the end of its row text can be put: more would let a few bytes make megabytes of blanks. */
const GAP_LIMIT = 256;

/** Everything but text, tab and line feed: control characters, and surrogates that aren't part of a pair. */
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export class Terminal {
  #rows: Row[] = [newRow(PLAIN, false)];
  /** Sum of the rows' sizes without the last one. */
  #size = 0;
  #pen = PLAIN;
  #row = 0;
  /** Column of the cursor, or -1 at the end of the last row, where its number doesn't matter. */
  #column = -1;
  /** A sequence or surrogate pair whose rest hasn't come yet. */
  #pending = '';
  #settled: string[] = [];

  /**
   * Takes text from the kernel and gives the text that can't change any more, which goes before `screen()`; in pieces, since joining a long one
   * to its neighbours would copy it.
   */
  write(chunk: string): string[] {
    const text = this.#pending + chunk;
    this.#pending = '';
    let at = 0;
    while (at < text.length) {
      SPECIAL.lastIndex = at;
      const stop = SPECIAL.exec(text)?.index ?? text.length;
      if (stop > at) this.#print(text, at, stop);
      if (stop === text.length) break;
      at = this.#special(text, stop);
      if (at < 0) {
        this.#pending = text.slice(stop);
        break;
      }
    }
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  /** The rows that can still change, as text. */
  screen(): string {
    let text = '';
    this.#rows.forEach((row, index) => {
      const next = this.#rows[index + 1];
      text += next ? rowText(row, next.start) + (next.soft ? '' : '\n') : rowText(row, this.#pen);
    });
    return text;
  }

  /** Copies the rows' text, so that they don't keep the much larger message alive that they were cut from. */
  detach(): void {
    for (const row of this.#rows) row.text = detached(row.text);
    // Not UTF-8: it may be the first half of a surrogate pair.
    this.#pending = Buffer.from(this.#pending, 'utf16le').toString('utf16le');
  }

  /** Carries out the special character at `at`; gives where the text goes on, or -1 when its rest is still to come. */
  #special(text: string, at: number): number {
    switch (text[at]) {
      case '\x1b':
        return this.#escape(text, at);
      case '\r':
        this.#moveTo(this.#row, 0);
        return at + 1;
      case '\b':
        this.#moveTo(this.#row, this.#currentColumn() - 1);
        return at + 1;
      default:
        if (text[at]! < '\ud800') return at + 1;
        if (text[at]! <= '\udbff' && at + 1 === text.length) return -1;
        this.#print('\ufffd', 0, 1);
        return at + 1;
    }
  }

  #escape(text: string, at: number): number {
    const sequence = readEscape(text, at);
    switch (sequence.kind) {
      case 'incomplete':
        return -1;
      case 'sgr':
        this.#style(applySgr(this.#pen, sequence.params), text.slice(at, sequence.end));
        break;
      case 'link':
        this.#style(withLink(this.#pen, sequence.target), linkSequence(sequence.target));
        break;
      case 'csi':
        this.#control(sequence.final, sequence.params);
        break;
      case 'dropped':
        break;
    }
    return sequence.end;
  }

  #style(pen: Pen, sequence: string): void {
    const before = this.#pen;
    this.#pen = pen;
    if (!this.#appends() || (sequence.startsWith('\x1b]') && pen === before)) return;
    if (this.#last().text.length >= 2 * COLUMNS) this.#newRow(true, before);
    appendStyle(this.#last(), sequence, before, pen);
  }

  /** Cursor movement and erasing (ECMA-48 8.3); other control sequences have no meaning in an output. */
  #control(final: string, params: string): void {
    const count = Math.min(Number.parseInt(params, 10) || 0, COLUMNS);
    const steps = Math.max(count, 1);
    const column = this.#currentColumn();
    if (final === 'A') this.#moveTo(this.#row - steps, column);
    else if (final === 'B') this.#moveTo(this.#row + steps, column);
    else if (final === 'C') this.#moveTo(this.#row, column + steps);
    else if (final === 'D') this.#moveTo(this.#row, column - steps);
    else if (final === 'E') this.#moveTo(this.#row + steps, 0);
    else if (final === 'F') this.#moveTo(this.#row - steps, 0);
    else if (final === 'G') this.#moveTo(this.#row, steps - 1);
    else if (final === 'J' && count === 0) this.#eraseBelow();
    else if (final === 'K' && count <= 2) this.#eraseInLine(count);
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.max(0, Math.min(row, this.#rows.length - 1));
    this.#column = Math.max(0, Math.min(column, COLUMNS - 1));
    const there = this.#rows[this.#row]!;
    if (there === this.#last() && !there.cells && this.#column === rowWidth(there)) this.#column = -1;
  }

  #eraseInLine(mode: number): void {
    const row = this.#rows[this.#row]!;
    const column = this.#currentColumn();
    if (mode === 0) this.#resize(row, () => truncateRow(row, column));
    else if (mode === 2 || column >= rowWidth(row)) this.#resize(row, () => truncateRow(row, 0));
    else this.#resize(row, () => blankCells(row, column + 1));
    this.#moveTo(this.#row, column);
  }

  #eraseBelow(): void {
    const column = this.#currentColumn();
    this.#rows.length = this.#row + 1;
    this.#size = this.#rows.slice(0, -1).reduce((sum, row) => sum + rowSize(row), 0);
    truncateRow(this.#last(), column);
    this.#moveTo(this.#row, column);
  }

  /** Writes text without special characters. */
  #print(text: string, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#appends()) {
        this.#append(text, at, to);
        return;
      }
      const feed = text.indexOf('\n', at);
      const stop = feed < 0 || feed >= to ? to : feed;
      if (stop > at) this.#overwrite(text.slice(at, stop));
      at = stop;
      if (at < to) {
        this.#lineFeed();
        at += 1;
      }
    }
  }

  /** The fast path: the cursor is at the end, so text is only added. */
  #append(text: string, from: number, to: number): void {
    let at = this.#skipAhead(text, from, to);
    while (at < to) {
      const feed = text.indexOf('\n', at);
      const stop = feed < 0 || feed >= to ? to : feed;
      while (at < stop) {
        const room = COLUMNS - this.#last().text.length;
        if (room <= 0) {
          this.#newRow(true, this.#pen);
          continue;
        }
        let end = Math.min(stop, at + room);
        if (end < stop && isHighSurrogate(text, end - 1)) end -= 1;
        if (end === at) this.#newRow(true, this.#pen);
        else appendText(this.#last(), text.slice(at, end), this.#pen);
        at = end;
      }
      if (at < to) {
        this.#newRow(false, this.#pen);
        at += 1;
      }
    }
  }

  /** Settles the part of long text that can't be on the screen in the end; gives where the rest begins, right after a line feed. */
  #skipAhead(text: string, from: number, to: number): number {
    const last = to - SCREEN_UNITS - 3 * COLUMNS;
    const feed = last > from ? text.lastIndexOf('\n', last) : -1;
    if (feed < from) return from;
    this.#settle(this.screen());
    this.#settled.push(text.slice(from, feed + 1));
    this.#rows = [newRow(this.#pen, false)];
    this.#size = 0;
    this.#row = 0;
    return feed + 1;
  }

  #overwrite(text: string): void {
    for (const char of text) {
      if (this.#currentColumn() >= COLUMNS) {
        if (this.#row === this.#rows.length - 1) this.#newRow(true, this.#pen);
        else this.#moveTo(this.#row + 1, 0);
      }
      const row = this.#rows[this.#row]!;
      const column = Math.min(this.#currentColumn(), rowWidth(row) + GAP_LIMIT);
      this.#resize(row, () => putCell(row, column, char, this.#pen));
      this.#column = column + 1;
    }
  }

  #lineFeed(): void {
    if (this.#row === this.#rows.length - 1) this.#newRow(false, this.#pen);
    else this.#moveTo(this.#row + 1, 0);
  }

  #newRow(soft: boolean, pen: Pen): void {
    this.#size += rowSize(this.#last());
    this.#rows.push(newRow(pen, soft));
    while (this.#rows.length > ROWS || this.#size > SCREEN_UNITS) {
      const row = this.#rows.shift()!;
      const next = this.#rows[0]!;
      this.#size -= rowSize(row);
      this.#settle(rowText(row, next.start) + (next.soft ? '' : '\n'));
    }
    this.#row = this.#rows.length - 1;
    this.#column = -1;
  }

  /** Short pieces are joined: there is one for each row. */
  #settle(text: string): void {
    const last = this.#settled.length - 1;
    if (last >= 0 && this.#settled[last]!.length < PIECE_UNITS) this.#settled[last] += text;
    else this.#settled.push(text);
  }

  #appends(): boolean {
    return this.#column < 0 && this.#last().cells === null;
  }

  #currentColumn(): number {
    return this.#column < 0 ? rowWidth(this.#last()) : this.#column;
  }

  #last(): Row {
    return this.#rows[this.#rows.length - 1]!;
  }

  #resize(row: Row, change: () => void): void {
    const before = rowSize(row);
    change();
    if (row !== this.#last()) this.#size += rowSize(row) - before;
  }
}

/** A copy of the text with its own memory: slices of a string keep the whole of it alive. Only for text without lone surrogates. */
export function detached(text: string): string {
  return text.length < 16 ? text : Buffer.from(text, 'utf8').toString('utf8');
}
