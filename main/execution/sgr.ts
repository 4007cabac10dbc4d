/**
 * Colours and links of terminal text as values: what an SGR or OSC 8 sequence does to the pen, and the shortest safe sequence from one pen
 * to another. The hard part is that a later sequence only changes some attributes, so a pen is kept as slots and not as the last sequence.
 */

/** The attributes in force for the next character. `sgr` is the canonical parameter list of `slots`, so pens are compared by text. */
export interface Pen {
  readonly slots: Readonly<Record<string, string>>;
  readonly sgr: string;
  /** Target of an OSC 8 hyperlink, or the empty string. */
  readonly link: string;
}

export const PLAIN: Pen = { slots: {}, sgr: '', link: '' };

/** Slots in the order in which they are written; every SGR code belongs to one of them. */
const SLOTS = [
  'bold',
  'dim',
  'italic',
  'underline',
  'blink',
  'inverse',
  'hidden',
  'strike',
  'font',
  'foreground',
  'background',
  'frame',
  'overline',
  'underlineColour',
  'script',
];

/** Codes that set one slot to themselves. */
const SETS: Record<number, string> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  5: 'blink',
  6: 'blink',
  7: 'inverse',
  8: 'hidden',
  9: 'strike',
  21: 'underline',
  51: 'frame',
  52: 'frame',
  53: 'overline',
  73: 'script',
  74: 'script',
};

/** Codes that empty slots. */
const CLEARS: Record<number, readonly string[]> = {
  10: ['font'],
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['inverse'],
  28: ['hidden'],
  29: ['strike'],
  39: ['foreground'],
  49: ['background'],
  54: ['frame'],
  55: ['overline'],
  59: ['underlineColour'],
  75: ['script'],
};

const EXTENDED: Record<number, string> = { 38: 'foreground', 48: 'background', 58: 'underlineColour' };

/** Results of `applySgr` by pen: streams repeat a few colours over and over. */
const known = new WeakMap<Pen, Map<string, Pen>>();
/** Sequences remembered per pen; a stream of ever new colours must not fill the memory. */
const KNOWN_LIMIT = 64;

/** The pen after `ESC [ params m`. Unknown codes change nothing (ECMA-48 section 8.3.117, ITU-T T.416 for colours with colons). */
export function applySgr(pen: Pen, params: string): Pen {
  let results = known.get(pen);
  if (!results || results.size >= KNOWN_LIMIT) {
    results = new Map();
    known.set(pen, results);
  }
  const result = results.get(params) ?? computeSgr(pen, params);
  results.set(params, result);
  return result;
}

function computeSgr(pen: Pen, params: string): Pen {
  let slots: Record<string, string> = { ...pen.slots };
  const codes = params.split(';');
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index]!;
    const number = code === '' ? 0 : Number.parseInt(code, 10);
    if (number === 0) slots = {};
    else if (number in EXTENDED) {
      const length = code.includes(':') ? 1 : extendedLength(codes, index);
      // What follows an unfinished colour was meant for it.
      if (length === 0) break;
      slots[EXTENDED[number]!] = codes.slice(index, index + length).join(';');
      index += length - 1;
    } else if (code.startsWith('4:')) {
      if (code === '4:0') delete slots.underline;
      else slots.underline = code;
    } else if (number in SETS) slots[SETS[number]!] = String(number);
    else if (number in CLEARS) for (const slot of CLEARS[number]!) delete slots[slot];
    else if (number >= 11 && number <= 20) slots.font = String(number);
    else if ((number >= 30 && number <= 37) || (number >= 90 && number <= 97)) slots.foreground = String(number);
    else if ((number >= 40 && number <= 47) || (number >= 100 && number <= 107)) slots.background = String(number);
  }
  return withSlots(pen, slots);
}

/** How many parameters an extended colour takes from `index` on: `38;5;n` or `38;2;r;g;b`; 0 when it isn't complete. */
function extendedLength(codes: readonly string[], index: number): number {
  const length = codes[index + 1] === '5' ? 3 : codes[index + 1] === '2' ? 5 : 0;
  return index + length <= codes.length ? length : 0;
}

function withSlots(pen: Pen, slots: Record<string, string>): Pen {
  const sgr = SLOTS.flatMap((slot) => slots[slot] ?? []).join(';');
  if (sgr === pen.sgr) return pen;
  return sgr === '' && pen.link === '' ? PLAIN : { slots, sgr, link: pen.link };
}

export function withLink(pen: Pen, link: string): Pen {
  if (link === pen.link) return pen;
  return pen.sgr === '' && link === '' ? PLAIN : { ...pen, link };
}

/** The sequence that makes a terminal go on with `to` where `from` is in force; empty when they are the same. */
export function transition(from: Pen, to: Pen): string {
  if (from === to) return '';
  const link = from.link === to.link ? '' : linkSequence(to.link);
  if (from.sgr === to.sgr) return link;
  if (to.sgr === '') return `${link}\x1b[0m`;
  return `${link}\x1b[${from.sgr === '' ? '' : '0;'}${to.sgr}m`;
}

/** The one spelling in which links are kept: no parameters, ended by `ESC \`. */
export function linkSequence(target: string): string {
  return `\x1b]8;;${target}\x1b\\`;
}

/** Text as the terminal keeps it, without its colours and links. Not for text straight from a kernel. */
export function withoutStyles(text: string): string {
  return text.includes('\x1b') ? text.replace(/\x1b(?:\[[0-9;:]*m|\]8;;[^\x1b]*\x1b\\)/g, '') : text;
}
