/**
 * How much of a long text a card shows before a person asks for more: the beginning of a source, the end of what was printed. Pure, and
 * without splitting the whole: a card is drawn again with every chunk that arrives.
 */

/** Lines of a collapsed source are twice this: enough to see what a cell is about, few enough to keep many cards in view. */
export const COLLAPSED_LINES = 3;
export const COLLAPSED_SOURCE_LINES = COLLAPSED_LINES * 2;
/** Printed lines of a collapsed cell. */
export const COLLAPSED_OUTPUT_LINES = 8;

export interface Collapsed {
  text: string;
  /** Lines that are not shown. */
  hidden: number;
}

/** The first lines. A final line end counts for none. */
export function firstLines(text: string, most: number): Collapsed {
  const whole = withoutLastEnd(text);
  let at = -1;
  for (let line = 0; line < most; line += 1) {
    at = whole.indexOf('\n', at + 1);
    if (at < 0) return { text: whole, hidden: 0 };
  }
  return { text: whole.slice(0, at), hidden: countEnds(whole, at) };
}

/** The last lines, as a terminal would have them in view. */
export function lastLines(text: string, most: number): Collapsed {
  const whole = withoutLastEnd(text);
  let at = whole.length;
  for (let line = 0; line < most; line += 1) {
    if (at === 0) return { text: whole, hidden: 0 };
    at = whole.lastIndexOf('\n', at - 1);
    if (at < 0) return { text: whole, hidden: 0 };
  }
  return { text: whole.slice(at + 1), hidden: countEnds(whole, 0) - countEnds(whole, at + 1) };
}

function withoutLastEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function countEnds(text: string, from: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
