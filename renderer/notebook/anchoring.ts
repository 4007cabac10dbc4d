/**
 * Scroll anchoring: which cell must stay where it is on the screen while others change their height. Everything before that cell pays for
 * its own growth with a scroll of the same size. Pure, because the rule is the whole difficulty: the person's hand wins over the top edge.
 */
export interface Extent {
  index: number;
  /** Pixels from the top of the list. */
  start: number;
  end: number;
}

export interface AnchorView {
  scrollTop: number;
  height: number;
  /** Pointer position from the top edge of the view, or null when it is elsewhere. */
  pointerY: number | null;
  /** Index of the cell that is being typed into, or null. */
  editing: number | null;
}

/** The anchor's index; null when nothing is in view. `extents` are the drawn cells in order. */
export function anchorIndex(extents: readonly Extent[], view: AnchorView): number | null {
  const top = view.scrollTop;
  const bottom = top + view.height;
  const inView = extents.filter(({ start, end }) => end > top && start < bottom);
  if (inView.length === 0) return null;
  // Typing: the caret's line must not move.
  const editing = inView.find(({ index }) => index === view.editing);
  if (editing) return editing.index;
  // Pointing: what is under the hand must not move. Between two cells, the next one counts.
  if (view.pointerY !== null) {
    const y = top + view.pointerY;
    const pointed = inView.find(({ end }) => end > y);
    if (pointed) return pointed.index;
  }
  // Reading: the top of what is seen stays; a cell that has its head above the edge grows downwards.
  return inView[0]!.index;
}

/** Whether a cell that changed its height must be paid for by a scroll. */
export function paysByScroll(cell: Extent, anchor: number | null, scrollTop: number): boolean {
  return anchor === null ? cell.end <= scrollTop : cell.index < anchor;
}

/** Gaps to leave before each drawn cell, and after the last, when cells lie in normal flow but not every one is drawn. */
export function flowGaps(extents: readonly Extent[], total: number): { before: number[]; after: number } {
  let at = 0;
  const before = extents.map(({ start, end }) => {
    const gap = Math.max(0, start - at);
    at = end;
    return gap;
  });
  return { before, after: Math.max(0, total - at) };
}

/** The range of indices to draw: what is in view with some more around it, and the pinned cells (focus must not vanish). */
export function drawnIndices(start: number, end: number, overscan: number, count: number, pinned: readonly number[]): number[] {
  const from = Math.max(0, start - overscan);
  const to = Math.min(count - 1, end + overscan);
  const indices = new Set<number>(pinned.filter((index) => index >= 0 && index < count));
  for (let index = from; index <= to; index += 1) indices.add(index);
  return [...indices].sort((a, b) => a - b);
}

/** Where to scroll so that a part of the page is seen, with the least movement; null when it is seen already. */
export function revealOffset(
  part: { start: number; end: number },
  view: { scrollTop: number; height: number },
  margin: number,
): number | null {
  const top = view.scrollTop + margin;
  const bottom = view.scrollTop + view.height - margin;
  const fits = part.end - part.start <= bottom - top;
  if (fits && part.start >= top && part.end <= bottom) return null;
  // Larger than the view: its head is what is wanted, unless it fills the view already.
  if (!fits) return part.start <= top && part.end >= bottom ? null : Math.max(0, part.start - margin);
  return Math.max(0, part.start < top ? part.start - margin : part.end + margin - view.height);
}

export interface DropPlace {
  /** Cells would go before the one at this place. */
  index: number;
  /** Where the line is, from the top of the list. */
  top: number;
}

/** The place between two cells that is nearest to a height on the page. */
export function dropPlace(extents: readonly Extent[], y: number, count: number): DropPlace | null {
  const over = extents.find(({ end }) => y < end) ?? extents.at(-1);
  if (!over) return null;
  const below = y > (over.start + over.end) / 2;
  return { index: Math.min(over.index + (below ? 1 : 0), count), top: below ? over.end : over.start };
}
