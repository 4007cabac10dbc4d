/**
 * What a person does in one open notebook: selection and modes, edits, runs. Commands, keys and buttons all end here.
 * It knows the cells that are drawn only through small handles they register, because most cells are not drawn at all.
 */
import { type CellType, clearOutputs } from '../../preload/notebook-model.ts';
import type { CaretPlace, CellEditor } from '../cells/editor/cell-editor.ts';
import type { Store } from '../shell/store.ts';
import { createStore } from '../shell/store.ts';
import type { CellCopy } from './cell-operations.ts';
import * as operations from './cell-operations.ts';
import { EarlyKeys } from './early-keys.ts';
import type { ModeAction, ModeState } from './mode.ts';
import { initialMode, reduceMode, selectedKeys } from './mode.ts';
import type { NotebookClient } from './notebook-client.ts';
import type { NotebookKernel } from './notebook-kernel.ts';
import { PageState } from './page-state.ts';

export interface ControllerOptions {
  client: NotebookClient;
  kernel: NotebookKernel;
  clipboard: Store<readonly CellCopy[]>;
}

export class NotebookController {
  readonly client: NotebookClient;
  readonly kernel: NotebookKernel;
  readonly mode: Store<ModeState>;
  /** Markdown cells that show their source although they are not edited. */
  readonly asSource = createStore<ReadonlySet<string>>(new Set());
  readonly page = new PageState();
  readonly earlyKeys = new EarlyKeys<KeyboardEvent>();
  readonly #editors = new Map<string, CellEditor>();
  readonly #clipboard: Store<readonly CellCopy[]>;
  readonly #ends: (() => void)[];

