/**
 * What taking in another version of the file means for every cell, worked out before anything is changed. Pure: values in, a plan out. Cells
 * keep their keys, so that focus, selection, a run and undo go on with the cell they belong to.
 */
import type { CellType } from '../../../preload/notebook-model.ts';
import { type CellContent, type ConflictKind, mergeCell, sameText } from './merge-cell.ts';
import { mergeOrder } from './merge-order.ts';

/** A cell as the file had it. */
export interface BaseCell {
  key: string;
  id: string | null;
  type: CellType;
  source: string;
}

export interface TheirCell {
  /** The key it gets when it is new here. */
  key: string;
  id: string | null;
  content: CellContent;
}

export interface MyCell {
  key: string;
  id: string | null;
  content: CellContent;
  /** It has outputs that the file never had. */
  ranHere: boolean;
}

export interface MergeInput {
  base: readonly BaseCell[];
  theirs: readonly TheirCell[];
  /** For each cell of `theirs` its place in `base`, or -1. */
  match: readonly number[];
  /** Their cells whose text in the file is the same as before, byte for byte. */
  same: readonly boolean[];
  /** Keys here, in order. */
  order: readonly string[];
  mine: (key: string) => MyCell;
  baseMetadata: (key: string) => Record<string, unknown>;
}

export interface Conflict {
  key: string;
  kind: ConflictKind;
  base: CellContent | null;
  theirs: CellContent | null;
}

export interface MergePlan {
  /** For each cell of theirs the key it has from now on. */
  keys: string[];
  deleted: string[];
  added: { key: string; id: string | null; content: CellContent }[];
  changed: { key: string; content: CellContent; source: boolean; type: boolean; metadata: boolean }[];
  /** All cells in their new order. */
  order: string[];
  moved: boolean;
  conflicts: Conflict[];
  clashes: number;
}

export function planMerge(input: MergeInput): MergePlan {
  const { base, theirs, order, match } = input;
  const here = new Set(order);
  const keys = theirKeys(input);
  const plan: MergePlan = { keys, deleted: [], added: [], changed: [], order: [], moved: false, conflicts: [], clashes: 0 };
  const kept = new Set(order);
  theirs.forEach((their, place) => {
    const key = keys[place]!;
    const was = match[place] === -1 ? null : base[match[place]!]!;
    if (was && input.same[place]) return;
    const baseContent = was && contentOf(was, input.baseMetadata(was.key));
    const mine = here.has(key) ? input.mine(key) : null;
    const merged = mergeCell(baseContent, mine?.content ?? null, their.content, mine?.ranHere);
    plan.clashes += merged.clashes;
    if (merged.conflict) plan.conflicts.push({ key, kind: merged.conflict, base: baseContent, theirs: their.content });
    if (!merged.content) return;
    if (mine) addChange(plan, key, mine.content, merged.content);
    else {
      plan.added.push({ key, id: their.id, content: merged.content });
      kept.add(key);
    }
  });
  const there = new Set(keys);
  for (const was of base) {
    if (there.has(was.key) || !here.has(was.key)) continue;
    const mine = input.mine(was.key);
    const baseContent = contentOf(was, input.baseMetadata(was.key));
    const merged = mergeCell(baseContent, mine.content, null, mine.ranHere);
    if (merged.conflict) plan.conflicts.push({ key: was.key, kind: merged.conflict, base: baseContent, theirs: null });
    if (merged.content) continue;
    plan.deleted.push(was.key);
    kept.delete(was.key);
  }
  plan.order = mergeOrder(
    base.map(({ key }) => key),
    order,
    keys,
    kept,
  );
  const before = order.filter((key) => kept.has(key));
  const added = new Set(plan.added.map(({ key }) => key));
  plan.moved = plan.order.filter((key) => !added.has(key)).some((key, place) => key !== before[place]);
  return plan;
}

function contentOf({ type, source }: BaseCell, metadata: Record<string, unknown>): CellContent {
  return { type, source, metadata };
}

/** A cell that both sides added is one cell: the same id, or the same text after the same cell. */
function theirKeys({ base, theirs, match, order, mine }: MergeInput): string[] {
  const known = new Set(base.map(({ key }) => key));
  const fresh = order.filter((key) => !known.has(key)).map((key) => ({ ...mine(key), after: order[order.indexOf(key) - 1] ?? null }));
  const twins = new Set<string>();
  const keys: string[] = [];
  theirs.forEach((their, place) => {
    const twin =
      match[place] === -1
        ? fresh.find(
            (cell) =>
              !twins.has(cell.key) &&
              ((cell.id !== null && cell.id === their.id) ||
                (sameText(cell.content, their.content) && cell.content.source !== '' && cell.after === (keys[place - 1] ?? null))),
          )
        : undefined;
    if (twin) twins.add(twin.key);
    keys.push(match[place] === -1 ? (twin?.key ?? their.key) : base[match[place]!]!.key);
  });
  return keys;
}

function addChange(plan: MergePlan, key: string, before: CellContent, content: CellContent): void {
  const change = {
    key,
    content,
    source: before.source !== content.source,
    type: before.type !== content.type,
    metadata: JSON.stringify(before.metadata) !== JSON.stringify(content.metadata),
  };
  if (change.source || change.type || change.metadata) plan.changed.push(change);
}
