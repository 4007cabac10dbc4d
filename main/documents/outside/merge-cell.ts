/**
 * Three versions of one cell to one: what both last had (`base`), what stands here (`mine`) and what the file has now (`theirs`). Pure. A
 * change on one side alone is taken; a source or type that both changed, each in its way, stays as it is here and is a conflict.
 */
import type { CellType } from '../../../preload/notebook-model.ts';
import { sameJson } from '../json-text.ts';

export interface CellContent {
  type: CellType;
  source: string;
  metadata: Record<string, unknown>;
}

/**
 * `both`: changed on both sides. `deleted-there`: changed or run here and deleted in the file. `deleted-here`: deleted here and changed in
 * the file; the cell is brought back, so that nothing is lost until somebody says so.
 */
export type ConflictKind = 'both' | 'deleted-there' | 'deleted-here';

export interface MergedCell {
  /** Null: the cell is gone. */
  content: CellContent | null;
  conflict: ConflictKind | null;
  /** Metadata entries that both sides changed; those of this side stay. */
  clashes: number;
}

/** Null for a side on which there is no such cell. `ranHere` says that the cell has outputs that the file never had. */
export function mergeCell(base: CellContent | null, mine: CellContent | null, theirs: CellContent | null, ranHere = false): MergedCell {
  if (!mine && !theirs) return { content: null, conflict: null, clashes: 0 };
  if (!mine) {
    if (base && sameText(base, theirs!)) return { content: null, conflict: null, clashes: 0 };
    return { content: theirs, conflict: base ? 'deleted-here' : null, clashes: 0 };
  }
  if (!theirs) {
    if (base && sameText(base, mine) && !ranHere) return { content: null, conflict: null, clashes: 0 };
    return { content: mine, conflict: base ? 'deleted-there' : null, clashes: 0 };
  }
  const type = mergeValue(base?.type, mine.type, theirs.type);
  const source = mergeValue(base?.source, mine.source, theirs.source);
  const metadata = mergeObjects(base?.metadata ?? {}, mine.metadata, theirs.metadata);
  const conflict = type.clash || source.clash ? 'both' : null;
  const text = conflict ? { type: mine.type, source: mine.source } : { type: type.value, source: source.value };
  return { content: { ...text, metadata: metadata.value }, conflict, clashes: metadata.clashes };
}

/** The same code or text, whatever the metadata. */
export function sameText(a: Pick<CellContent, 'type' | 'source'>, b: Pick<CellContent, 'type' | 'source'>): boolean {
  return a.type === b.type && a.source === b.source;
}

function mergeValue<T extends string>(base: T | undefined, mine: T, theirs: T): { value: T; clash: boolean } {
  if (mine === theirs || theirs === base) return { value: mine, clash: false };
  return { value: mine === base ? theirs : mine, clash: mine !== base };
}

type Fields = Record<string, unknown>;

/** Objects entry by entry, at every depth; what both changed stays as it is here and is counted. */
export function mergeObjects(base: Fields, mine: Fields, theirs: Fields): { value: Fields; clashes: number } {
  const value: Fields = {};
  let clashes = 0;
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const [was, here, there] = [base, mine, theirs].map((side) => (Object.hasOwn(side, key) ? side[key] : undefined));
    if (isObject(here) && isObject(there)) {
      const inner = mergeObjects(isObject(was) ? was : {}, here, there);
      value[key] = inner.value;
      clashes += inner.clashes;
      continue;
    }
    const takeTheirs = sameJson(here, was);
    if (!takeTheirs && !sameJson(there, was) && !sameJson(here, there)) clashes += 1;
    const chosen = takeTheirs ? there : here;
    if (chosen !== undefined) value[key] = chosen;
  }
  return { value, clashes };
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