  constructor({ client, kernel, clipboard }: ControllerOptions) {
    this.client = client;
    this.kernel = kernel;
    this.#clipboard = clipboard;
    const first = client.keys[0] ?? null;
    this.mode = createStore<ModeState>({ ...initialMode, active: first, anchor: first });
    client.undo.focused = () => this.mode.get().active;
    let previous = client.keys;
    this.#ends = [
      client.on('keys', () => {
        this.#dispatch({ type: 'keys', previous });
        previous = client.keys;
      }),
    ];
  }

  dispose(): void {
    for (const end of this.#ends) end();
    this.client.dispose();
  }

  #dispatch(action: ModeAction): void {
    this.mode.set((state) => reduceMode(state, action, this.client.keys));
    if (!this.awaitsEditor) this.earlyKeys.drop();
  }

  // ---- focus and selection --------------------------------------------------------------------------------------------------------------

  /** A cell is to be edited, and its editor does not have the keyboard yet. */
  get awaitsEditor(): boolean {
    const { mode, focusRequest } = this.mode.get();
    return mode === 'edit' && focusRequest > this.page.focusServed;
  }

  get active(): string | null {
    return this.mode.get().active;
  }

  get selected(): string[] {
    return selectedKeys(this.mode.get(), this.client.keys);
  }

  select(key: string, options: { focus?: boolean } = {}): void {
    this.#dispatch({ type: 'select', key, ...options });
    this.page.list?.reveal(key);
  }

  extendTo(key: string): void {
    this.#dispatch({ type: 'extend', key });
  }

  step(by: number, extend: boolean): void {
    this.#dispatch({ type: 'step', by, extend });
    if (this.active !== null) this.page.list?.reveal(this.active);
  }

  selectAll(): void {
    this.#dispatch({ type: 'all' });
  }

  /** Opens a cell for typing. A rendered markdown cell shows its source from here on. */
  edit(key = this.active, caret: CaretPlace = 'keep'): void {
    if (key === null) return;
    this.page.caret = caret;
    if (this.client.kind(key)?.type === 'markdown') this.showSource(key, true);
    this.#dispatch({ type: 'edit', key });
    this.page.list?.reveal(key);
  }

  /** An editor got the focus by itself (a click into it): the mode follows. */
  editorFocused(key: string): void {
    const { active, mode } = this.mode.get();
    if (active !== key || mode !== 'edit') this.#dispatch({ type: 'edit', key, focus: false });
  }

  leave(): void {
    this.#dispatch({ type: 'leave' });
  }

  /** Gives the keyboard back to the notebook, after a menu or dialog took it. */
  refocus(): void {
    const { mode, active } = this.mode.get();
    this.page.caret = 'keep';
    this.#dispatch(mode === 'edit' && active !== null ? { type: 'edit' } : { type: 'leave' });
  }

  showSource(key: string, shown: boolean): void {
    this.asSource.set((before) => {
      if (before.has(key) === shown) return before;
      const next = new Set(before);
      if (shown) next.add(key);
      else next.delete(key);
      return next;
    });
  }

  registerEditor(key: string, editor: CellEditor): () => void {
    this.#editors.set(key, editor);
    return () => {
      if (this.#editors.get(key) === editor) this.#editors.delete(key);
    };
  }

  editorOf(key: string | null): CellEditor | null {
    return key === null ? null : (this.#editors.get(key) ?? null);
  }

  /** Arrow keys at the edge of a cell go on in the next one. Says whether they did. */
  stepOutOfEditor(direction: 'up' | 'down'): boolean {
    const { active, mode } = this.mode.get();
    if (mode !== 'edit' || active === null || !this.editorOf(active)?.atEdge(direction)) return false;
    const next = this.client.keys[this.client.keys.indexOf(active) + (direction === 'up' ? -1 : 1)];
    if (next === undefined) return false;
    const rendered = this.client.kind(next)?.type === 'markdown' && !this.asSource.get().has(next);
    if (rendered) this.select(next);
    else this.edit(next, direction === 'up' ? 'end' : 'start');
    return true;
  }

  // ---- edits --------------------------------------------------------------------------------------------------------------------------

  /** Runs one change as an undo step of its own. */
  #change<T>(change: (doc: NotebookClient['ydoc'], origin: unknown) => T): T {
    return this.client.undo.step(() => change(this.client.ydoc, this.client.origin));
  }

  /** Inserts an empty cell at place `index` (0..n) and selects it. */
  insertAt(index: number, type: CellType, edit: boolean): void {
    const [key] = this.#change((doc, origin) => operations.insertCopies(doc, index, [operations.emptyCell(type)], origin));
    if (key === undefined) return;
    if (type === 'markdown') this.showSource(key, true);
    if (edit) this.edit(key, 'start');
    else this.select(key);
  }

  insertBeside(side: 'above' | 'below', type: CellType, edit = false): void {
    const selected = this.selected;
    const { keys } = this.client;
    const index = side === 'above' ? keys.indexOf(selected[0] ?? '') : keys.indexOf(selected.at(-1) ?? '') + 1;
    this.insertAt(Math.max(0, index), type, edit);
  }

  deleteSelected(): void {
    const selected = this.selected;
    if (selected.length === 0) return;
    this.#change((doc, origin) => operations.removeCells(doc, selected, origin));
    if (this.active !== null) this.select(this.active);
  }

  copySelected(): void {
    this.#clipboard.set(operations.copyCells(this.client.ydoc, this.selected));
  }

  paste(side: 'above' | 'below'): void {
    const copies = this.#clipboard.get();
    if (copies.length === 0) return;
    const selected = this.selected;
    const { keys } = this.client;
    const index = side === 'above' ? Math.max(0, keys.indexOf(selected[0] ?? '')) : keys.indexOf(selected.at(-1) ?? '') + 1;
    const added = this.#change((doc, origin) => operations.insertCopies(doc, index, copies, origin));
    this.#dispatch({ type: 'range', from: added[0]!, to: added.at(-1)! });
    this.page.list?.reveal(added.at(-1)!);
  }

  get canPaste(): boolean {
    return this.#clipboard.get().length > 0;
  }

  shift(by: -1 | 1, keys = this.selected): void {
    this.#change((doc, origin) => operations.shiftCells(doc, keys, by, origin));
    if (this.active !== null) this.page.list?.reveal(this.active);
  }

  /** Puts cells before the cell that is at place `index` (0..n) now. */
  place(keys: readonly string[], index: number): void {
    this.#change((doc, origin) => operations.placeCells(doc, keys, index, origin));
  }

  split(): void {
    const key = this.active;
    const offsets = this.editorOf(key)?.selection();
    if (key === null || !offsets) return;
    const pieces = this.#change((doc, origin) => operations.splitCell(doc, key, offsets, origin));
    for (const piece of pieces) if (this.asSource.get().has(key)) this.showSource(piece, true);
    this.edit(pieces[1] ?? key, 'start');
  }

  /** Merges the selected cells, or the active one with the next. */
  merge(): void {
    const selected = this.selected;
    const next = this.client.keys[this.client.keys.indexOf(selected[0] ?? '') + 1];
    const keys = selected.length > 1 || next === undefined ? selected : [...selected, next];
    const merged = this.#change((doc, origin) => operations.mergeCells(doc, keys, origin));
    if (merged !== null) this.select(merged);
  }

  changeType(type: CellType, keys = this.selected): void {
    this.#change((doc, origin) => operations.changeTypes(doc, keys, type, origin));
    for (const key of keys) this.showSource(key, type === 'markdown');
    this.refocus();
  }

  toggleOutputs(keys = this.selected): void {
    const code = keys.filter((key) => this.client.kind(key)?.type === 'code');
    const hide = code.some((key) => !operations.outputsHidden(this.client.kind(key)?.metadata ?? {}));
    this.#change((doc, origin) => operations.setOutputsHidden(doc, code, hide, origin));
  }

  /** Outputs of cells that have none, and their counts, are left alone, so that the step is one that can be seen. */
  clearOutputs(keys: readonly string[] = this.selected): void {
    const { client } = this;
    const filled = keys.filter(
      (key) => client.kind(key)?.type === 'code' && (client.outputs.count(key) > 0 || client.run(key).executionCount !== null),
    );
    if (filled.length > 0) this.#change((doc, origin) => clearOutputs(doc, filled, origin));
  }

  undo(): void {
    this.#showStep(this.client.undo.undo());
  }

  redo(): void {
    this.#showStep(this.client.undo.redo());
  }

  #showStep(cell: string | null | undefined): void {
    if (typeof cell !== 'string' || !this.client.keys.includes(cell)) return;
    if (cell !== this.active) this.select(cell);
    else this.page.list?.reveal(cell);
  }

  // ---- runs ---------------------------------------------------------------------------------------------------------------------------

  /** Runs the code cells among `keys` in order; markdown among them is rendered. */
  runKeys(keys: readonly string[]): void {
    for (const key of keys) if (this.client.kind(key)?.type === 'markdown') this.showSource(key, false);
    this.kernel.run(keys);
  }

  runSelected(then: 'stay' | 'advance' | 'insert'): void {
    const selected = this.selected;
    const last = selected.at(-1);
    if (last === undefined) return;
    this.runKeys(selected);
    const next = this.client.keys[this.client.keys.indexOf(last) + 1];
    if (then === 'stay') this.leave();
    else if (then === 'insert' || next === undefined) this.insertAt(this.client.keys.indexOf(last) + 1, 'code', true);
    else this.select(next);
  }

  runAll(): void {
    this.runKeys(this.client.keys);
  }

  runAbove(): void {
    this.runKeys(this.client.keys.slice(0, this.client.keys.indexOf(this.selected[0] ?? '')));
  }

  runBelow(): void {
    this.runKeys(this.client.keys.slice(Math.max(0, this.client.keys.indexOf(this.selected[0] ?? ''))));
  }
}
