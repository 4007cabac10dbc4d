/**
 * JSON as Python writes it. Its `NaN`, `Infinity` and `-Infinity` are no JSON, and `JSON.parse` refuses the whole message for one of them;
 * they are rare, so the strict parser goes first and this one reads only what it refused.
 */

import { endOfString } from '../../../preload/exact-json.ts';

/** Marks a number in a string that JSON can carry. Holds a character that a kernel's own text can't start with by accident. */
const MARK = '\u0000cellwright-number:';

const TOKENS: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, '-Infinity': -Infinity };

/** Parses JSON; bare NaN and infinities become the numbers they name. Throws SyntaxError like `JSON.parse`. */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const marked = markTokens(text);
    if (marked === null) throw error;
    return JSON.parse(marked, (_key, value) =>
      typeof value === 'string' && value.startsWith(MARK) ? (TOKENS[value.slice(MARK.length)] ?? value) : value,
    );
  }
}

/** The text with every bare token outside of strings as a marked string, or null when there is none. */
function markTokens(text: string): string | null {
  const parts: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    const token = character === 'N' || character === 'I' || character === '-' ? tokenAt(text, at) : null;
    if (token === null) {
      at += 1;
      continue;
    }
    parts.push(text.slice(copied, at), JSON.stringify(MARK + token));
    at += token.length;
    copied = at;
  }
  return parts.length === 0 ? null : parts.join('') + text.slice(copied);
}

function tokenAt(text: string, at: number): string | null {
  for (const token of Object.keys(TOKENS)) if (text.startsWith(token, at)) return token;
  return null;
}
