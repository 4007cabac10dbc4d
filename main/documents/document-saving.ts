/**
 * How a live document gets into its file: one save after the other, each of what was there when it began. What other programs wrote is taken
 * in before, and once more when one of them was quicker than the save.
 */
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { type DiskState, readDiskState } from './disk-state.ts';
import type { DocumentCells } from './document-cells.ts';
import type { DocumentMetadata } from './document-metadata.ts';
import type { DocumentParts } from './document-parts.ts';
import { NotebookSaveError } from './errors.ts';
import { writeSnapshot } from './file-snapshot.ts';
import { lineFeedText } from './line-ends.ts';
import { filePieces, type NotebookFile } from './notebook-file.ts';
import type { OutsideChanges } from './outside/outside-changes.ts';
import { saveAtomically } from './save.ts';
import type { SaveWitness } from './unsaved.ts';

/** Where a document lies on the disk, and what the file there is known to hold. */
export interface FilePlace {
  file: NotebookFile;
  /** As it was read, before any save. */
  opened: NotebookFile;
  disk: DiskState | null;
  path: string | null;
  realPath: string | null;
  readOnly: boolean;
  /** The file's version has cell ids. */
  hasIds: boolean;
  /** The file is of another encoding and must not be written. */
  isConvertedText: boolean;
}

export interface DocumentSavingOptions {
  parts: Pick<DocumentParts, 'convertedFrom' | 'isOpenElsewhere'>;
  /** Changed by saves. */
  place: FilePlace;
  cells: DocumentCells;
  metadata: DocumentMetadata;
  outside: OutsideChanges;
  title: () => string;
  /** Whether there is something to save beside these cells. */
  isUnsaved: (except: ReadonlySet<string>) => boolean;
  witness: () => SaveWitness | null;
  /** A save began or ended. */
  onState: () => void;
  /** The notebook is in its file, with what should be said of that. */
  onWritten: (notes: readonly string[]) => void;
}

/** A save starts again when another program wrote between the look and the writing; one that writes without pause must not hold it for ever. */
const SAVE_TRIES = 3;
const NONE: ReadonlySet<string> = new Set();

export class DocumentSaving {
  readonly #options: DocumentSavingOptions;
  readonly #place: FilePlace;
  #writing = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: DocumentSavingOptions) {
    this.#options = options;
    this.#place = options.place;
  }

  get isWriting(): boolean {
    return this.#writing > 0;
  }

  /** Resolves when all that was asked for so far is done; never rejects. */
  get settled(): Promise<void> {
    return this.#last;
  }

  /** Throws NotebookSaveError. */
  save(overwrite: boolean): Promise<void> {
    return this.afterOthers(async () => {
      const { path, realPath, isConvertedText } = this.#place;
      const { title, isUnsaved, outside } = this.#options;
      if (path === null) throw new NotebookSaveError('untitled', `${title()} has no file yet.`, 'Choose where to save it.');
      if (isConvertedText) throw encodingError(title());
      if (!overwrite) return this.#saveMerged(path);
      if (!isUnsaved(NONE) && (await readDiskState(realPath ?? path).catch(() => null))) return;
      await this.#write(path, false);
      outside.savedElsewhere();
    });
  }

  /** Throws NotebookSaveError. */
  saveAs(target: string): Promise<void> {
    return this.afterOthers(async () => {
      if (await this.#options.parts.isOpenElsewhere(target)) {
        throw new NotebookSaveError(
          'already-open',
          `${basename(target)} is open as another notebook.`,
          'Close that one first, or choose another name.',
        );
      }
      const { realPath, isConvertedText } = this.#place;
      const own = realPath !== null && (await realpath(target).catch(() => null)) === realPath;
      if (own && !isConvertedText) return this.#saveMerged(this.#place.path ?? target);
      await this.#write(target, false);
      this.#options.outside.savedElsewhere();
    });
  }

  /**
   * Makes every CRLF of the file an LF, and of nothing else; what is unsaved stays so. Resolves to how many there were. Throws NotebookSaveError.
   */
  async normaliseLineEnds(): Promise<number> {
    let changed = 0;
    await this.afterOthers(async () => {
      const { outside, parts, title } = this.#options;
      await outside.look();
      outside.checkSave();
      const { path, disk, file, isConvertedText } = this.#place;
      if (path === null || !disk) throw new NotebookSaveError('untitled', `${title()} has no file yet.`, 'Save it first.');
      if (isConvertedText) throw encodingError(title());
      const pieces = filePieces(file);
      const { bytes, count } = await lineFeedText(pieces);
      if (count === 0) return;
      await saveAtomically(path, [bytes], { expected: { state: disk, pieces }, forbidden: parts.convertedFrom });
      changed = count;
      // Taken in like any change of the file from outside: the same cells, in another text.
      await outside.look();
    });
    return changed;
  }

  /** Work on the file, done when what was asked for before is done. */
  afterOthers(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #saveMerged(path: string): Promise<void> {
    const { outside, isUnsaved } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      await outside.look();
      outside.checkSave();
      const kept = outside.keptInFile();
      if (!isUnsaved(NONE)) return;
      if (!isUnsaved(kept)) break;
      try {
        await this.#write(this.#place.path ?? path, true, kept);
        break;
      } catch (error) {
        if (attempt >= SAVE_TRIES || !(error instanceof NotebookSaveError) || error.code !== 'conflict') throw error;
      }
    }
    outside.saved();
  }

  async #write(path: string, onlyIfUnchanged: boolean, keptInFile?: ReadonlySet<string>): Promise<void> {
    const { cells, metadata, witness, onState, parts } = this.#options;
    const { file, opened, disk } = this.#place;
    this.#writing += 1;
    onState();
    try {
      const entries = metadata.toSave();
      const snapshot = { file, opened, metadata: entries, ...cells.drafts(keptInFile) };
      const beforeReplace = witness()?.copied(path, snapshot.order, keptInFile ?? NONE);
      const written = await writeSnapshot(snapshot);
      const expected = onlyIfUnchanged && disk ? { state: disk, pieces: filePieces(file) } : null;
      const saved = await saveAtomically(path, filePieces(written.file), { expected, forbidden: parts.convertedFrom, beforeReplace });
      const { realPath, state, notice } = saved;
      Object.assign(this.#place, { file: written.file, path, realPath, disk: state, readOnly: false, isConvertedText: false });
      cells.commit(snapshot.order, written.bases);
      metadata.saved(entries);
      this.#options.onWritten([notice, ...written.notes].filter((note) => note !== null));
    } finally {
      this.#writing -= 1;
      onState();
    }
  }
}

/** Written over, the file could never be read again as what it was. */
function encodingError(name: string): NotebookSaveError {
  return new NotebookSaveError(
    'read-only',
    `${name} is not UTF-8 text, so nothing was saved.`,
    'Save under another name, which makes it UTF-8.',
  );
}
