/**
 * A live notebook: the one owner of what its windows, agents and kernel change. The cells lie in a Yjs document that merges concurrent edits,
 * the outputs beside it. A save writes what was there when it began; what comes in meanwhile stays unsaved.
 */
import { basename, resolve } from 'node:path';
import * as Y from 'yjs';
import { type CellFields, cellFields, cellMap } from '../../preload/notebook-model.ts';
import type { Output } from '../../preload/output-change.ts';
import type { RawOutputChange, RawPayload } from '../execution/run-protocol.ts';
import type { RunTarget } from '../execution/run-target.ts';
import type { CellFreshness } from './cell-freshness.ts';
import type { DiskState } from './disk-state.ts';
import { DocumentCells } from './document-cells.ts';
import { DocumentEvents } from './document-events.ts';
import { DocumentMetadata } from './document-metadata.ts';
import type { OutputsReset, RestoredRun, RunFacts } from './document-outputs.ts';
import type { DocumentParts } from './document-parts.ts';
import { DocumentSaving, type FilePlace } from './document-saving.ts';
import { EditTurns } from './edit-turns.ts';
import { MIXED_NOTICE } from './line-ends.ts';
import type { NotebookFile } from './notebook-file.ts';
import { OutsideChanges, type OutsideNotice } from './outside/outside-changes.ts';
import type { SaveWitness, Unsaved } from './unsaved.ts';

type Events = {
  update: [update: Uint8Array, origin: unknown];
  outputs: [key: string, changes: readonly RawOutputChange[]];
  /** Outputs were cleared by hand, or brought back by undoing that, and not by a run. */
  reset: [key: string, how: OutputsReset];
  /** Which outputs are stale may have changed. */
  freshness: [];
  state: [];
  /** What no other event tells: counts of these cells; without keys the notebook's metadata. */
  touched: [keys: readonly string[]];
  /** Something came in from the disk. */
  outside: [notice: OutsideNotice];
};

