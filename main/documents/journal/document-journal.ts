/**
 * The journal of one document: what is unsaved reaches the disk within a second, and the journal goes when nothing is unsaved any more. The
 * hard thing is order. Records are put in a queue at the moment they are made and written from there one write after another, so that a save's
 * mark stands exactly between what its file has and what it has not. Nothing waits for the journal but a save, and that not for long.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NotebookDocument } from '../notebook-document.ts';
import type { NotebookFile } from '../notebook-file.ts';
import type { Saved } from '../save.ts';
import type { SaveWitness } from '../unsaved.ts';
import { copyBase, removeOtherCopies } from './base-copy.ts';
import { JOURNAL_FILE, JournalFile } from './journal-file.ts';
import { PendingChanges } from './pending-changes.ts';
import { type BaseRecord, fileTimes, type HeadRecord, JOURNAL_VERSION, type JournalRecord } from './records.ts';

/** Between a change and its write. With a slow disk's sync it stays well under the second that a crash may cost. */
const PACE_MS = 300;
/** After a write that failed: a full disk is asked again now and then. */
const RETRY_MS = 5_000;
/** A save waits so long for its mark; a disk that takes longer costs at most a question at the next start. */
const SAVE_WAIT_MS = 1_000;
/** A journal that grew to this many times what it had when it was written anew is written anew. */
const GROWTH = 4;
const SMALL_BYTES = 1_000_000;

export interface DocumentJournalOptions {
  /** Makes the folder for a new journal. */
  newFolder: () => Promise<string>;
  /** A write failed. */
  onTrouble: (error: unknown) => void;
}

export class DocumentJournal implements SaveWitness {
  readonly #document: NotebookDocument;
  readonly #options: DocumentJournalOptions;
  readonly #pending: PendingChanges;
  readonly #endState: () => void;
  #folder: string | null = null;
  #file: JournalFile | null = null;
  /** The contents that the journal on the disk starts from. */
  #base: NotebookFile | null = null;
  #copied: { of: NotebookFile; record: BaseRecord } | null = null;
  #firstBytes = 0;
  #queue: JournalRecord[] = [];
  /** The queue holds a journal from its head on, which is to replace the one on the disk. */
  #anew = false;
  #failed = false;
  #ended = false;
  #saves = 0;
  #copies = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #work: Promise<void> = Promise.resolve();
  #copying: Promise<void> = Promise.resolve();

  constructor(document: NotebookDocument, options: DocumentJournalOptions) {
    this.#document = document;
    this.#options = options;
    this.#pending = new PendingChanges(document, () => this.#soon(PACE_MS));
    this.#endState = document.on('state', () => this.#soon(PACE_MS));
    document.saveWitness = this;
  }

