/**
 * Which cell of one version of a notebook is which cell of another. Ids tell where both have them; what they leave open is told by equal
 * content, and last, between cells that are certain, by likeness. A cell is never matched by its number: that changes with every insertion.
 */
import type { CellType } from '../../../preload/notebook-model.ts';
import { atOnce, type Steps } from '../pacing.ts';

export interface CellFace {
  id: string | null;
  type: CellType;
  source: string;
}

/** For each cell of `theirs` the place of the same cell in `base`, or -1 for a new one. */
export function matchCells(base: readonly CellFace[], theirs: readonly CellFace[]): number[] {
  return atOnce(matchingSteps(base, theirs));
}

/** The same in steps that each go over ten thousand cells in a few milliseconds at most. */
export function* matchingSteps(base: readonly CellFace[], theirs: readonly CellFace[]): Steps<number[]> {
  const shorter = Math.min(base.length, theirs.length);
  let head = 0;
  while (head < shorter && isEqual(base[head]!, theirs[head]!)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isEqual(base.at(-1 - tail)!, theirs.at(-1 - tail)!)) tail += 1;
  yield;
  const faces = shareIds(base, theirs) ? (cells: readonly CellFace[]) => cells : withoutIds;
  yield;
  const middle = yield* matchMiddle(faces(base.slice(head, base.length - tail)), faces(theirs.slice(head, theirs.length - tail)));
  return theirs.map((_cell, place) => {
    if (place < head) return place;
    if (place >= theirs.length - tail) return place - theirs.length + base.length;
    const found = middle[place - head]!;
    return found === -1 ? -1 : found + head;
  });
}

/** A program that writes a notebook from its sources alone gives every cell a new id, which then tells nothing. */
function shareIds(base: readonly CellFace[], theirs: readonly CellFace[]): boolean {
  const ids = new Set(base.map(({ id }) => id));
  return theirs.some(({ id }) => id !== null && ids.has(id));
}

function withoutIds(cells: readonly CellFace[]): CellFace[] {
  return cells.map((cell) => ({ ...cell, id: null }));
}

function isEqual(a: CellFace, b: CellFace): boolean {
  return a.id === b.id && a.type === b.type && a.source === b.source;
}

/** The same for what is left between the cells that are equal at both ends: few, in a large notebook. */
function* matchMiddle(base: readonly CellFace[], theirs: readonly CellFace[]): Steps<number[]> {
  const match = new Array<number>(theirs.length).fill(-1);
  const taken = new Array<boolean>(base.length).fill(false);
  const pair = (mine: number, their: number): void => {
    match[their] = mine;
    taken[mine] = true;
  };
  const baseIds = uniqueIds(base);
  yield;
  const theirIds = uniqueIds(theirs);
  yield;
  pairByKey(taken, match, baseIds, theirIds, pair);
  yield;
  const contents = ({ type, source }: CellFace): string => `${type} ${source}`;
  const baseContents = ranked(base, contents, (place) => taken[place]!);
  yield;
  const theirContents = ranked(theirs, contents, (place) => match[place] !== -1);
  yield;
  pairByKey(taken, match, baseContents, theirContents, pair);
  yield;
  for (const gap of gaps(base.length, match, taken)) yield* pairAlike(base, theirs, gap, pair);
  return match;
}

/** Pairs what has the same name on both sides. */
function pairByKey(
  taken: readonly boolean[],
  match: readonly number[],
  baseNames: readonly (string | null)[],
  theirNames: readonly (string | null)[],
  pair: (mine: number, their: number) => void,
): void {
  const places = new Map<string, number>();
  for (let place = 0; place < taken.length; place += 1) {
    const name = baseNames[place];
    if (name != null && !taken[place]) places.set(name, place);
  }
  for (let place = 0; place < match.length; place += 1) {
    const name = theirNames[place];
    const found = name != null && match[place] === -1 ? places.get(name) : undefined;
    if (found !== undefined) pair(found, place);
  }
}

/** Ids, without those that several cells have. */
function uniqueIds(cells: readonly CellFace[]): (string | null)[] {
  const seen = new Map<string, number>();
  for (const { id } of cells) if (id !== null) seen.set(id, (seen.get(id) ?? 0) + 1);
  return cells.map(({ id }) => (id !== null && seen.get(id) === 1 ? id : null));
}

