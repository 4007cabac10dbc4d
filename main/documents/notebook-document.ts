/**
 * A live notebook: the one owner of what its windows, agents and kernel change. The cells lie in a Yjs document that merges concurrent edits,
 * the outputs beside it. A save writes what was there when it began; what comes in meanwhile stays unsaved.
 */
import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import * as Y from 'yjs';
import { type CellFields, cellFields, cellMap } from '../../preload/notebook-model.ts';
import type { Output } from '../../preload/output-change.ts';
import type { RawOutputChange, RawPayload } from '../execution/run-protocol.ts';
import type { RunTarget } from '../execution/run-target.ts';
import type { CellFreshness } from './cell-freshness.ts';
import { type DiskState, readDiskState } from './disk-state.ts';
import { DocumentCells, type OutputsReset, type RestoredRun, type RunFacts } from './document-cells.ts';
import { DocumentEvents } from './document-events.ts';
import type { DocumentParts } from './document-parts.ts';
import { EditTurns } from './edit-turns.ts';
import { NotebookSaveError } from './errors.ts';
import { writeSnapshot } from './file-snapshot.ts';
import { sameJson } from './json-text.ts';
import { filePieces, type NotebookFile } from './notebook-file.ts';
import { allMetadata, kernelspecChange, languageInfoChange, metadataEntry } from './notebook-metadata.ts';
import { OutsideChanges, type OutsideNotice } from './outside/outside-changes.ts';
import { readOnlyError, type Saved, saveAtomically } from './save.ts';
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

/** A save starts again when another program wrote between the look and the writing; one that writes without pause must not hold it for ever. */
const SAVE_TRIES = 3;

