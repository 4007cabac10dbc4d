/**
 * What taking in another version of the file means for every cell, worked out before anything is changed. Pure: values in, a plan out. Cells
 * keep their keys, so that focus, selection, a run and undo go on with the cell they belong to.
 */
import type { CellFields } from '../../../preload/notebook-model.ts';
import { type CellContent, type ConflictKind, mergeCell, sameText } from './merge-cell.ts';
import { mergeOrder } from './merge-order.ts';

export interface MyCell {
  key: string;
  id: string | null;
  content: CellContent;
  /** It has outputs that the file never had. */
  ranHere: boolean;
}

export interface MergeInput {
  /** Cells of the file as it was, in its order, and what each held. */
  base: readonly string[];
  baseContent: (key: string) => CellContent;
  /** Cells of the file as it is. The keys are for those that are new here. */
  theirs: readonly CellFields[];
  /** For each cell of `theirs` its place in `base`, or -1. */
  match: readonly number[];
  /** Their cells whose text in the file is the same as before, byte for byte. */
  same: readonly boolean[];
  /** Keys here, in order. */
  order: readonly string[];
  mine: (key: string) => MyCell;
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
  const { theirs, order, match } = input;
  const here = new Set(order);
  const keys = theirKeys(input);
  const plan: MergePlan = { keys, deleted: [], added: [], changed: [], order: [], moved: false, conflicts: [], clashes: 0 };
  const kept = new Set(order);
  theirs.forEach((their, place) => {
    const key = keys[place]!;
    const isKnown = match[place] !== -1;
    if (isKnown && input.same[place]) return;
    const { type, source, metadata } = their;
    const content = { type, source, metadata };
    const was = isKnown ? input.baseContent(key) : null;
    const mine = here.has(key) ? input.mine(key) : null;
    const merged = mergeCell(was, mine?.content ?? null, content, mine?.ranHere);
    plan.clashes += merged.clashes;
    if (merged.conflict) plan.conflicts.push({ key, kind: merged.conflict, base: was, theirs: content });
    if (!merged.content) return;
    if (mine) addChange(plan, key, mine.content, merged.content);
    else {
      plan.added.push({ key, id: their.id, content: merged.content });
      kept.add(key);
    }
  });
  deleteMissing(plan, input, here, kept);
  arrange(plan, input, kept);
  return plan;
}

/** Every cell is there that was, and none is new: so it is with most changes, and then nothing has to be looked for. */
function hasAllCells({ base, theirs, match }: MergeInput): boolean {
  return theirs.length === base.length && !match.includes(-1);
}

function deleteMissing(plan: MergePlan, input: MergeInput, here: ReadonlySet<string>, kept: Set<string>): void {
  if (hasAllCells(input)) return;
  const there = new Set(plan.keys);
  for (const key of input.base) {
    if (there.has(key) || !here.has(key)) continue;
    const mine = input.mine(key);
    const was = input.baseContent(key);
    const merged = mergeCell(was, mine.content, null, mine.ranHere);
    if (merged.conflict) plan.conflicts.push({ key, kind: merged.conflict, base: was, theirs: null });
    if (merged.content) continue;
    plan.deleted.push(key);
    kept.delete(key);
  }
}

/** Most changes leave the order alone, which is told at once. */
function arrange(plan: MergePlan, { base, order }: MergeInput, kept: ReadonlySet<string>): void {
  const before = plan.deleted.length === 0 ? [...order] : order.filter((key) => kept.has(key));
  const isAsBefore = plan.added.length === 0 && plan.keys.length === base.length && plan.keys.every((key, place) => key === base[place]);
  plan.order = isAsBefore ? before : mergeOrder(base, order, plan.keys, kept);
  const added = new Set(plan.added.map(({ key }) => key));
  plan.moved = !isAsBefore && plan.order.filter((key) => !added.has(key)).some((key, place) => key !== before[place]);
}

/** A cell that both sides added is one cell: the same id, or the same text after the same cell. */
function theirKeys(input: MergeInput): string[] {
  const { base, theirs, match, order, mine } = input;
  if (hasAllCells(input)) return match.map((place) => base[place]!);
  const known = new Set(base);
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
                (sameText(cell.content, their) && cell.content.source !== '' && cell.after === (keys[place - 1] ?? null))),
          )
        : undefined;
    if (twin) twins.add(twin.key);
    keys.push(match[place] === -1 ? (twin?.key ?? their.key) : base[match[place]!]!);
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
