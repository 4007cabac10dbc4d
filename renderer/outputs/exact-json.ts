/**
 * JSON whose whole numbers are exact: those that a number can't hold come as BigInt. Other programs write ids and nanoseconds of 19 digits, and a
 * viewer that shows other digits than the file has is worse than none.
 */

/** Keeps a number apart from any text between the two steps; a private-use character that no JSON number can hold. */
const MARK = '\uf8ff';

/** A string, or a whole number of so many digits that it may be too large. In valid JSON nothing else starts like either. */
const STRING_OR_LARGE = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** Throws SyntaxError like `JSON.parse`. */
export function parseExact(text: string): unknown {
  const marked = text.replace(STRING_OR_LARGE, (found) => (found[0] === '"' ? found : `"${MARK}${found}"`));
  if (marked === text) return JSON.parse(text);
  return JSON.parse(marked, (_key, value: unknown) => (isMarked(value) ? exact(value.slice(1)) : value));
}

function isMarked(value: unknown): value is string {
  return typeof value === 'string' && /^\uf8ff-?\d+$/.test(value);
}

function exact(digits: string): number | bigint {
  const value = Number(digits);
  return String(value) === digits ? value : BigInt(digits);
}
