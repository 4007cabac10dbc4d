/**
 * A live notebook: the one owner of what its windows, agents and kernel change. The cells lie in a Yjs document that merges concurrent edits,
 * the outputs beside it. A save writes what was there when it began; what comes in meanwhile stays unsaved.
 */
import { resolve } from 'node:path';
import * as Y from 'yjs';
import { type CellFields, cellFields, cellMap } from '../../preload/notebook-model.ts';
import type { Output } from '../../preload/output-change.ts';
import type { RawOutputChange, RawPayload } from '../execution/run-protocol.ts';
import type { RunTarget } from '../execution/run-target.ts';
import type { CellFreshness } from './cell-freshness.ts';
import type { DiskState } from './disk-state.ts';
import type { DocumentCells } from './document-cells.ts';
import type { DocumentEvents, Events } from './document-events.ts';
import type { DocumentMetadata } from './document-metadata.ts';
import type { DocumentParts } from './document-parts.ts';
import type { DocumentSaving, FilePlace } from './document-saving.ts';
import type { DocumentState } from './document-state.ts';
import { DocumentUnsaved } from './document-unsaved.ts';
import { wireDocument } from './document-wiring.ts';
import { EditTurns } from './edit-turns.ts';
import { MIXED_NOTICE } from './line-ends.ts';
import type { NotebookFile } from './notebook-file.ts';
import type { OutsideChanges } from './outside/outside-changes.ts';
import type { SaveWitness } from './unsaved.ts';

export class NotebookDocument implements RunTarget {
  readonly id: string;
  readonly ydoc: Y.Doc;
  /** Edits of agents by turn, to be taken back as one step each. */
  readonly turns: EditTurns;
  readonly sources: DocumentCells['sources'];
  /** How the document differs from its file, and the way back to that. */
  readonly unsaved: DocumentUnsaved;
  /** Told of every save from its copy to its end. */
  saveWitness: SaveWitness | null = null;
  /** What other programs do to the file: looked at before each save. */
  readonly outside: OutsideChanges;
  readonly #parts: DocumentParts;
  readonly #cells: DocumentCells;
  readonly #events: DocumentEvents;
  readonly #metadata: DocumentMetadata;
  readonly #place: FilePlace;
  readonly #state: DocumentState;
  readonly #saving: DocumentSaving;

  constructor(parts: DocumentParts) {
    const { cells, events, metadata, outside, place, state, saving } = wireDocument(parts, () => this.saveWitness);
    this.id = parts.id;
    this.ydoc = parts.ydoc;
    this.turns = new EditTurns(parts.ydoc, (key) => cells.outputs.canRestore(key));
    this.sources = cells.sources;
    this.unsaved = new DocumentUnsaved(cells, metadata);
    this.outside = outside;
    this.#parts = parts;
    this.#cells = cells;
    this.#events = events;
    this.#metadata = metadata;
    this.#place = place;
    this.#state = state;
    this.#saving = saving;
  }

  on<N extends keyof Events>(event: N, listener: (...args: Events[N]) => void): () => void {
    return this.#events.on(event, listener);
  }

  // ---- state ---------------------------------------------------------------------------------------------------------------------------

  /** Absolute, as the person opened or saved it; null when it was never saved. */
  get path(): string | null {
    return this.#place.path;
  }

  get realPath(): string | null {
    return this.#place.realPath;
  }

  /** Where an untitled notebook would be saved. */
  get folder(): string | null {
    return this.#parts.folder;
  }

  /** Real path of the old file that this notebook was converted from. */
  get convertedFrom(): string | null {
    return this.#parts.convertedFrom;
  }

  /** The notebook's version has cell ids. */
  get hasIds(): boolean {
    return this.#place.hasIds;
  }

  get title(): string {
    return this.#state.title;
  }

  get readOnly(): boolean {
    return this.#place.readOnly;
  }

  get saving(): boolean {
    return this.#saving.isWriting;
  }

  get dirty(): boolean {
    return this.#state.dirty;
  }

  /** The person said so, or every output was made in this session. */
  get trusted(): boolean {
    return this.#state.trusted;
  }

  set trusted(value: boolean) {
    this.#state.trust(value);
  }

  get notices(): readonly string[] {
    return this.#state.notices;
  }

  addNotice(notice: string): void {
    this.#state.addNotice(notice);
  }

  dropNotice(notice: string): void {
    this.#state.dropNotice(notice);
  }

  /** What the file on disk is known to be; null when there is none. */
  get disk(): DiskState | null {
    return this.#place.disk;
  }

  /** The file as last read or saved, which notices and validation look at. */
  get file(): NotebookFile {
    return this.#place.file;
  }

  // ---- cells and outputs -----------------------------------------------------------------------------------------------------------------

