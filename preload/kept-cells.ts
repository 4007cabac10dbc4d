/**
 * What an undo must leave alone: a cell that the undone step made and that others have written in since. Yjs would take the cell away with all
 * that is in it; here the whole cell stays as it is, since the step's own half of it alone would make no sense to anybody.
 */
import * as Y from 'yjs';
import type { YCell } from './notebook-model.ts';

/** The part of a Yjs undo step that is needed here: the ids of everything it added. */
export type UndoStep = Pick<Y.UndoManager['undoStack'][number], 'insertions'>;

/** To be used as the `deleteFilter` of an undo manager of the cell map. */
export class KeptCells {
  readonly #cells: Y.Map<YCell>;
  readonly #isOwn: (item: Y.Item, steps: readonly UndoStep[]) => boolean;
  readonly #decided = new Map<Y.Item, boolean>();
  #steps: readonly UndoStep[] = [];
  #left: readonly UndoStep[] = [];

  /** `isOwn` tells what the undoing writer made from what others did; `steps` are those of the stack. */
  constructor(cells: Y.Map<YCell>, isOwn: (item: Y.Item, steps: readonly UndoStep[]) => boolean) {
    this.#cells = cells;
    this.#isOwn = isOwn;
  }

  /** To be called before each undo or redo with the stack it takes from: Yjs goes on to the next step when one has nothing to undo. */
  begin(stack: readonly UndoStep[]): void {
    this.#steps = [...stack];
    this.#left = stack;
    this.#decided.clear();
  }

  /** The keys of the cells that the undo since `begin` has left. */
  keys(): string[] {
    return [...this.#decided].flatMap(([item, kept]) => (kept && item.parentSub !== null ? [item.parentSub] : []));
  }

  mayDelete(item: Y.Item): boolean {
    const cell = cellItemOf(item, this.#cells);
    if (!cell) return true;
    const known = this.#decided.get(cell);
    if (known !== undefined) return !known;
    const step = this.#steps[this.#left.length];
    const kept = step !== undefined && wasMadeBy(cell, step) && hasContent(cell, (part) => !this.#isOwn(part, this.#steps));
    this.#decided.set(cell, kept);
    return !kept;
  }
}

/** The entry of the cell map that an item lies in, at any depth; null when it lies elsewhere. */
export function cellItemOf(item: Y.Item, cells: Y.Map<YCell>): Y.Item | null {
  let at: Y.Item | null = item;
  while (at && at.parent !== cells) at = (at.parent as Y.AbstractType<unknown> | null)?._item ?? null;
  return at;
}

/** A cell that came back by an undo is another entry under its old key. */
function wasMadeBy(cell: Y.Item, { insertions }: UndoStep): boolean {
  for (let at: Y.Item | null = cell; at; at = at.left) if (Y.isDeleted(insertions, at.id)) return true;
  return false;
}

/** True when some of the cell's present source, type or metadata fits. Its place and id are not what somebody wrote. */
function hasContent(cell: Y.Item, fits: (item: Y.Item) => boolean): boolean {
  const items: Y.Item[] = [];
  // Of a cell that came back, what was first written lies in the one that was deleted.
  for (let version: Y.Item | null = cell; version; version = version.left) items.push(...contentOf(version));
  return somePresent(items, fits);
}

function contentOf(cell: Y.Item): Y.Item[] {
  const fields = cell.content instanceof Y.ContentType ? cell.content.type : null;
  if (!fields) return [];
  const inner = (key: string): Y.AbstractType<unknown> | null => {
    const content = fields._map.get(key)?.content;
    return content instanceof Y.ContentType ? (content.type as Y.AbstractType<unknown>) : null;
  };
  const entries = [fields._map.get('type'), ...(inner('metadata')?._map.values() ?? [])];
  return [...entries.flatMap((entry) => (entry ? [...backwards(entry)] : [])), ...forwards(inner('source')?._start ?? null)];
}

function* backwards(newest: Y.Item): Generator<Y.Item> {
  for (let item: Y.Item | null = newest; item; item = item.left) yield item;
}

function* forwards(first: Y.Item | null): Generator<Y.Item> {
  for (let item = first; item; item = item.right) yield item;
}

/** True when what the text has now, or some of it, was first written by an item that fits. */
export function hasText(source: Y.Text, fits: (item: Y.Item) => boolean): boolean {
  return somePresent([...forwards(source._start)], fits);
}

/** The same of the present value of a map's key, given its newest item. */
export function hasEntry(newest: Y.Item, fits: (item: Y.Item) => boolean): boolean {
  return somePresent([...backwards(newest)], fits);
}

/**
 * Whether one of the present items fits. What an undo brought back is new to Yjs, made by whoever undid: it fits only when what it stands for
 * does as well. Neighbours that came back may have grown together.
 */
function somePresent(items: readonly Y.Item[], fits: (item: Y.Item) => boolean): boolean {
  const restored = new Map<string, Y.Item>();
  for (const item of items) if (item.redone) restored.set(`${item.redone.client} ${item.redone.clock}`, item);
  const fitsAll = (item: Y.Item): boolean => {
    if (!fits(item)) return false;
    const parts: Y.Item[] = [];
    const end = item.id.clock + item.length;
    for (let clock = item.id.clock; clock < end; clock += parts.at(-1)!.length) {
      const before = restored.get(`${item.id.client} ${clock}`);
      if (!before || clock + before.length > end) return true;
      parts.push(before);
    }
    return parts.some(fitsAll);
  };
  return items.some((item) => !item.deleted && fitsAll(item));
}
