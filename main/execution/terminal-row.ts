/**
 * One row of the terminal: kept as the kernel wrote it while text is only added at its end, and as single cells from the first overwrite on.
 * The change of form happens at an operation, never at a chunk border, so the text doesn't depend on how a stream was cut.
 */
import { applySgr, type Pen, PLAIN, transition, withLink } from './sgr.ts';
import { isHighSurrogate } from './surrogates.ts';

export interface Row {
  /** Pen in force where the row begins, and after its last character. */
  start: Pen;
  end: Pen;
  /** Continues the row above without a line feed between: a line longer than the terminal is wide. */
  soft: boolean;
  /** The row as written, colours included; unused once there are cells. */
  text: string;
  cells: { chars: string[]; pens: Pen[] } | null;
  /** Columns taken by `text`, or -1 while nobody has counted. */
  width: number;
}

/** A row of cells whose colours outweigh its text this much is kept without them: one link a character must not multiply a stream. */
const STYLED_ROW_LIMIT = 64 * 1024;
/** Text up to this length is counted when added to a row of known width; longer text makes the width unknown. */
const COUNT_LIMIT = 64;

export function newRow(pen: Pen, soft: boolean): Row {
  return { start: pen, end: pen, soft, text: '', cells: null, width: 0 };
}

/** Columns of the row: one for each code point (wide characters are not told apart). */
export function rowWidth(row: Row): number {
  if (row.cells) return row.cells.chars.length;
  if (row.width < 0) {
    let width = 0;
    forEachPart(row.text, (text) => {
      width += codePoints(text);
    });
    row.width = width;
  }
  return row.width;
}

/** What the row weighs in the terminal's memory limit. */
export function rowSize(row: Row): number {
  return row.cells ? row.cells.chars.length : row.text.length;
}

/** Adds plain text at the end of a row that has no cells. */
export function appendText(row: Row, text: string, pen: Pen): void {
  row.text += row.end === pen ? text : transition(row.end, pen) + text;
  row.end = pen;
  if (row.width >= 0) row.width = text.length <= COUNT_LIMIT ? row.width + codePoints(text) : -1;
}

/** Adds a colour or link sequence at the end of a row that has no cells, as the kernel spelled it. */
export function appendStyle(row: Row, sequence: string, before: Pen, after: Pen): void {
  row.text += (row.end === before ? '' : transition(row.end, before)) + sequence;
  row.end = after;
}

/** Writes one character over the cell at `column`; a gap before it is filled with blanks. */
export function putCell(row: Row, column: number, char: string, pen: Pen): void {
  const cells = toCells(row);
  while (cells.chars.length < column) {
    cells.chars.push(' ');
    cells.pens.push(PLAIN);
  }
  cells.chars[column] = char;
  cells.pens[column] = pen;
  row.end = cells.pens[cells.pens.length - 1]!;
}

/** Makes the first `count` cells blank; the row must be wider. */
export function blankCells(row: Row, count: number): void {
  const cells = toCells(row);
  cells.chars.fill(' ', 0, count);
  cells.pens.fill(PLAIN, 0, count);
}

/** Removes the cells from `column` on. */
export function truncateRow(row: Row, column: number): void {
  if (column === 0) {
    row.text = '';
    row.cells = null;
    row.width = 0;
    row.end = row.start;
  } else if (column < rowWidth(row)) {
    const cells = toCells(row);
    cells.chars.length = column;
    cells.pens.length = column;
    row.end = cells.pens[column - 1]!;
  }
}

/** The row as text that begins under `row.start` and leaves `next` in force. */
export function rowText(row: Row, next: Pen): string {
  return contents(row) + transition(row.end, next);
}

function contents(row: Row): string {
  if (!row.cells) return row.text;
  const { chars, pens } = row.cells;
  const parts: string[] = [];
  let pen = row.start;
  let size = 0;
  for (let column = 0; column < chars.length; column += 1) {
    const cellPen = pens[column]!;
    if (cellPen !== pen) {
      const sequence = transition(pen, cellPen);
      size += sequence.length;
      parts.push(sequence);
      pen = cellPen;
    }
    parts.push(chars[column]!);
  }
  if (size > STYLED_ROW_LIMIT) return chars.join('') + transition(row.start, row.end);
  return parts.join('');
}

function toCells(row: Row): { chars: string[]; pens: Pen[] } {
  if (row.cells) return row.cells;
  const chars: string[] = [];
  const pens: Pen[] = [];
  let pen = row.start;
  forEachPart(
    row.text,
    (text) => {
      for (const char of text) {
        chars.push(char);
        pens.push(pen);
      }
    },
    (params) => {
      pen = applySgr(pen, params);
    },
    (target) => {
      pen = withLink(pen, target);
    },
  );
  row.cells = { chars, pens };
  row.text = '';
  row.end = pens[pens.length - 1] ?? row.start;
  return row.cells;
}

const STYLE = /\x1b(?:\[([0-9;:]*)m|\]8;;([^\x1b]*)\x1b\\)/g;

function forEachPart(
  text: string,
  onText: (text: string) => void,
  onSgr?: (params: string) => void,
  onLink?: (target: string) => void,
): void {
  let from = 0;
  for (const match of text.matchAll(STYLE)) {
    if (match.index > from) onText(text.slice(from, match.index));
    if (match[1] !== undefined) onSgr?.(match[1]);
    else onLink?.(match[2]!);
    from = match.index + match[0].length;
  }
  if (from < text.length) onText(from === 0 ? text : text.slice(from));
}

function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) if (isHighSurrogate(text, index)) count -= 1;
  return count;
}