  /** A Yjs update from a window or another writer. Throws when it is none. */
  applyUpdate(update: Uint8Array, origin: unknown): void {
    Y.applyUpdate(this.ydoc, update, origin);
  }

  keys(): string[] {
    return [...this.#cells.keys()];
  }

  cell(key: string): Pick<CellFields, 'source' | 'type' | 'metadata'> | null {
    return cellMap(this.ydoc).has(key) ? cellFields(this.ydoc, key) : null;
  }

  outputs(key: string): readonly Output<RawPayload>[] {
    return this.#cells.outputs.list(key);
  }

  outputCount(key: string): number {
    return this.#cells.outputs.count(key);
  }

  outputCounts(): Record<string, number> {
    return this.#cells.outputs.counts();
  }

  executionCount(key: string): number | null {
    return this.#cells.outputs.executionCount(key);
  }

  staleOutputs(key: string): boolean {
    return this.#cells.outputs.isStale(key);
  }

  attachments(key: string): Record<string, Record<string, string>> | null {
    return this.#cells.outputs.attachments(key);
  }

  /** What is stale of this notebook, and why. */
  get freshness(): CellFreshness {
    return this.#cells.freshness;
  }

  /** An edit like any other: it can be undone by whoever `origin` stands for. */
  clearOutputs(keys: readonly string[], origin?: unknown): void {
    this.#cells.outputs.clear(keys, origin);
  }

  setKernelLife(life: string): void {
    this.freshness.kernelIs(life);
  }

  beginRun(key: string, source: string): void {
    this.#cells.outputs.beginRun(key, source);
    this.#events.emit('touched', [key]);
  }

  endRun(key: string): void {
    this.#cells.outputs.endRun(key);
  }

  setExecutionCount(key: string, count: number | null): void {
    this.#cells.outputs.setExecutionCount(key, count);
    this.#events.emit('touched', [key]);
  }

  applyOutputs(key: string, changes: readonly RawOutputChange[]): void {
    this.#cells.outputs.apply(key, changes);
  }

  // ---- metadata ----------------------------------------------------------------------------------------------------------------------------

  metadata(): Record<string, unknown> {
    return this.#metadata.all();
  }

  /** The `widgets` entry of the file's metadata: the state of widgets as they were when somebody saved it. */
  storedWidgets(): unknown {
    return this.#metadata.storedWidgets();
  }

  /** The file that they are from, which need not be the present one. */
  get widgetsFile(): NotebookFile {
    return this.#metadata.widgetsFile;
  }

  /** Asked at each save for the widgets to write with it; null leaves those of the file. */
  saveWidgetsOf(widgets: () => Record<string, unknown> | null): void {
    this.#metadata.widgetsToSave = widgets;
  }

  /** The person's choice of a kernel. Nothing changes when the notebook names this kernel already. */
  setKernelspec(spec: { name: string; display_name: string; language: string }): void {
    this.#metadata.setKernelspec(spec);
  }

  /** Told by a kernel that ran something. Written with the next save, but no reason to save. */
  setLanguageInfo(info: Record<string, unknown>): void {
    this.#metadata.setLanguageInfo(info);
  }

  // ---- saving ----------------------------------------------------------------------------------------------------------------------------------

  /**
   * Writes what is unsaved to the notebook's file; a save that runs already is waited for. `overwrite` also replaces a version that another
   * program wrote since. Throws NotebookSaveError; the document stays unsaved then and the file as it was.
   */
  save(options: { overwrite?: boolean } = {}): Promise<void> {
    return this.#saving.save(options.overwrite ?? false);
  }

  /** Writes to another file, which becomes the notebook's; an existing one is replaced. Throws NotebookSaveError. */
  saveAs(path: string): Promise<void> {
    return this.#saving.saveAs(resolve(path));
  }

  /** Makes every CRLF of the file an LF. Resolves to how many there were. Throws NotebookSaveError. */
  async normaliseLineEnds(): Promise<number> {
    const changed = await this.#saving.normaliseLineEnds();
    this.#state.dropNotice(MIXED_NOTICE);
    return changed;
  }

  // ---- changes from outside ------------------------------------------------------------------------------------------------------------------

  /** Looks at the disk and takes in what other programs changed. What can't be taken in is in `outside.trouble`; throws nothing for it. */
  checkDisk(): Promise<void> {
    return this.#saving.afterOthers(() => this.outside.look());
  }

  /** What is right where the file has every cell twice. */
  settleDoubled(choice: 'file' | 'mine'): Promise<void> {
    return this.#saving.afterOthers(() => this.outside.settleDoubled(choice));
  }

  /** Ends the document: nobody hears of it any more. A running save is finished first. */
  async close(): Promise<void> {
    await this.#saving.settled;
    this.#events.clear();
    this.ydoc.destroy();
  }
}