export class NotebookDocument implements RunTarget {
  readonly id: string;
  readonly ydoc: Y.Doc;
  /** Edits of agents by turn, to be taken back as one step each. */
  readonly turns: EditTurns;
  readonly sources: DocumentCells['sources'];
  readonly notices: string[];
  /** Told of every save from its copy to its end. */
  saveWitness: SaveWitness | null = null;
  readonly #parts: DocumentParts;
  readonly #cells: DocumentCells;
  readonly #events: DocumentEvents<Events>;
  /** What other programs do to the file: looked at before each save. */
  readonly outside: OutsideChanges;
  readonly #place: FilePlace;
  readonly #saving: DocumentSaving;
  #trusted = false;
  #wasDirty = false;
  #hadConflicts = 0;
  #wasTrusted: boolean;
  readonly #metadata: DocumentMetadata;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.ydoc = parts.ydoc;
    this.notices = parts.notices;
    const { ydoc, records, fileKeys, newIds, file, disk, path, realPath, readOnly, hasIds } = parts;
    this.#place = { file, opened: file, disk, path, realPath, readOnly, hasIds, isConvertedText: parts.origin === 'converted' };
    this.#events = new DocumentEvents(parts.onError);
    this.#metadata = new DocumentMetadata(
      () => this.#place.file,
      () => {
        this.#events.emit('touched', []);
        this.#stateMayHaveChanged();
      },
    );
    this.#cells = new DocumentCells({
      ydoc,
      records,
      fileKeys,
      newIds,
      hasIds,
      style: file.style,
      onOutputs: (key, changes) => this.#events.emit('outputs', key, changes),
      onReset: (key, how) => {
        this.#events.emit('reset', key, how);
        this.#events.emit('touched', [key]);
      },
      onFreshness: () => this.#events.emit('freshness'),
      onChange: () => this.#stateMayHaveChanged(),
    });
    this.sources = this.#cells.sources;
    this.outside = this.#watchOutside();
    this.#saving = new DocumentSaving({
      parts,
      place: this.#place,
      cells: this.#cells,
      metadata: this.#metadata,
      outside: this.outside,
      title: () => this.title,
      isUnsaved: (except) => this.#isUnsaved(except),
      witness: () => this.saveWitness,
      onState: () => this.#savingChanged(),
      onNotice: (notice) => {
        if (!this.notices.includes(notice)) this.notices.push(notice);
      },
    });
    this.turns = new EditTurns(ydoc, (key) => this.#cells.outputs.canRestore(key));
    this.#wasTrusted = this.trusted;
    ydoc.on('update', (update: Uint8Array, origin: unknown) => this.#events.emit('update', update, origin));
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
    return this.#place.path === null ? this.#parts.title : basename(this.#place.path);
  }

  get readOnly(): boolean {
    return this.#place.readOnly;
  }

  get saving(): boolean {
    return this.#saving.isWriting;
  }

  get dirty(): boolean {
    return this.#isUnsaved(new Set());
  }

  #isUnsaved(except: ReadonlySet<string>): boolean {
    const isLoose = this.outside.trouble?.kind === 'gone' || (this.#parts.isCopy === true && this.#place.path === null);
    return isLoose || this.#cells.changedBeside(except) || this.#metadata.isUnsaved;
  }

  /** The person said so, or every output was made in this session. */
  get trusted(): boolean {
    return this.#trusted || !this.#cells.outputs.hasForeignOutputs;
  }

  set trusted(value: boolean) {
    this.#trusted = value;
    this.#stateMayHaveChanged();
  }

  /** What the file on disk is known to be; null when there is none. */
  get disk(): DiskState | null {
    return this.#place.disk;
  }

  /** The file as last read or saved, which notices and validation look at. */
  get file(): NotebookFile {
    return this.#place.file;
  }

  addNotice(notice: string): void {
    if (this.notices.includes(notice)) return;
    this.notices.push(notice);
    this.#events.emit('state');
  }

  #savingChanged(): void {
    this.#wasDirty = this.dirty;
    this.#hadConflicts = this.outside.conflictCount;
    this.#events.emit('state');
  }

  #stateMayHaveChanged(): void {
    const { dirty, trusted } = this;
    // A choice that is undone opens a conflict again.
    const { conflictCount } = this.outside;
    if (dirty === this.#wasDirty && trusted === this.#wasTrusted && conflictCount === this.#hadConflicts) return;
    this.#wasDirty = dirty;
    this.#wasTrusted = trusted;
    this.#hadConflicts = conflictCount;
    this.#events.emit('state');
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

  /** Also those that are not shown because the cell is no code cell now. */
  keptOutputs(key: string): readonly Output<RawPayload>[] {
    return this.#cells.outputs.kept(key);
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

  // ---- unsaved work ------------------------------------------------------------------------------------------------------------------------

  /** How the document differs from its file. */
  unsaved(): Unsaved {
    const cells = this.#cells;
    return { fileKeys: cells.fileKeys, keys: () => cells.unsavedKeys(), metadata: this.#metadata.changes };
  }

  runFacts(key: string): RunFacts {
    return this.#cells.outputs.runFacts(key);
  }

  /** Puts back what a journal kept of a run. */
  restoreRun(key: string, run: RestoredRun): void {
    this.#cells.outputs.restore(key, run);
  }

  /** Puts back entries of the notebook's metadata. */
  restoreMetadata(entries: Iterable<readonly [string, unknown]>): void {
    this.#metadata.restore(entries);
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
    const told = this.notices.indexOf(MIXED_NOTICE);
    if (told !== -1) this.notices.splice(told, 1);
    if (told !== -1) this.#events.emit('state');
    return changed;
  }

  // ---- changes from outside ------------------------------------------------------------------------------------------------------------------

  /** Looks at the disk and takes in what other programs changed. What can't be taken in is in `outside.trouble`; throws nothing for it. */
  checkDisk(): Promise<void> {
    return this.#saving.afterOthers(() => this.outside.look());
  }

  #watchOutside(): OutsideChanges {
    return new OutsideChanges({
      ydoc: this.ydoc,
      cells: this.#cells,
      title: () => this.title,
      place: () => {
        const { path, disk, file, isConvertedText } = this.#place;
        return path === null || !disk || isConvertedText ? null : { path, file, disk };
      },
      verified: (disk) => {
        this.#place.disk = disk;
      },
      adopt: ({ file, disk, realPath, readOnly, hasIds }) => {
        Object.assign(this.#place, { file, opened: file, disk, realPath, readOnly, hasIds });
        this.#metadata.compare();
      },
      moved: (path) => {
        Object.assign(this.#place, { path, realPath: path });
        this.#events.emit('state');
      },
      changed: () => this.#savingChanged(),
      told: (notice) => {
        this.#events.emit('touched', notice.outputs);
        this.#events.emit('outside', notice);
      },
    });
  }

  /** Ends the document: nobody hears of it any more. A running save is finished first. */
  async close(): Promise<void> {
    await this.#saving.settled;
    this.#events.clear();
    this.ydoc.destroy();
  }
}
