/** Which character of a text a point on the screen is at: the browser's own answer, counted over the elements the text is split into. */
export function offsetAtPoint(root: HTMLElement, x: number, y: number): number | null {
  const range = document.caretRangeFromPoint(x, y);
  if (!range || !root.contains(range.startContainer)) return null;
  const before = document.createRange();
  before.setStart(root, 0);
  before.setEnd(range.startContainer, range.startOffset);
  return before.toString().replaceAll('\u200b', '').length;
}