  /** Goes on in a folder that has a journal already, which stays until this document's own has taken its place. */
  adopt(folder: string): void {
    this.#then(async () => {
      await this.#remove();
      this.#folder = folder;
      this.#soon(0);
    });
  }

  /**
   * Nothing that happens to the document is written any more. Resolves, once all that happened before is on the disk, to the folder of the
   * journal, or to null when there is nothing unsaved.
   */
  async end(): Promise<string | null> {
    if (this.#ended) return null;
    const isUnsaved = this.#document.dirty;
    if (isUnsaved) this.#gather();
    this.#ended = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#pending.stop();
    this.#endState();
    this.#then(() => (isUnsaved ? this.#write() : this.#remove()));
    await this.#work;
    // The copy says in the journal that it is there.
    await this.#copying;
    await this.#work;
    await this.#file?.close();
    return isUnsaved && !this.#failed ? this.#folder : null;
  }

  // ---- saves -----------------------------------------------------------------------------------------------------------------------------

  copied(path: string, order: readonly string[], kept: ReadonlySet<string>): (written: Pick<Saved, 'realPath' | 'state'>) => Promise<void> {
    this.#saves += 1;
    const save = this.#saves;
    this.#gather();
    this.#queue.push({ t: 'mark', save });
    this.#pending.restart();
    this.#queue.push(...this.#pending.whole(kept));
    return async ({ realPath, state }) => {
      this.#queue.push({ t: 'saved', save, path, realPath, keys: order, ...fileTimes(state) });
      this.#then(() => this.#write());
      await Promise.race([this.#work, delay(SAVE_WAIT_MS, undefined, { ref: false })]);
    };
  }

  // ---- writing -----------------------------------------------------------------------------------------------------------------------------

  #soon(ms: number): void {
    if (this.#timer || this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#then(() => this.#flush());
    }, ms);
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#failed = true;
      this.#options.onTrouble(error);
      if (this.#document.dirty) this.#soon(RETRY_MS);
    });
  }

  async #flush(): Promise<void> {
    if (this.#ended) return;
    const { dirty, saving } = this.#document;
    if (!dirty && !saving) return this.#remove();
    this.#gather();
    await this.#write();
  }

  /** Puts what changed into the queue: behind what the journal has, or as a new journal. Makes the records of this very moment. */
  #gather(): void {
    const { file, saving } = this.#document;
    const isOutdated = this.#base !== file || (this.#file !== null && this.#file.bytes > GROWTH * this.#firstBytes + SMALL_BYTES);
    const isThere = this.#anew || (this.#file !== null && !this.#failed);
    // While a save runs only its mark tells what its file has; a new journal would lose that.
    if (isThere && (saving || !isOutdated)) {
      this.#queue.push(...this.#pending.take());
      return;
    }
    this.#pending.restart();
    this.#pending.all();
    const base = this.#copied?.of === file ? [this.#copied.record] : [];
    this.#queue = [headOf(this.#document), ...base, ...this.#pending.take()];
    this.#base = file;
    this.#anew = true;
    this.#failed = false;
  }

  async #write(): Promise<void> {
    const records = this.#queue;
    if (records.length === 0) return;
    this.#queue = [];
    if (!this.#anew) return this.#file?.append(records);
    this.#anew = false;
    this.#folder ??= await this.#options.newFolder();
    const old = this.#file;
    this.#file = await JournalFile.replace(this.#folder, records);
    this.#firstBytes = this.#file.bytes;
    await old?.close();
    if (this.#base && this.#copied?.of !== this.#base) this.#copying = this.#copyBase(this.#base, this.#folder);
  }

  /** Beside the other writes: nothing typed waits for a large copy. */
  async #copyBase(base: NotebookFile, folder: string): Promise<void> {
    this.#copies += 1;
    const name = `base-${this.#copies}-${Date.now().toString(36)}.ipynb`;
    try {
      const record = await copyBase(base, folder, name, { whole: this.#document.path === null });
      this.#then(async () => {
        if (this.#base !== base || !this.#file || this.#anew) return;
        this.#copied = { of: base, record };
        await this.#file.append([record]);
        await removeOtherCopies(folder, name);
      });
    } catch (error) {
      // The journal may have been removed meanwhile.
      if (this.#base === base && !this.#ended) this.#options.onTrouble(error);
    }
  }

  async #remove(): Promise<void> {
    const folder = this.#folder;
    await this.#file?.close();
    this.#file = null;
    this.#base = null;
    this.#copied = null;
    this.#folder = null;
    this.#queue = [];
    this.#anew = false;
    this.#failed = false;
    if (!folder) return;
    // The records go first: what is left of a journal without them says nothing.
    await rm(join(folder, JOURNAL_FILE), { force: true });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function headOf(document: NotebookDocument): HeadRecord {
  const { path, realPath, title, folder, convertedFrom, disk } = document;
  const times = disk && fileTimes(disk);
  const { fileKeys } = document.unsaved;
  return { t: 'head', version: JOURNAL_VERSION, path, realPath, title, folder, convertedFrom, disk: times, keys: fileKeys };
}
