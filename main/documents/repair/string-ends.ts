/** Where a string of damaged JSON ends, told by what comes after: the only way when a quote is missing or one too many. */

/** A quote ends its string when what follows can follow a string. */
export function isClosing(text: string, at: number): boolean {
  const after = /[ \t]*(\r?\n|.|$)/y;
  after.lastIndex = at + 1;
  return /^(?:[,:\]}"\r\n]|)$/.test(after.exec(text)?.[1]?.[0] ?? '');
}

/** The line starts as lines of a notebook do that begin another value: the string before it was never closed. */
export function startsLikeStructure(text: string, at: number): boolean {
  return /\s*["\]}]/y.test(text.slice(at, at + 200));
}
