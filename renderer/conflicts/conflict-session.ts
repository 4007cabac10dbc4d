/**
 * The settling of conflicts in one notebook, from the opening of the view to its end. Texts are changed in this window's replica, so that undo
 * takes a choice back like any edit; main only hears that the cell was settled, and after the change itself.
 */
import type { Bridge, Failure } from '../../preload/contract.ts';
import { cellFields, cellMap, setCellType, setSource } from '../../preload/notebook-model.ts';
import type { CellConflict, CellText } from '../../preload/outside-changes.ts';
import { insertCopies, removeCells } from '../notebook/cell-operations.ts';
import type { NotebookClient } from '../notebook/notebook-client.ts';
import type { Store } from '../shell/store.ts';
import { createStore } from '../shell/store.ts';
import type { ConflictChoice } from './conflict-words.ts';

export interface ConflictItem {
  conflict: CellConflict;
  /** Place in the notebook, from 1. */
  place: number;
  settled: ConflictChoice | null;
}

export interface ConflictState {
  items: readonly ConflictItem[];
  /** Key of the cell that is shown. */
  shown: string | null;
  loaded: boolean;
}

export class ConflictSession {
  readonly state: Store<ConflictState> = createStore<ConflictState>({ items: [], shown: null, loaded: false });
  readonly #bridge: Bridge;
  readonly #client: NotebookClient;
  readonly #fail: (failure: Failure) => void;

  constructor(bridge: Bridge, client: NotebookClient, fail: (failure: Failure) => void) {
    this.#bridge = bridge;
    this.#client = client;
    this.#fail = fail;
  }

  /** Asks main what is open now; what was settled here stays in the list. */
  async load(): Promise<void> {
    const answer = await this.#bridge.call('conflict.list', { docId: this.#client.docId });
    if (!answer.ok) {
      this.#fail(answer.error);
      return;
    }
    const open = new Map(answer.value.map((conflict) => [conflict.key, conflict]));
    this.state.set(({ items, shown }) => {
      const settled = items.filter(({ conflict, settled: choice }) => choice !== null && !open.has(conflict.key));
      const all = [...settled, ...[...open.values()].map((conflict): ConflictItem => ({ conflict, place: 0, settled: null }))]
        .map((item) => ({ ...item, place: this.#client.keys.indexOf(item.conflict.key) + 1 || item.place }))
        .sort((a, b) => a.place - b.place);
      const first = all.find((item) => item.settled === null) ?? all[0];
      const stays = all.some(({ conflict }) => conflict.key === shown);
      return { items: all, shown: stays ? shown : (first?.conflict.key ?? null), loaded: true };
    });
  }

  show(key: string): void {
    this.state.set((state) => ({ ...state, shown: key }));
  }

  /** What stands here now; null when the cell is gone. */
  here(key: string): CellText | null {
    if (!cellMap(this.#client.ydoc).has(key)) return null;
    const { type, source } = cellFields(this.#client.ydoc, key);
    return { type, source };
  }

  async choose(conflict: CellConflict, choice: ConflictChoice, edited: string): Promise<void> {
    const { key } = conflict;
    const before = this.here(key);
    const change = before && this.#client.undo.step(() => this.#change(conflict, choice, edited, before));
    const undone = { before: change?.isOther ? before : null, copy: change?.copy ?? null };
    const answer = await this.#bridge.call('conflict.settle', { docId: this.#client.docId, key, ...undone });
    if (!answer.ok) {
      this.#fail(answer.error);
      return;
    }
    this.state.set((state) => {
      const items = state.items.map((item) => (item.conflict.key === key ? { ...item, settled: choice } : item));
      const next = items.find((item) => item.settled === null);
      return { ...state, items, shown: next?.conflict.key ?? key };
    });
  }

  /** Whether the cell is another afterwards, and the cell beside it that holds the file's version. */
  #change(
    { key, theirs }: CellConflict,
    choice: ConflictChoice,
    edited: string,
    before: CellText,
  ): { isOther: boolean; copy: string | null } {
    const { ydoc, origin, keys } = this.#client;
    switch (choice) {
      case 'mine':
        return { isOther: false, copy: null };
      case 'theirs':
        if (theirs) {
          setSource(ydoc, key, theirs.source, origin);
          setCellType(ydoc, key, theirs.type, origin);
        }
        return { isOther: true, copy: null };
      case 'edited':
        setSource(ydoc, key, edited, origin);
        return { isOther: edited !== before.source, copy: null };
      case 'both':
        return { isOther: false, copy: theirs && insertCopies(ydoc, keys.indexOf(key) + 1, [{ ...theirs, metadata: {} }], origin)[0]! };
      case 'delete':
        removeCells(ydoc, [key], origin);
        return { isOther: true, copy: null };
    }
  }
}
