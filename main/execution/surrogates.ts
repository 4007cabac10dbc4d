/** Halves of the pairs in which UTF-16 keeps characters beyond U+FFFF: text must not be cut between them. */

/** Whether the unit at `at` is a first half; false outside the text. */
export function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Whether the unit at `at` is a second half; false outside the text. */
export function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