/** Contents with their number among equal ones, so that the second `import x` here is the second one there. */
function ranked(cells: readonly CellFace[], content: (cell: CellFace) => string, done: (place: number) => boolean): (string | null)[] {
  const seen = new Map<string, number>();
  return cells.map((cell, place) => {
    if (done(place)) return null;
    const text = content(cell);
    const rank = (seen.get(text) ?? 0) + 1;
    seen.set(text, rank);
    return `${rank} ${text}`;
  });
}

interface Gap {
  base: number[];
  theirs: number[];
}

/** Unmatched cells that lie between the same two matched neighbours on both sides. */
function gaps(total: number, match: readonly number[], taken: readonly boolean[]): Gap[] {
  const found: Gap[] = [];
  // Where cells were moved, gaps overlap: a cell belongs to the first that has it.
  const used = [...taken];
  let open: number[] = [];
  let last = -1;
  const close = (until: number): void => {
    const base: number[] = [];
    for (let place = last + 1; place < until; place += 1) if (!used[place]) base.push(place);
    if (base.length > 0 && open.length > 0) {
      found.push({ base, theirs: open });
      for (const place of base) used[place] = true;
    }
    open = [];
  };
  match.forEach((place, their) => {
    if (place === -1) open.push(their);
    else {
      close(place);
      last = place;
    }
  });
  close(total);
  return found;
}

/** Cells less alike than this are different ones: about a third of the lines must be the same. */
const ALIKE = 0.3;
/** A gap with more possible pairs than this is paired one by one in order. */
const MAX_PAIRS = 40_000;

/** Pairs the cells of a gap in order so that they are as alike as can be. Cells whose ids differ are different cells. */
function* pairAlike(
  base: readonly CellFace[],
  theirs: readonly CellFace[],
  gap: Gap,
  pair: (mine: number, their: number) => void,
): Steps<void> {
  const rows = gap.base.length;
  const columns = gap.theirs.length;
  const alone = rows === 1 && columns === 1;
  const score = (row: number, column: number): number => {
    const [one, other] = [base[gap.base[row]!]!, theirs[gap.theirs[column]!]!];
    if ((one.id !== null && other.id !== null) || one.type !== other.type) return 0;
    const value = likeness(one.source, other.source);
    return alone ? Math.max(value, ALIKE) : value < ALIKE ? 0 : value;
  };
  if (rows * columns > MAX_PAIRS) {
    for (let place = 0; place < Math.min(rows, columns); place += 1) {
      if (score(place, place) > 0) pair(gap.base[place]!, gap.theirs[place]!);
      yield;
    }
    return;
  }
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const paired = score(row, column);
      best[row]![column] = Math.max(
        best[row + 1]![column]!,
        best[row]![column + 1]!,
        paired > 0 ? paired + best[row + 1]![column + 1]! : 0,
      );
      yield;
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    yield;
    const paired = score(row, column);
    if (paired > 0 && best[row]![column] === paired + best[row + 1]![column + 1]!) {
      pair(gap.base[row]!, gap.theirs[column]!);
      row += 1;
      column += 1;
    } else if (best[row]![column] === best[row + 1]![column]) row += 1;
    else column += 1;
  }
}

/** Texts of at most this many lines are compared by pairs of letters: a changed letter makes another line of the only one. */
const FEW_LINES = 3;

/** How much two texts have in common, 0 to 1. */
function likeness(a: string, b: string): number {
  const left = a.split('\n');
  const right = b.split('\n');
  return Math.max(left.length, right.length) <= FEW_LINES ? common(letterPairs(a), letterPairs(b)) : common(left, right);
}

function letterPairs(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

/** Share of parts that both have. */
function common(left: readonly string[], right: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const part of left) counts.set(part, (counts.get(part) ?? 0) + 1);
  let shared = 0;
  for (const part of right) {
    const count = counts.get(part) ?? 0;
    if (count === 0) continue;
    counts.set(part, count - 1);
    shared += 1;
  }
  return shared === 0 ? 0 : (2 * shared) / (left.length + right.length);
}
