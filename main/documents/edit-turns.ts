/**
 * Taking back what an agent did in one turn, as one step, however much others did since (SPEC section 6). The hard thing is what others built on
 * it: their words are never lost, so some of a turn may have to stay, and what stays is said.
 */
import * as Y from 'yjs';
import { cellItemOf, hasEntry, hasText, KeptCells } from '../../preload/kept-cells.ts';
import { cellMap, orderedKeys, type YCell } from '../../preload/notebook-model.ts';

export interface TurnName {
  agentId: string;
  turn: string;
}

/** The origin of a turn's edits. Whoever hears of an update can tell by it who made it. */
export class TurnOrigin implements TurnName {
  readonly agentId: string;
  readonly turn: string;

  constructor({ agentId, turn }: TurnName) {
    this.agentId = agentId;
    this.turn = turn;
  }
}

/**
 * Why something of a turn was not taken back: others wrote in a cell that it made; others changed the same field after it; others typed in the
 * source as well, of which only the turn's words were taken; the cell was deleted since; somebody deleted it and brought it back, after which
 * nobody can tell what in it was the turn's; its outputs were made anew since.
 */
export type KeptReason = 'written-in' | 'changed-since' | 'typed-in' | 'deleted-since' | 'brought-back' | 'run-since';

export interface KeptPart {
  key: string;
  reason: KeptReason;
}

export interface TakenBack {
  /** Cells that are others than before, or gone or back again. */
  changed: string[];
  kept: KeptPart[];
}

/** Turns that can be taken back; each keeps what it deleted in memory, so the oldest are let go. */
const KEPT_TURNS = 100;
const ONE_STEP = Number.MAX_SAFE_INTEGER;

type Step = Y.UndoManager['undoStack'][number];

interface Turn {
  origin: TurnOrigin;
  undo: Y.UndoManager;
  kept: KeptCells;
  /** What there was before its first edit: all else that is not the turn's came later. */
  before: Map<number, number> | null;
  /** The cells it changed, as they were in the model then: of those that others delete Yjs keeps nothing that could be asked. */
  cells: Map<string, Y.Item>;
}

export class EditTurns {
  readonly #doc: Y.Doc;
  readonly #cells: Y.Map<YCell>;
  readonly #canRestoreOutputs: (key: string) => boolean;
  readonly #turns = new Map<string, Turn>();

  /** `canRestoreOutputs` is asked for a cell whose outputs the turn cleared. */
  constructor(ydoc: Y.Doc, canRestoreOutputs: (key: string) => boolean) {
    this.#doc = ydoc;
    this.#cells = cellMap(ydoc);
    this.#canRestoreOutputs = canRestoreOutputs;
  }

