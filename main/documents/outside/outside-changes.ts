/**
 * A document and its file, which other programs may change, move or delete at any time. Looking and taking in run between saves and never
 * beside one, so that what is compared with the disk is what the document was read from or last wrote.
 */
import type { BigIntStats } from 'node:fs';
import * as Y from 'yjs';
import { cellFields, cellMap } from '../../../preload/notebook-model.ts';
import type { CellBase } from '../cell-record.ts';
import { type DiskState, diskState, holdsBytes, presentFile, sameState } from '../disk-state.ts';
import type { DocumentCells } from '../document-cells.ts';
import type { DocumentMetadata } from '../document-metadata.ts';
import { NotebookOpenError, NotebookSaveError } from '../errors.ts';
import { filePieces, type NotebookFile } from '../notebook-file.ts';
import { metadataEntry } from '../notebook-metadata.ts';
import { isWritable } from '../save.ts';
import { OUTSIDE_ORIGIN } from './apply-plan.ts';
import { compareVersions } from './compare-versions.ts';
import { type Choice, Conflicts } from './conflicts.ts';
import { isDoubled } from './doubled.ts';
import { findMoved } from './find-moved.ts';
import { type KeptCounts, KeptParts, type LostParts } from './kept-parts.ts';
import type { Conflict } from './merge-plan.ts';
import { doubledWords, leftOutWords, takenInWords } from './outside-words.ts';
import { type DiskVersion, readVersion } from './read-version.ts';
import { type StrippedParts, strippedParts, withKeptParts } from './stripped-parts.ts';
import { takeIn } from './take-in.ts';
import { takeInEarly } from './take-in-early.ts';

/** Why the document and its file can't be brought together now. */
export interface FileTrouble {
  kind: 'gone' | 'unreadable' | 'doubled';
  /** One sentence for the person. */
  message: string;
}

/** What came in, for a short notice. */
export interface OutsideNotice {
  message: string;
  /** Cells whose outputs or counts came from the disk. */
  outputs: string[];
  canUndo: boolean;
}

export interface OutsideHost {
  ydoc: Y.Doc;
  cells: DocumentCells;
  metadata: DocumentMetadata;
  title(): string;
  /** Null while the document has no file of its own. */
  place(): { path: string; file: NotebookFile; disk: DiskState; readOnly: boolean } | null;
  /** The file became write-protected, or is not any more. */
  protection(readOnly: boolean): void;
  /** The file is still what it was, with this state. */
  verified(disk: DiskState): void;
  adopt(version: DiskVersion): void;
  moved(path: string): void;
  changed(): void;
  told(notice: OutsideNotice): void;
}

/** What came in at once: whether the shared model was changed by it, and the way back for what is not in that. */
interface Step {
  inModel: boolean;
  putBack: () => void;
}

/** Each step keeps the outputs of before, and with them the whole text of the file that they were in: more of these would fill the memory. */
const KEPT_STEPS = 3;

export class OutsideChanges {
  /** Somebody sees the notebook who could be asked what is right; where nobody does the file is. */
  canAsk: () => boolean = () => false;
  readonly #host: OutsideHost;
  readonly #conflicts: Conflicts;
  readonly #kept: KeptParts;
  readonly #steps: Step[] = [];
  #undo: Y.UndoManager | null = null;
  #trouble: FileTrouble | null = null;
  /** What to do with a file that has every cell twice; null until somebody says so. */
  #doubled: 'file' | 'mine' | null = null;

  constructor(host: OutsideHost) {
    this.#host = host;
    this.#conflicts = new Conflicts((key) => (cellMap(host.ydoc).has(key) ? cellFields(host.ydoc, key) : null));
    this.#kept = new KeptParts(host);
  }

  get trouble(): FileTrouble | null {
    return this.#trouble;
  }

