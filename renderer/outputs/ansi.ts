/**
 * ANSI text as runs of one style each: SGR colours and attributes, OSC 8 links; every other escape sequence is dropped. Pure and
 * incremental: the style and an unfinished sequence at the end of one piece are the start of the next, so text may be cut anywhere.
 */

/** 0..15 are the theme's named colours, everything else is a fixed colour. */
export type AnsiColor = { named: number } | { rgb: readonly [number, number, number] };

export interface AnsiStyle {
  fg: AnsiColor | null;
  bg: AnsiColor | null;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  strike: boolean;
  /** Target of an OSC 8 link, already checked by `safeHref`. */
  link: string | null;
}

export interface AnsiRun {
  text: string;
  style: AnsiStyle;
}

export interface AnsiParsed {
  runs: AnsiRun[];
  /** Style at the end: the start of the piece that follows. */
  end: AnsiStyle;
  /** Unfinished escape sequence at the end; put it before the piece that follows. */
  pending: string;
}

export const PLAIN: AnsiStyle = {
  fg: null,
  bg: null,
  bold: false,
  faint: false,
  italic: false,
  underline: false,
  inverse: false,
  strike: false,
  link: null,
};

/** A string sequence (OSC, DCS …) that is longer than this was never meant as one: its text is shown instead of swallowed. */
const MAX_STRING_SEQUENCE = 4096;

const SAFE_SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const CONTROL_SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** The target when it may be opened outside (http, https, mailto), else null. */
export function safeHref(target: string): string | null {
  if (target.length > MAX_STRING_SEQUENCE) return null;
  try {
    return SAFE_SCHEMES.has(new URL(target).protocol) ? target : null;
  } catch {
    return null;
  }
}

export function sameStyle(a: AnsiStyle, b: AnsiStyle): boolean {
  return (
    a === b ||
    (a.bold === b.bold &&
      a.faint === b.faint &&
      a.italic === b.italic &&
      a.underline === b.underline &&
      a.inverse === b.inverse &&
      a.strike === b.strike &&
      a.link === b.link &&
      sameColor(a.fg, b.fg) &&
      sameColor(a.bg, b.bg))
  );
}

function sameColor(a: AnsiColor | null, b: AnsiColor | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if ('named' in a) return 'named' in b && a.named === b.named;
  return 'rgb' in b && a.rgb.every((part, index) => part === b.rgb[index]);
}

/** The text without any escape sequence or control character (tab and line feed stay). */
export function stripAnsi(text: string): string {
  // Control sequences in good order need no parsing; what is left then shows whether anything else is there.
  const quick = text.includes('\x1b') ? text.replace(CONTROL_SEQUENCE, '') : text;
  if (!new RegExp(CONTROL).test(quick)) return quick;
  return parseAnsi(text)
    .runs.map((run) => run.text)
    .join('');
}

export function parseAnsi(text: string, start: AnsiStyle = PLAIN): AnsiParsed {
  const runs: AnsiRun[] = [];
  let style = start;
  let at = 0;
  const control = new RegExp(CONTROL);
  const emit = (from: number, to: number): void => {
    if (to <= from) return;
    const last = runs.at(-1);
    const piece = text.slice(from, to);
    if (last && sameStyle(last.style, style)) last.text += piece;
    else runs.push({ text: piece, style });
  };
  while (at < text.length) {
    control.lastIndex = at;
    const found = control.exec(text);
    if (!found) {
      emit(at, text.length);
      break;
    }
    emit(at, found.index);
    if (found[0] !== '\x1b') {
      at = found.index + 1;
      continue;
    }
    const sequence = readEscape(text, found.index);
    if (sequence === null) return { runs, end: style, pending: text.slice(found.index) };
    if (sequence.sgr !== null) style = applySgr(style, sequence.sgr);
    if (sequence.link !== undefined) style = { ...style, link: sequence.link };
    at = sequence.next;
  }
  return { runs, end: style, pending: '' };
}

/** The style at the end of a text. Most texts reset often, and nothing before the last reset counts. */
export function endStyle(text: string, start: AnsiStyle = PLAIN): AnsiStyle {
  const reset = text.includes('\x1b]') ? -1 : Math.max(text.lastIndexOf('\x1b[0m'), text.lastIndexOf('\x1b[m'));
  return reset === -1 ? parseAnsi(text, start).end : parseAnsi(text.slice(reset), start).end;
}

interface Escape {
  next: number;
  /** Parameters of an SGR sequence, or null for any other. */
  sgr: string | null;
  /** Set by OSC 8 only; null ends a link. */
  link?: string | null;
}

/** The escape sequence at `at`, or null when the text ends inside it. */
function readEscape(text: string, at: number): Escape | null {
  const kind = text[at + 1];
  if (kind === undefined) return null;
  if (kind === '[') return readControlSequence(text, at);
  if (kind === ']' || kind === 'P' || kind === 'X' || kind === '^' || kind === '_') return readStringSequence(text, at);
  let next = at + 1;
  while (isBetween(text, next, 0x20, 0x2f)) next += 1;
  if (next >= text.length) return null;
  return { next: isBetween(text, next, 0x30, 0x7e) ? next + 1 : next, sgr: null };
}

