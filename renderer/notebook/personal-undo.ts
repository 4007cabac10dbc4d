/**
 * Undo and redo of one person in one window: text and cell operations on one stack, never another writer's work.
 * Each step remembers the cell that had the focus, so that undoing leads the eye to where something changed.
 */
import * as Y from 'yjs';
import { cellMap } from '../../preload/notebook-model.ts';

/** Keystrokes closer together than this (milliseconds) are one step; much more and undo takes away whole paragraphs. */
const CAPTURE_MS = 500;

type StackItem = { meta: Map<unknown, unknown> };

export class PersonalUndo {
  readonly #manager: Y.UndoManager;
  /** The cell that has the focus now, as the view says. */
  focused: () => string | null = () => null;
  /** The cell that had it when the step began: deleting a cell moves the focus before the step is noted. */
  #before: string | null | undefined;

  constructor(doc: Y.Doc, origin: object) {
    this.#manager = new Y.UndoManager(cellMap(doc), { trackedOrigins: new Set([origin]), captureTimeout: CAPTURE_MS });
    this.#manager.on('stack-item-added', ({ stackItem, type }: { stackItem: StackItem; type: 'undo' | 'redo' }) => {
      if (type === 'undo' || !stackItem.meta.has('cell'))
        stackItem.meta.set('cell', this.#before === undefined ? this.focused() : this.#before);
    });
  }

  /** Makes a change that is a step of its own, however quickly others follow: cell operations are never joined with typing. */
  step<T>(change: () => T): T {
    this.#manager.stopCapturing();
    this.#before = this.focused();
    try {
      return change();
    } finally {
      this.#before = undefined;
      this.#manager.stopCapturing();
    }
  }

  /** Undoes one step. Gives the cell that had the focus when it was made, or null; undefined when there was nothing to undo. */
  undo(): string | null | undefined {
    return focusOf(this.#manager.undo());
  }

  redo(): string | null | undefined {
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

function focusOf(item: StackItem | null): string | null | undefined {
  return item === null ? undefined : ((item.meta.get('cell') as string | null | undefined) ?? null);
}
