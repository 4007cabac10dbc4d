/** What stays in its place on the screen while other cells grow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anchorIndex, drawnIndices, dropPlace, flowGaps, paysByScroll, revealOffset } from '../../../renderer/notebook/anchoring.ts';

/** Ten cells of 100 px. */
const cells = Array.from({ length: 10 }, (_, index) => ({ index, start: index * 100, end: index * 100 + 100 }));
const view = (change: Partial<Parameters<typeof anchorIndex>[1]> = {}) => ({
  scrollTop: 250,
  height: 400,
  pointerY: null,
  editing: null,
  ...change,
});

describe('anchorIndex', () => {
  it('is the cell at the top for a reader', () => expect(anchorIndex(cells, view())).toBe(2));
  it('is the cell under the pointer', () => expect(anchorIndex(cells, view({ pointerY: 200 }))).toBe(4));
  it('is the edited cell while it is in view, before the pointer', () => {
    expect(anchorIndex(cells, view({ pointerY: 200, editing: 5 }))).toBe(5);
    expect(anchorIndex(cells, view({ pointerY: 200, editing: 9 }))).toBe(4);
  });
  it('is nothing when no cell is in view', () => expect(anchorIndex([], view())).toBeNull());
});

describe('paysByScroll', () => {
  it('holds the anchor still whichever cell grows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: -80, max: 900 }),
        fc.integer({ min: 0, max: 600 }),
        fc.option(fc.integer({ min: 0, max: 399 })),
        (grown, delta, scrollTop, pointerY) => {
          const at = { scrollTop, height: 400, pointerY, editing: null };
          const anchor = anchorIndex(cells, at)!;
          const pays = paysByScroll(cells[grown]!, anchor, scrollTop);
          const top = cells[anchor]!.start - scrollTop;
          const newTop = cells[anchor]!.start + (grown < anchor ? delta : 0) - (scrollTop + (pays ? delta : 0));
          expect(newTop).toBe(top);
        },
      ),
    );
  });

  it('holds the view still when nothing is anchored', () => {
    expect(paysByScroll(cells[1]!, null, 250)).toBe(true);
    expect(paysByScroll(cells[2]!, null, 250)).toBe(false);
  });
});

describe('flow', () => {
  it('leaves gaps for cells that are not drawn', () => {
    expect(flowGaps([cells[0]!, cells[4]!, cells[5]!], 1000)).toEqual({ before: [0, 300, 0], after: 400 });
    expect(flowGaps([], 500)).toEqual({ before: [], after: 500 });
  });

  it('draws what is near and what is pinned, once and in order', () => {
    expect(drawnIndices(4, 5, 1, 10, [5, 9, -1, 12])).toEqual([3, 4, 5, 6, 9]);
    expect(drawnIndices(0, 0, 3, 2, [0])).toEqual([0, 1]);
  });
});

describe('revealOffset', () => {
  const at = { scrollTop: 200, height: 400 };
  it.each([
    ['in view', { start: 300, end: 400 }, null],
    ['above', { start: 100, end: 180 }, 80],
    ['below', { start: 700, end: 800 }, 420],
    ['at the very top', { start: 0, end: 50 }, 0],
    ['larger than the view, below', { start: 700, end: 1500 }, 680],
    ['larger than the view, filling it', { start: 100, end: 1500 }, null],
  ])('%s', (_, part, offset) => expect(revealOffset(part, at, 20)).toBe(offset));
});

describe('dropPlace', () => {
  it('is the nearest border between two cells', () => {
    expect(dropPlace(cells, 130, 10)).toEqual({ index: 1, top: 100 });
    expect(dropPlace(cells, 170, 10)).toEqual({ index: 2, top: 200 });
    expect(dropPlace(cells, 5000, 10)).toEqual({ index: 10, top: 1000 });
    expect(dropPlace([], 0, 0)).toBeNull();
  });
});