  /** Conflicts that nobody has settled yet. */
  conflicts(): Conflict[] {
    const places = new Map(this.#host.cells.keys().map((key, place) => [key, place]));
    return this.#conflicts.open().sort((a, b) => places.get(a.key)! - places.get(b.key)!);
  }

  get conflictCount(): number {
    return this.#conflicts.count;
  }

  /** What the file has lost and is kept here until somebody decides; null when there is nothing to decide. */
  get kept(): KeptCounts | null {
    return this.#kept.counts();
  }

  /** What is kept stays, unsaved; or the file is right, and it goes. The latter can be taken back like what came in. */
  settleKept(choice: 'keep' | 'file'): void {
    if (choice === 'keep') this.#kept.accept();
    else {
      const undo = this.#beginStep();
      const before = undo.undoStack.length;
      const putBack = this.#kept.drop();
      this.#endStep(undo, { inModel: undo.undoStack.length > before, putBack });
      this.#host.told({ message: leftOutWords(this.#host.title()), outputs: [], canUndo: true });
    }
    this.#host.changed();
  }

  /** Somebody says of a file with every cell twice that it is right, or that what is here is: the next save writes it then. To be called between saves. */
  async settleDoubled(choice: 'file' | 'mine'): Promise<void> {
    const before = this.#steps.at(-1);
    this.#doubled = choice;
    await this.look().finally(() => {
      this.#doubled = null;
    });
    if (choice === 'mine' && this.#steps.at(-1) !== before) this.undo();
  }

  /** Cells that a save must leave as the file has them. */
  keptInFile(): Set<string> {
    return this.#conflicts.kept();
  }

  /** Looks at the disk and takes in what has changed. A file that is gone or can't be read is in `trouble` afterwards. */
  async look(): Promise<void> {
    const place = this.#host.place();
    if (!place) return;
    // A disk that does not answer tells nothing: a save says what is wrong with it.
    const stats = await presentFile(place.path).catch(() => undefined);
    if (stats === undefined) return;
    if (stats) await this.#checkProtection(place, stats);
    const state = stats && diskState(stats);
    if (state && sameState(state, place.disk) && !place.disk.racy) {
      if (state.links !== place.disk.links) this.#host.verified(state);
      return this.#setTrouble(null);
    }
    if (!state || state.ino !== place.disk.ino) {
      const moved = await findMoved(place.path, place.disk);
      if (moved) {
        this.#host.moved(moved);
        return this.#setTrouble(null);
      }
    }
    if (!state)
      return this.#setTrouble({
        kind: 'gone',
        message: `${this.#host.title()} was deleted or moved on the disk. It is kept here, unsaved.`,
      });
    if (await holdsBytes(place.path, filePieces(place.file)).catch(() => false)) {
      this.#host.verified(state);
      return this.#setTrouble(null);
    }
    try {
      const version = await readVersion(place.path);
      const { cells } = this.#host;
      const known = cells.fileKeys.map((key) => cells.record(key)!.base!);
      if (this.#doubled === null && this.canAsk() && isDoubled(known, version.cells))
        return this.#setTrouble({ kind: 'doubled', message: doubledWords(this.#host.title()) });
      await this.#takeIn(version, known, place.file);
      this.#setTrouble(null);
    } catch (error) {
      if (!(error instanceof NotebookOpenError)) throw error;
      this.#setTrouble({
        kind: 'unreadable',
        message: `${this.#host.title()} was changed by another program and can’t be read now: ${error.message} Your version is kept here.`,
      });
    }
  }

  /** Permissions change without a change of the file. */
  async #checkProtection({ path, readOnly }: { path: string; readOnly: boolean }, stats: BigIntStats): Promise<void> {
    const isProtected = !(await isWritable(path, stats));
    if (isProtected !== readOnly) this.#host.protection(isProtected);
  }

  /** Throws NotebookSaveError when a save would replace what could not be read. */
  checkSave(): void {
    if (this.#trouble === null || this.#trouble.kind === 'gone') return;
    const next = this.#trouble.kind === 'doubled' ? 'choose which version is right' : 'repair the file';
    throw new NotebookSaveError('conflict', `${this.#trouble.message} Nothing was saved.`, `Save under another name, or ${next} first.`);
  }

  /** To be called after a save to the document's own file; throws NotebookSaveError when cells were left out of it. */
  saved(): void {
    this.#trouble = null;
    this.#conflicts.forgetSettled();
    this.#host.changed();
    const leftOut = this.#conflicts.kept();
    if (leftOut.size === 0) return;
    const cells = leftOut.size === 1 ? '1 cell, which was' : `${leftOut.size} cells, which were`;
    throw new NotebookSaveError(
      'conflict',
      `Everything is saved but ${cells} also changed in the file.`,
      'Compare the versions and choose.',
      { leftOut },
    );
  }

  /** The document has another file now, which has everything. */
  savedElsewhere(): void {
    this.#trouble = null;
    this.#conflicts.clear();
    this.#host.changed();
  }

  /** Puts back conflicts that a journal kept. */
  restore(conflicts: readonly Conflict[]): void {
    if (conflicts.length === 0) return;
    this.#conflicts.add(conflicts);
    this.#host.changed();
  }

  /** Somebody chose a version. Undoing the choice opens the conflict again. */
  settle(key: string, choice: Choice): void {
    this.#conflicts.settle(key, choice);
    this.#host.changed();
  }

  /** Takes back what came in last. False when there is nothing to take back. */
  undo(): boolean {
    const step = this.#steps.pop();
    if (!step) return false;
    if (step.inModel) this.#undo?.undo();
    step.putBack();
    this.#host.changed();
    return true;
  }

  /** What comes in together is one step, in however many slices: a step ends where the next version begins. */
  #beginStep(): Y.UndoManager {
    this.#undo ??= new Y.UndoManager(cellMap(this.#host.ydoc), {
      trackedOrigins: new Set([OUTSIDE_ORIGIN]),
      captureTimeout: Number.POSITIVE_INFINITY,
    });
    this.#undo.stopCapturing();
    return this.#undo;
  }

  #endStep(undo: Y.UndoManager, step: Step): void {
    this.#steps.push(step);
    if (this.#steps.length > KEPT_STEPS && this.#steps.shift()!.inModel) undo.undoStack.shift();
  }

  async #takeIn(found: DiskVersion, known: readonly CellBase[], file: NotebookFile): Promise<void> {
    const { cells, ydoc } = this.#host;
    const comparison = await compareVersions(known, found);
    const stripped = this.canAsk() ? await strippedParts({ file, cells: known }, found, comparison.match) : null;
    const version = stripped ? withKeptParts(found, stripped, known, comparison.match) : found;
    if (stripped) comparison.keptOutputs = stripped.outputs;
    const attachments = cells.attachments();
    const undo = this.#beginStep();
    const steps = undo.undoStack.length;
    const early = await takeInEarly(cells, ydoc, version, comparison);
    const { taken, conflicts, merged, outputs } = takeIn(cells, ydoc, version, comparison, () => this.#host.adopt(version));
    taken.changed += early.length;
    this.#conflicts.drop([...merged, ...early]);
    this.#conflicts.add(conflicts);
    if (stripped) this.#keep(stripped, version, cells.fileKeys, file);
    const gone = [...attachments].filter(([key]) => cells.find(key)?.record.attachments === null);
    taken.unattached = gone.length;
    const inModel = undo.undoStack.length > steps;
    const isStep = inModel || outputs.size + gone.length > 0;
    const putBack = (): void => {
      cells.outputs.putBack(outputs);
      cells.attach(gone);
    };
    if (isStep) this.#endStep(undo, { inModel, putBack });
    const message = takenInWords(this.#host.title(), taken);
    this.#host.changed();
    if (this.#doubled !== 'mine' && (message !== null || outputs.size > 0))
      this.#host.told({ message: message ?? '', outputs: [...outputs.keys()], canUndo: isStep });
  }

  #keep(
    { outputs, settings, attachments, entries }: StrippedParts,
    version: DiskVersion,
    keys: readonly string[],
    file: NotebookFile,
  ): void {
    const parts = new Map<string, LostParts>();
    for (const place of new Set([...outputs, ...settings, ...attachments])) {
      parts.set(keys[place]!, {
        outputs: outputs.has(place),
        settings: settings.has(place) ? version.cells[place]!.fields.metadata : null,
        attachments: attachments.has(place),
      });
    }
    this.#kept.add(parts, new Map(entries.map((entry) => [entry, metadataEntry(file, entry)])));
  }

  #setTrouble(trouble: FileTrouble | null): void {
    if (this.#trouble?.message === trouble?.message) return;
    this.#trouble = trouble;
    this.#host.changed();
  }
}
