/**
 * Undo and redo of one person in one window: text and cell operations on one stack, never another writer's work.
 * Each step remembers the cell that had the focus, so that undoing leads the eye to where something changed.
 */
import * as Y from 'yjs';
import { KeptCells } from '../../preload/kept-cells.ts';
import { cellMap } from '../../preload/notebook-model.ts';

/** A pause this long (milliseconds) ends a step of typing; much longer and undo takes away whole paragraphs. */
const PAUSE_MS = 500;
/** Nobody pauses while a thought is written down: a step ends after this long all the same, or it would be the whole thought. */
const LONGEST_STEP_MS = 8_000;

type StackItem = { meta: Map<unknown, unknown> };

export class PersonalUndo {
  readonly #manager: Y.UndoManager;
  readonly #kept: KeptCells;
  /** Yjs clients whose work is this person's. */
  readonly #own: Set<number>;
  /** The cell that has the focus now, as the view says. */
  focused: () => string | null = () => null;
  /** The cell that had it when the step began: deleting a cell moves the focus before the step is noted. */
  #before: string | null | undefined;
  #isInStep = false;
  /** The present step of typing: where, since when, and its last key. */
  #typing: { text: unknown; since: number; latest: number; lineEnded: boolean } | null = null;

  constructor(doc: Y.Doc, origin: object) {
    const cells = cellMap(doc);
    this.#own = new Set([doc.clientID]);
    this.#kept = new KeptCells(cells, (item) => this.#own.has(item.id.client));
    this.#manager = new Y.UndoManager(cells, {
      trackedOrigins: new Set([origin]),
      // What belongs together is decided here and not by Yjs.
      captureTimeout: Number.MAX_SAFE_INTEGER,
      captureTransaction: (transaction) => {
        if (transaction.origin === origin && this.#beginsStep(transaction)) this.#manager.stopCapturing();
        return true;
      },
      deleteFilter: (item) => this.#kept.mayDelete(item),
    });
    this.#manager.on('stack-item-added', ({ stackItem, type }: { stackItem: StackItem; type: 'undo' | 'redo' }) => {
      if (type === 'undo' || !stackItem.meta.has('cell'))
        stackItem.meta.set('cell', this.#before === undefined ? this.focused() : this.#before);
    });
  }

  /** Typing goes on in one step within one cell and line, and for a while. */
  #beginsStep(transaction: Y.Transaction): boolean {
    const before = this.#typing;
    this.#typing = null;
    if (this.#isInStep) return false;
    const [text, ...others] = transaction.changed.keys();
    if (!(text instanceof Y.Text) || others.length > 0) return true;
    const latest = Date.now();
    const isSame =
      before?.text === text && !before.lineEnded && latest - before.latest < PAUSE_MS && latest - before.since < LONGEST_STEP_MS;
    this.#typing = { text, since: isSame ? before.since : latest, latest, lineEnded: endsLine(text, transaction) };
    return !isSame;
  }

  /** What this Yjs client wrote is the person's own: work of an earlier start that was restored. */
  takeOver(writer: number): void {
    this.#own.add(writer);
  }

  /** Makes a change that is a step of its own, however quickly others follow: cell operations are never joined with typing. */
  step<T>(change: () => T): T {
    this.#manager.stopCapturing();
    this.#before = this.focused();
    this.#isInStep = true;
    try {
      return change();
    } finally {
      this.#isInStep = false;
      this.#before = undefined;
      this.#manager.stopCapturing();
    }
  }

  /** Undoes one step. Gives the cell that had the focus when it was made, or null; undefined when there was nothing to undo. */
  undo(): string | null | undefined {
    this.#kept.begin(this.#manager.undoStack);
    return focusOf(this.#manager.undo());
  }

  redo(): string | null | undefined {
    this.#kept.begin(this.#manager.redoStack);
    return focusOf(this.#manager.redo());
  }

  get canUndo(): boolean {
    return this.#manager.undoStack.length > 0;
  }

  get canRedo(): boolean {
    return this.#manager.redoStack.length > 0;
  }

  /** True for the origin of a transaction that undo or redo made. */
  made(origin: unknown): boolean {
    return origin === this.#manager;
  }

  dispose(): void {
    this.#manager.destroy();
  }
}

/** The change put a line feed into the text: the editor's Enter, with whatever indentation it adds. */
function endsLine(text: Y.Text, transaction: Y.Transaction): boolean {
  for (let item = text._start; item; item = item.right) {
    const isNew = item.id.clock >= (transaction.beforeState.get(item.id.client) ?? 0);
    if (isNew && !item.deleted && item.content instanceof Y.ContentString && item.content.str.includes('\n')) return true;
  }
  return false;
}

function focusOf(item: StackItem | null): string | null | undefined {
  return item === null ? undefined : ((item.meta.get('cell') as string | null | undefined) ?? null);
}