  /** To be given to every edit of this turn. The same name gives the same origin. */
  origin(name: TurnName): TurnOrigin {
    const present = this.#turns.get(nameKey(name));
    if (present) return present.origin;
    const turn = this.#begin(name);
    this.#turns.set(nameKey(name), turn);
    for (const [key, { undo }] of this.#turns) {
      if (this.#turns.size <= KEPT_TURNS) break;
      undo.clear();
      undo.destroy();
      this.#turns.delete(key);
    }
    return turn.origin;
  }

  /** Turns that have something to take back, in the order they began. */
  list(): TurnName[] {
    return [...this.#turns.values()].filter(({ undo }) => undo.canUndo()).map(({ origin: { agentId, turn } }) => ({ agentId, turn }));
  }

  /** Null when this turn changed nothing, or was taken back already. */
  takeBack(name: TurnName): TakenBack | null {
    const turn = this.#turns.get(nameKey(name));
    if (!turn?.undo.canUndo()) return null;
    const kept = this.#foreseeKept(turn);
    turn.kept.begin(turn.undo.undoStack);
    const changed = this.#changedBy(() => turn.undo.undo());
    turn.before = null;
    turn.cells.clear();
    const madeCells = turn.kept.keys().map((key): KeptPart => ({ key, reason: 'written-in' }));
    return { changed, kept: this.#inOrder([...madeCells, ...kept]) };
  }

  /** Does again what was taken back. Null when there is nothing. */
  putBack(name: TurnName): { changed: string[] } | null {
    const turn = this.#turns.get(nameKey(name));
    if (!turn?.undo.canRedo()) return null;
    turn.kept.begin(turn.undo.redoStack);
    return { changed: this.#changedBy(() => turn.undo.redo()) };
  }

  #begin(name: TurnName): Turn {
    const origin = new TurnOrigin(name);
    const kept = new KeptCells(this.#cells, (item, steps) => steps.some(({ insertions }) => Y.isDeleted(insertions, item.id)));
    const undo = new Y.UndoManager(this.#cells, {
      trackedOrigins: new Set([origin]),
      captureTimeout: ONE_STEP,
      captureTransaction: (transaction) => {
        if (transaction.origin === origin) this.#note(turn, transaction);
        return true;
      },
      deleteFilter: (item) => kept.mayDelete(item),
    });
    const turn: Turn = { origin, undo, kept, before: null, cells: new Map() };
    return turn;
  }

  /** What will stay, seen before the undo: afterwards the turn's own parts can't be told from what was there. */
  #foreseeKept({ undo, before, cells: noted }: Turn): KeptPart[] {
    const [step] = undo.undoStack;
    if (!step) return [];
    const kept = new Map<string, KeptPart>();
    const isMine = (item: Y.Item): boolean => Y.isDeleted(step.insertions, item.id);
    const isLater = (item: Y.Item): boolean => !isMine(item) && item.id.clock >= (before?.get(item.id.client) ?? 0);
    const look = (item: Y.Item): void => {
      const cell = cellItemOf(item, this.#cells);
      const key = cell?.parentSub;
      if (!cell || cell.deleted || !key || kept.has(key) || isMine(cell)) return;
      const reason = this.#reasonToKeep(item, key, isMine, isLater);
      if (reason) kept.set(key, { key, reason });
    };
    for (const [key, cell] of noted) {
      const reason = this.#reasonOfGone(cell, key, step, isMine);
      if (reason) kept.set(key, { key, reason });
    }
    undo.doc.transact((transaction) => {
      for (const part of [step.insertions, step.deletions]) {
        Y.iterateDeletedStructs(transaction, part, (item) => (item instanceof Y.Item ? look(item) : undefined));
      }
    }, this);
    return [...kept.values()];
  }

  #note(turn: Turn, { beforeState, changed }: Y.Transaction): void {
    turn.before ??= new Map(beforeState);
    for (const [type, fields] of changed) {
      const inside = type._item && cellItemOf(type._item, this.#cells);
      const made = [...fields].map((key) => (type._item ? null : this.#cells._map.get(key ?? '')));
      for (const cell of [inside, ...made]) if (cell?.parentSub && !turn.cells.has(cell.parentSub)) turn.cells.set(cell.parentSub, cell);
    }
  }

  /** Of a cell that is not the one that the turn changed any more. */
  #reasonOfGone(changed: Y.Item, key: string, { deletions }: Step, isMine: (item: Y.Item) => boolean): KeptReason | null {
    const cell = latestVersion(changed, this.#doc);
    if (!cell.deleted || Y.isDeleted(deletions, cell.id)) return null;
    return this.#cells.has(key) ? 'brought-back' : isMine(changed) ? null : 'deleted-since';
  }

  #reasonToKeep(item: Y.Item, key: string, isMine: (item: Y.Item) => boolean, isLater: (item: Y.Item) => boolean): KeptReason | null {
    const { parent, parentSub } = item;
    if (parentSub === 'cleared') return isMine(item) && !this.#canRestoreOutputs(key) ? 'run-since' : null;
    if (parentSub === 'id') return null;
    if (parentSub !== null && parent instanceof Y.Map) {
      const present = parent._map.get(parentSub);
      return isMine(item) && present && hasEntry(present, isLater) ? 'changed-since' : null;
    }
    return parent instanceof Y.Text && hasText(parent, isLater) ? 'typed-in' : null;
  }

  /** As the notebook has them; cells that are gone come last. */
  #inOrder(parts: readonly KeptPart[]): KeptPart[] {
    const places = new Map(orderedKeys(this.#doc).map((key, place) => [key, place]));
    const place = ({ key }: KeptPart): number => places.get(key) ?? places.size;
    return [...parts].sort((a, b) => place(a) - place(b));
  }

  #changedBy(act: () => void): string[] {
    const changed = new Set<string>();
    const watch = (events: readonly Y.YEvent<Y.AbstractType<unknown>>[]): void => {
      for (const event of events) {
        if (event.path.length > 0) changed.add(String(event.path[0]));
        else for (const key of event.changes.keys.keys()) changed.add(key);
      }
    };
    this.#cells.observeDeep(watch);
    act();
    this.#cells.unobserveDeep(watch);
    return [...changed];
  }
}

/** What this document's own undo made of an item since. */
function latestVersion(item: Y.Item, { store }: Y.Doc): Y.Item {
  let latest = item;
  while (latest.redone) latest = Y.getItem(store, latest.redone) as Y.Item;
  return latest;
}

function nameKey({ agentId, turn }: TurnName): string {
  return JSON.stringify([agentId, turn]);
}