function readControlSequence(text: string, at: number): Escape | null {
  let next = at + 2;
  while (isBetween(text, next, 0x30, 0x3f)) next += 1;
  const parameters = text.slice(at + 2, next);
  const plainParameters = next;
  while (isBetween(text, next, 0x20, 0x2f)) next += 1;
  if (next >= text.length) return null;
  // A character that cannot stand here ends the sequence; what was read is dropped and the character is shown.
  if (!isBetween(text, next, 0x40, 0x7e)) return { next, sgr: null };
  const isSgr = text[next] === 'm' && next === plainParameters && /^[\d;:]*$/.test(parameters);
  return { next: next + 1, sgr: isSgr ? parameters : null };
}

/** Ends at BEL or ST. One that meets a line end or the length limit first never was a sequence: only its ESC is dropped. */
function readStringSequence(text: string, at: number): Escape | null {
  const limit = Math.min(text.length, at + MAX_STRING_SEQUENCE);
  for (let next = at + 2; next < limit; next += 1) {
    const code = text.charCodeAt(next);
    if (code === 0x0a) return { next: at + 1, sgr: null };
    const isStringTerminator = code === 0x1b && text[next + 1] === '\\';
    if (code === 0x07 || code === 0x9c || isStringTerminator) {
      const body = text.slice(at + 1, next);
      return { next: next + (isStringTerminator ? 2 : 1), sgr: null, ...readLink(body) };
    }
    if (code === 0x1b && next + 1 < text.length) return { next: at + 1, sgr: null };
  }
  return limit < text.length || text.length - at >= MAX_STRING_SEQUENCE ? { next: at + 1, sgr: null } : null;
}

function readLink(body: string): { link?: string | null } {
  const match = /^\]8;[^;]*;(.*)$/.exec(body);
  return match ? { link: safeHref(match[1]!) } : {};
}

function isBetween(text: string, at: number, low: number, high: number): boolean {
  const code = text.charCodeAt(at);
  return code >= low && code <= high;
}

/** Applies the parameters of one SGR sequence; no parameter means reset. Colon sub-parameters (ISO 8613-6) are understood. */
function applySgr(style: AnsiStyle, parameters: string): AnsiStyle {
  const fields = parameters.split(';');
  let next: AnsiStyle = style;
  for (let index = 0; index < fields.length; index += 1) {
    const parts = fields[index]!.split(':').map((part) => (part === '' ? 0 : Number(part)));
    const code = parts[0]!;
    if (code === 38 || code === 48) {
      const sub = parts.length > 1 ? parts.slice(1) : fields.slice(index + 1, index + 5).map((field) => Number(field || 0));
      const { color, used } = extendedColor(sub, parts.length > 1);
      if (parts.length === 1) index += used;
      if (color !== undefined) next = code === 38 ? { ...next, fg: color } : { ...next, bg: color };
    } else next = applyAttribute(next, code, parts[1]);
  }
  return sameStyle(next, style) ? style : next;
}

function applyAttribute(style: AnsiStyle, code: number, sub: number | undefined): AnsiStyle {
  if (code === 0) return { ...PLAIN, link: style.link };
  if (code >= 30 && code <= 37) return { ...style, fg: { named: code - 30 } };
  if (code >= 40 && code <= 47) return { ...style, bg: { named: code - 40 } };
  if (code >= 90 && code <= 97) return { ...style, fg: { named: code - 82 } };
  if (code >= 100 && code <= 107) return { ...style, bg: { named: code - 92 } };
  switch (code) {
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, faint: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: sub !== 0 };
    case 21:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 9:
      return { ...style, strike: true };
    case 22:
      return { ...style, bold: false, faint: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 29:
      return { ...style, strike: false };
    case 39:
      return { ...style, fg: null };
    case 49:
      return { ...style, bg: null };
    default:
      return style;
  }
}

/** `5;n` and `2;r;g;b` after 38 or 48; the colon form may have an empty colour space before r. `used` counts consumed fields. */
function extendedColor(sub: readonly number[], colons: boolean): { color?: AnsiColor; used: number } {
  if (sub[0] === 5) {
    const index = sub[1];
    return index !== undefined && index <= 255 ? { color: paletteColor(index), used: 2 } : { used: 2 };
  }
  if (sub[0] === 2) {
    const [r, g, b] = colons && sub.length >= 5 ? sub.slice(2, 5) : sub.slice(1, 4);
    if (r === undefined || g === undefined || b === undefined || Math.max(r, g, b) > 255) return { used: 4 };
    return { color: { rgb: [r, g, b] }, used: 4 };
  }
  return { used: 0 };
}

/** xterm's 256 colours: 16 named, a 6×6×6 cube, 24 greys. */
export function paletteColor(index: number): AnsiColor {
  if (index < 16) return { named: index };
  if (index >= 232) {
    const level = 8 + (index - 232) * 10;
    return { rgb: [level, level, level] };
  }
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return { rgb: [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)] };
}