export class NotebookDocument implements RunTarget {
  readonly id: string;
  readonly ydoc: Y.Doc;
  /** Edits of agents by turn, to be taken back as one step each. */
  readonly turns: EditTurns;
  readonly notices: string[];
  /** Told of every save from its copy to its end. */
  saveWitness: SaveWitness | null = null;
  readonly #parts: DocumentParts;
  readonly #cells: DocumentCells;
  readonly #events: DocumentEvents<Events>;
  /** What other programs do to the file: looked at before each save. */
  readonly outside: OutsideChanges;
  #hasIds: boolean;
  #file: NotebookFile;
  #disk: DiskState | null;
  #path: string | null;
  #realPath: string | null;
  #readOnly: boolean;
  #convertedText: boolean;
  #trusted = false;
  #wasDirty = false;
  #wasTrusted: boolean;
  #writing = 0;
  #lastSave: Promise<void> = Promise.resolve();
  /** Changed entries of the notebook's metadata. `language_info` alone makes nothing unsaved. */
  #metadata = new Map<string, unknown>();

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.ydoc = parts.ydoc;
    this.notices = parts.notices;
    this.#file = parts.file;
    this.#disk = parts.disk;
    this.#path = parts.path;
    this.#realPath = parts.realPath;
    this.#readOnly = parts.readOnly;
    this.#convertedText = parts.origin === 'converted';
    this.#events = new DocumentEvents(parts.onError);
    const { ydoc, records, fileKeys, newIds, hasIds } = parts;
    this.#cells = new DocumentCells({
      ydoc,
      records,
      fileKeys,
      newIds,
      hasIds,
      style: parts.file.style,
      onOutputs: (key, changes) => this.#events.emit('outputs', key, changes),
      onReset: (key, how) => {
        this.#events.emit('reset', key, how);
        this.#events.emit('touched', [key]);
      },
      onFreshness: () => this.#events.emit('freshness'),
      onChange: () => this.#stateMayHaveChanged(),
    });
    this.#hasIds = hasIds;
    this.outside = this.#watchOutside();
    this.turns = new EditTurns(ydoc, (key) => this.#cells.canRestore(key));
    this.#wasTrusted = this.trusted;
    ydoc.on('update', (update: Uint8Array, origin: unknown) => this.#events.emit('update', update, origin));
  }

  on<N extends keyof Events>(event: N, listener: (...args: Events[N]) => void): () => void {
    return this.#events.on(event, listener);
  }

  // ---- state ---------------------------------------------------------------------------------------------------------------------------

  /** Absolute, as the person opened or saved it; null when it was never saved. */
  get path(): string | null {
    return this.#path;
  }

  get realPath(): string | null {
    return this.#realPath;
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
    return this.#hasIds;
  }

  get title(): string {
    return this.#path === null ? this.#parts.title : basename(this.#path);
  }

  get readOnly(): boolean {
    return this.#readOnly;
  }

  get saving(): boolean {
    return this.#writing > 0;
  }

  get dirty(): boolean {
    return this.#isUnsaved(new Set());
  }

  #isUnsaved(except: ReadonlySet<string>): boolean {
    return this.#cells.changedBeside(except) || this.#metadata.has('kernelspec') || this.outside.trouble?.kind === 'gone';
  }

  /** The person said so, or every output was made in this session. */
  get trusted(): boolean {
    return this.#trusted || !this.#cells.hasForeignOutputs;
  }

  set trusted(value: boolean) {
    this.#trusted = value;
    this.#stateMayHaveChanged();
  }

  /** What the file on disk is known to be; null when there is none. */
  get disk(): DiskState | null {
    return this.#disk;
  }

  /** The file as last read or saved, which notices and validation look at. */
  get file(): NotebookFile {
    return this.#file;
  }

  addNotice(notice: string): void {
    if (this.notices.includes(notice)) return;
    this.notices.push(notice);
    this.#events.emit('state');
  }

  #stateMayHaveChanged(): void {
    const { dirty, trusted } = this;
    if (dirty === this.#wasDirty && trusted === this.#wasTrusted) return;
    this.#wasDirty = dirty;
    this.#wasTrusted = trusted;
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
    return this.#cells.outputs(key);
  }

  outputCount(key: string): number {
    return this.#cells.outputCount(key);
  }

  outputCounts(): Record<string, number> {
    return this.#cells.outputCounts();
  }

  executionCount(key: string): number | null {
    return this.#cells.executionCount(key);
  }

  staleOutputs(key: string): boolean {
    return this.#cells.staleOutputs(key);
  }

  attachments(key: string): Record<string, Record<string, string>> | null {
    return this.#cells.attachments(key);
  }

  /** What is stale of this notebook, and why. */
  get freshness(): CellFreshness {
    return this.#cells.freshness;
  }

  /** An edit like any other: it can be undone by whoever `origin` stands for. */
  clearOutputs(keys: readonly string[], origin?: unknown): void {
    this.#cells.clear(keys, origin);
  }

  setKernelLife(life: string): void {
    this.freshness.kernelIs(life);
  }

  beginRun(key: string, source: string): void {
    this.#cells.beginRun(key, source);
    this.#events.emit('touched', [key]);
  }

  endRun(key: string): void {
    this.#cells.endRun(key);
  }

  setExecutionCount(key: string, count: number | null): void {
    this.#cells.setExecutionCount(key, count);
    this.#events.emit('touched', [key]);
  }

  applyOutputs(key: string, changes: readonly RawOutputChange[]): void {
    this.#cells.apply(key, changes);
  }

  // ---- metadata ----------------------------------------------------------------------------------------------------------------------------

  metadata(): Record<string, unknown> {
    return allMetadata(this.#file, this.#metadata);
  }

  /** The person's choice of a kernel. Nothing changes when the notebook names this kernel already. */
  setKernelspec(spec: { name: string; display_name: string; language: string }): void {
    this.#changeMetadata('kernelspec', (present) => kernelspecChange(present, spec));
  }

  /** Told by a kernel that ran something. Written with the next save, but no reason to save. */
  setLanguageInfo(info: Record<string, unknown>): void {
    this.#changeMetadata('language_info', (present) => languageInfoChange(present, info));
  }

  #changeMetadata(key: string, change: (present: unknown) => Record<string, unknown> | null): void {
    const value = change(metadataEntry(this.#file, key));
    if (value) this.#metadata.set(key, value);
    else this.#metadata.delete(key);
    this.#events.emit('touched', []);
    this.#stateMayHaveChanged();
  }

  // ---- unsaved work ------------------------------------------------------------------------------------------------------------------------

  /** How the document differs from its file. */
  unsaved(): Unsaved {
    const cells = this.#cells;
    return { fileKeys: cells.fileKeys, keys: () => cells.unsavedKeys(), metadata: this.#metadata };
  }

  runFacts(key: string): RunFacts {
    return this.#cells.runFacts(key);
  }

  /** Puts back what a journal kept of a run. */
  restoreRun(key: string, run: RestoredRun): void {
    this.#cells.restore(key, run);
  }

  /** Puts back entries of the notebook's metadata. */
  restoreMetadata(entries: Iterable<readonly [string, unknown]>): void {
    for (const [key, value] of entries) this.#metadata.set(key, value);
    this.#events.emit('touched', []);
    this.#stateMayHaveChanged();
  }

  // ---- saving ----------------------------------------------------------------------------------------------------------------------------------

  /**
   * Writes what is unsaved to the notebook's file; a save that runs already is waited for. `overwrite` also replaces a version that another
   * program wrote since. Throws NotebookSaveError; the document stays unsaved then and the file as it was.
   */
  save(options: { overwrite?: boolean } = {}): Promise<void> {
    return this.#afterOthers(async () => {
      const path = this.#path;
      if (path === null) throw new NotebookSaveError('untitled', `${this.title} has no file yet.`, 'Choose where to save it.');
      if (this.#convertedText) throw readOnlyError(this.title);
      if (!options.overwrite) return this.#saveMerged();
      if (!this.dirty && (await readDiskState(this.#realPath ?? path).catch(() => null))) return;
      await this.#write(path, false);
      this.outside.savedElsewhere();
    });
  }

  /** Takes in what other programs wrote and then writes; once more when one of them was quicker. */
  async #saveMerged(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.outside.look();
      this.outside.checkSave();
      const kept = this.outside.keptInFile();
      if (!this.dirty) return;
      if (!this.#isUnsaved(kept)) break;
      try {
        await this.#write(this.#path!, true, kept);
        break;
      } catch (error) {
        if (attempt >= SAVE_TRIES || !(error instanceof NotebookSaveError) || error.code !== 'conflict') throw error;
      }
    }
    this.outside.saved();
  }

  /** Writes to another file, which becomes the notebook's; an existing one is replaced. Throws NotebookSaveError. */
  saveAs(path: string): Promise<void> {
    return this.#afterOthers(async () => {
      const target = resolve(path);
      if (await this.#parts.isOpenElsewhere(target)) {
        throw new NotebookSaveError(
          'already-open',
          `${basename(target)} is open as another notebook.`,
          'Close that one first, or choose another name.',
        );
      }
      const own = this.#realPath !== null && (await realpath(target).catch(() => null)) === this.#realPath;
      if (own && !this.#convertedText) return this.#saveMerged();
      await this.#write(target, false);
      this.outside.savedElsewhere();
    });
  }

  #afterOthers(save: () => Promise<void>): Promise<void> {
    const next = this.#lastSave.then(save);
    this.#lastSave = next.catch(() => undefined);
    return next;
  }

  async #write(path: string, onlyIfUnchanged: boolean, keptInFile?: ReadonlySet<string>): Promise<void> {
    this.#writing += 1;
    this.#events.emit('state');
    try {
      const metadata = new Map(this.#metadata);
      const snapshot = { file: this.#file, metadata, ...this.#cells.drafts(keptInFile) };
      const beforeReplace = this.saveWitness?.copied(path, snapshot.order);
      const written = await writeSnapshot(snapshot);
      const expected = onlyIfUnchanged && this.#disk ? { state: this.#disk, pieces: filePieces(this.#file) } : null;
      const saved = await saveAtomically(path, filePieces(written.file), { expected, forbidden: this.#parts.convertedFrom, beforeReplace });
      this.#file = written.file;
      this.#cells.commit(snapshot.order, written.bases);
      for (const [key, value] of metadata) if (this.#metadata.get(key) === value) this.#metadata.delete(key);
      this.#saved(path, saved, written.notes);
    } finally {
      this.#writing -= 1;
      this.#wasDirty = this.dirty;
      this.#events.emit('state');
    }
  }

  // ---- changes from outside ------------------------------------------------------------------------------------------------------------------

  /** Looks at the disk and takes in what other programs changed. What can't be taken in is in `outside.trouble`; throws nothing for it. */
  checkDisk(): Promise<void> {
    return this.#afterOthers(() => this.outside.look());
  }

  #watchOutside(): OutsideChanges {
    return new OutsideChanges({
      ydoc: this.ydoc,
      cells: this.#cells,
      title: () => this.title,
      place: () =>
        this.#path === null || !this.#disk || this.#convertedText ? null : { path: this.#path, file: this.#file, disk: this.#disk },
      verified: (disk) => {
        this.#disk = disk;
      },
      adopt: ({ file, disk, realPath, readOnly, hasIds }) => {
        this.#file = file;
        this.#disk = disk;
        this.#realPath = realPath;
        this.#readOnly = readOnly;
        this.#hasIds = hasIds;
        for (const [key, value] of this.#metadata) if (sameJson(metadataEntry(file, key), value)) this.#metadata.delete(key);
      },
      moved: (path) => {
        this.#path = path;
        this.#realPath = path;
        this.#events.emit('state');
      },
      changed: () => {
        this.#wasDirty = this.dirty;
        this.#events.emit('state');
      },
      told: (notice) => {
        this.#events.emit('touched', notice.outputs);
        this.#events.emit('outside', notice);
      },
    });
  }

  #saved(path: string, saved: Saved, notes: readonly string[]): void {
    this.#path = path;
    this.#realPath = saved.realPath;
    this.#disk = saved.state;
    this.#readOnly = false;
    this.#convertedText = false;
    for (const notice of [saved.notice, ...notes]) if (notice && !this.notices.includes(notice)) this.notices.push(notice);
  }

  /** Ends the document: nobody hears of it any more. A running save is finished first. */
  async close(): Promise<void> {
    await this.#lastSave;
    this.#events.clear();
    this.ydoc.destroy();
  }
}
