/**
 * Text with carriage returns, backspaces and cursor movement, as a terminal would leave it. Live streams come settled from the kernel
 * host; files written by other programs hold the raw bytes of their progress bars. Pure: text in, text with only colours and links out.
 */
import type { AnsiColor, AnsiStyle } from './ansi.ts';
import { PLAIN, parseAnsi, sameStyle } from './ansi.ts';

/** A carriage return before a line feed is only a line end. */
const MOVEMENT = /\r(?!\n|$)|[\b]|\x1b\[[\d;]*[A-HJKf]/;
/** Longer texts are shown as they are: a cell per character takes some forty times the text's memory. */
const MAX_LENGTH = 4_000_000;
/** No real terminal is higher; a larger count in a hostile text must not make rows. */
const MAX_MOVE = 1000;

export function movesCursor(text: string): boolean {
  return text.length <= MAX_LENGTH && MOVEMENT.test(text);
}

interface Row {
  characters: string[];
  styles: AnsiStyle[];
}

interface Screen {
  rows: Row[];
  row: number;
  column: number;
}

export function settleText(text: string): string {
  const screen: Screen = { rows: [{ characters: [], styles: [] }], row: 0, column: 0 };
  let style = PLAIN;
  let at = 0;
  const move = /\r|\n|[\b]|\x1b\[([\d;]*)([A-HJKf])/g;
  for (const match of text.matchAll(move)) {
    style = write(screen, text.slice(at, match.index), style);
    const code = match[0];
    if (code === '\n') lineFeed(screen);
    else if (code === '\r') screen.column = 0;
    else if (code === '\b') screen.column = Math.max(0, screen.column - 1);
    else moveCursor(screen, match[2]!, match[1]!, style);
    at = match.index + code.length;
  }
  write(screen, text.slice(at), style);
  return serialise(screen.rows);
}

function write(screen: Screen, text: string, style: AnsiStyle): AnsiStyle {
  if (text === '') return style;
  const parsed = parseAnsi(text, style);
  const row = screen.rows[screen.row]!;
  for (const run of parsed.runs) {
    for (const character of run.text) {
      while (row.characters.length < screen.column) pad(row);
      row.characters[screen.column] = character;
      row.styles[screen.column] = run.style;
      screen.column += 1;
    }
  }
  return parsed.end;
}

function pad(row: Row): void {
  row.characters.push(' ');
  row.styles.push(PLAIN);
}

function lineFeed(screen: Screen): void {
  screen.row += 1;
  screen.column = 0;
  if (screen.row === screen.rows.length) screen.rows.push({ characters: [], styles: [] });
}

function moveCursor(screen: Screen, code: string, parameters: string, style: AnsiStyle): void {
  const fields = parameters.split(';').map(Number);
  const first = fields[0] ?? 0;
  const count = Math.min(Math.max(first, 1), MAX_MOVE);
  switch (code) {
    case 'A':
    case 'F':
      screen.row = Math.max(0, screen.row - count);
      break;
    case 'B':
    case 'E':
      for (let step = 0; step < count; step += 1) stepDown(screen);
      break;
    case 'C':
      screen.column += count;
      break;
    case 'D':
      screen.column = Math.max(0, screen.column - count);
      break;
    case 'G':
      screen.column = count - 1;
      break;
    case 'K':
      eraseLine(screen, first, style);
      break;
    case 'J':
      if (first === 0) {
        eraseLine(screen, 0, style);
        screen.rows.length = screen.row + 1;
      }
      break;
    // H and f address a screen; a stream has none, so they only go to the start of the line.
    default:
      screen.column = 0;
  }
  if (code === 'E' || code === 'F') screen.column = 0;
}

function stepDown(screen: Screen): void {
  screen.row += 1;
  if (screen.row === screen.rows.length) screen.rows.push({ characters: [], styles: [] });
}

/** 0: to the end, 1: to the start, 2: all of it. */
function eraseLine(screen: Screen, mode: number, style: AnsiStyle): void {
  const row = screen.rows[screen.row]!;
  if (mode === 0) {
    row.characters.length = Math.min(row.characters.length, screen.column);
    row.styles.length = row.characters.length;
  } else {
    const end = mode === 1 ? Math.min(screen.column + 1, row.characters.length) : row.characters.length;
    for (let column = 0; column < end; column += 1) {
      row.characters[column] = ' ';
      row.styles[column] = { ...PLAIN, bg: style.bg };
    }
    if (mode === 2 && style.bg === null) {
      row.characters.length = 0;
      row.styles.length = 0;
    }
  }
}

function serialise(rows: readonly Row[]): string {
  let text = '';
  let style = PLAIN;
  rows.forEach((row, index) => {
    if (index > 0) text += '\n';
    row.characters.forEach((character, column) => {
      const next = row.styles[column]!;
      if (!sameStyle(next, style)) {
        text += changeStyle(style, next);
        style = next;
      }
      text += character;
    });
  });
  return text;
}

/** The sequences that lead from one style to another. */
function changeStyle(from: AnsiStyle, to: AnsiStyle): string {
  const codes = ['0'];
  if (to.bold) codes.push('1');
  if (to.faint) codes.push('2');
  if (to.italic) codes.push('3');
  if (to.underline) codes.push('4');
  if (to.inverse) codes.push('7');
  if (to.strike) codes.push('9');
  if (to.fg) codes.push(colorCode(to.fg, 30));
  if (to.bg) codes.push(colorCode(to.bg, 40));
  const link = to.link === from.link ? '' : `\x1b]8;;${to.link ?? ''}\x1b\\`;
  return `\x1b[${codes.join(';')}m${link}`;
}

function colorCode(color: AnsiColor, base: number): string {
  if ('rgb' in color) return `${base + 8};2;${color.rgb.join(';')}`;
  return String(color.named < 8 ? base + color.named : base + 52 + color.named);
}
