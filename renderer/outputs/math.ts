/**
 * Formulas in markdown: where one begins and ends. TeX delimiters clash with ordinary text (prices, escaped brackets), so each kind has
 * its own rule, in the order Jupyter's users expect. Pure; drawing is in math-view.ts.
 */

export interface MathSpan {
  tex: string;
  display: boolean;
  /** Offset just behind the closing delimiter. */
  end: number;
}

/** The formula that starts at `at`, or null when that is ordinary text. A blank line ends the search: a formula never holds one. */
export function mathAt(text: string, at: number): MathSpan | null {
  const first = text[at];
  if (first === '$') return text[at + 1] === '$' ? displayDollars(text, at) : inlineDollars(text, at);
  if (first !== '\\') return null;
  const environment = /\\begin\{([a-zA-Z]+\*?)\}/y;
  environment.lastIndex = at;
  const name = environment.exec(text)?.[1];
  if (name) return environmentSpan(text, at, name);
  return bracketSpan(text, at);
}

function inlineDollars(text: string, at: number): MathSpan | null {
  let depth = 0;
  for (let end = at + 1; end < text.length; end += 1) {
    const character = text[end];
    if (character === '\\') end += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (character === '\n' && isBlankLine(text, end)) return null;
    else if (character === '$' && depth <= 0) {
      const tex = text.slice(at + 1, end);
      return isInlineMath(tex, text[end + 1]) ? { tex, display: false, end: end + 1 } : null;
    }
  }
  return null;
}

/** Two prices in one sentence are not a formula, and `$HOME and $PATH` is not one either. */
function isInlineMath(tex: string, after: string | undefined): boolean {
  if (tex.trim() === '') return false;
  if (after !== undefined && /\d/.test(after)) return false;
  if (looksLikeTex(tex)) return true;
  const isPadded = /^\s|\s$/.test(tex);
  const isPrice = /^\d[\d.,]*(?:\s|[kKmM]?\b\s|$)/.test(tex) && /\s[A-Za-z]{2,}|[-–—]$|\s$/.test(tex);
  const isProse = (tex.match(/[A-Za-z]{2,}/g) ?? []).length > 1;
  return !isPrice && !isProse && !(isPadded && /[A-Za-z]{2,}/.test(tex));
}

function looksLikeTex(tex: string): boolean {
  return /[\\^_{}]|[=<>+*/|&](?!\s*$)/.test(tex);
}

function displayDollars(text: string, at: number): MathSpan | null {
  for (let end = at + 2; end < text.length; end += 1) {
    const character = text[end];
    if (character === '\\') end += 1;
    else if (character === '\n' && isBlankLine(text, end)) return null;
    else if (character === '$' && text[end + 1] === '$') {
      const tex = text.slice(at + 2, end);
      return tex.trim() === '' ? null : { tex, display: true, end: end + 2 };
    }
  }
  return null;
}

/** `\(…\)` and `\[…\]`, also with the second backslash that markdown elsewhere needs. Single ones may be plain escaped brackets. */
function bracketSpan(text: string, at: number): MathSpan | null {
  const opening = /\\\\?([([])/y;
  opening.lastIndex = at;
  const found = opening.exec(text);
  if (!found) return null;
  const display = found[1] === '[';
  const closing = found[0].slice(0, -1) + (display ? ']' : ')');
  const start = at + found[0].length;
  const end = text.indexOf(closing, start);
  const blank = text.slice(start).search(/\n[ \t]*\n/);
  if (end === -1 || (blank !== -1 && start + blank < end)) return null;
  const tex = text.slice(start, end);
  const isSure = found[0].startsWith('\\\\') || looksLikeTex(tex) || /^\s*[A-Za-z]\s*$/.test(tex);
  return tex.trim() !== '' && isSure ? { tex, display, end: end + closing.length } : null;
}

function environmentSpan(text: string, at: number, name: string): MathSpan | null {
  const opening = `\\begin{${name}}`;
  const closing = `\\end{${name}}`;
  let depth = 0;
  for (let from = at; ; ) {
    const end = text.indexOf(closing, from);
    if (end === -1) return null;
    depth += occurrences(text.slice(from, end), opening) - 1;
    from = end + closing.length;
    if (depth <= 0) return { tex: text.slice(at, from), display: true, end: from };
  }
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

function isBlankLine(text: string, feed: number): boolean {
  return /^\n[ \t]*(\n|$)/.test(text.slice(feed, feed + 200));
}
