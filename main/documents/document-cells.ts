/**
 * The cells of a live document: the shared model together with the records beside it. Knows at every moment which cells differ from the file,
 * by comparing values and not by remembering that something happened, so that an undone edit leaves nothing to save.
 */
import type * as Y from 'yjs';
import {
  type CellType,
  cellId,
  cellMap,
  cellMetadata,
  cellType,
  orderedKeys,
  sourceText,
  type YCell,
} from '../../preload/notebook-model.ts';
import { CellFreshness } from './cell-freshness.ts';
import { type CellBase, type CellRecord, newRecord } from './cell-record.ts';
import { CellSources } from './cell-sources.ts';
import { type CellDraft, differs } from './cell-writer.ts';
import { DocumentOutputs, type DocumentOutputsOptions } from './document-outputs.ts';
import type { FileStyle } from './json-text.ts';
import { giveIds, withoutMalformed } from './new-cells.ts';
import type { Slice } from './notebook-file.ts';

export interface DocumentCellsOptions extends Pick<DocumentOutputsOptions, 'onOutputs' | 'onReset' | 'onChange'> {
  ydoc: Y.Doc;
  records: Map<string, CellRecord>;
  /** Keys in the order of the file. */
  fileKeys: readonly string[];
  style: FileStyle;
  /** The file's version has cell ids. */
  hasIds: boolean;
  /** Cells whose id was missing or doubled in the file: not unsaved, but written when something else is. */
  newIds: ReadonlySet<string>;
  onFreshness: () => void;
  /** A cell's line ends may be others than the file has. */
  onSpelled: (key: string) => void;
}

/** Another version of the file, for `rebase`. */
export interface Rebase {
  /** Keys in the order of the new file, and the record of each that is not known yet. */
  fileKeys: readonly string[];
  records: ReadonlyMap<string, CellRecord>;
  hasIds: boolean;
  style: FileStyle;
  newIds: ReadonlySet<string>;
  /** Cells whose text in the file is another now. */
  touched: readonly string[];
  /** Cells whose outputs or counts are others now. */
  outputs: readonly string[];
  /** Changes the model. */
  change: () => void;
}

export class DocumentCells {
  readonly freshness: CellFreshness;
  readonly outputs: DocumentOutputs;
  readonly sources: CellSources;
  readonly #options: DocumentCellsOptions;
  readonly #records: Map<string, CellRecord>;
  readonly #changed = new Set<string>();
  readonly #newIds: Set<string>;
  #fileKeys: readonly string[];
  #order: readonly string[] | null = null;
  #reordered = false;

  constructor(options: DocumentCellsOptions) {
    this.#options = options;
    this.#records = options.records;
    this.#fileKeys = options.fileKeys;
    this.#newIds = new Set(options.newIds);
    this.sources = new CellSources(this.#records, (key) => {
      this.refresh(key);
      options.onSpelled(key);
      options.onChange();
    });
    this.freshness = new CellFreshness(this, options.onFreshness);
    const { ydoc, onOutputs, onReset, onChange } = options;
    this.outputs = new DocumentOutputs({ ydoc, cells: this, freshness: this.freshness, onOutputs, onReset, onChange });
    cellMap(options.ydoc).observeDeep((events) => this.#observe(events));
  }

  keys(): readonly string[] {
    this.#order ??= orderedKeys(this.#options.ydoc);
    return this.#order;
  }

  find(key: string): { cell: YCell; record: CellRecord } | null {
    const cell = cellMap(this.#options.ydoc).get(key);
    const record = this.#records.get(key);
    return cell && record ? { cell, record } : null;
  }

  /** Something differs from the file, cells in `except` left out. */
  changedBeside(except: ReadonlySet<string>): boolean {
    return this.#reordered || (except.size === 0 ? this.#changed.size > 0 : [...this.#changed].some((key) => !except.has(key)));
  }

  /** Keys in the order of the file as last read or saved. */
  get fileKeys(): readonly string[] {
    return this.#fileKeys;
  }

  /** Cells whose text the file does not have, in document order. */
  unsavedKeys(): string[] {
    return this.keys().filter((key) => this.#changed.has(key) || this.#records.get(key)?.place === -1);
  }

  // ---- saving ------------------------------------------------------------------------------------------------------------------------------

  /** What has to be written, as it is now. The cells in `keptInFile` stay as the file has them, and unsaved. */
  drafts(keptInFile: ReadonlySet<string> = new Set()): { order: readonly string[]; places: number[]; drafts: Map<string, CellDraft> } {
    const drafts = new Map<string, CellDraft>();
    const order = this.keys();
    const places = order.map((key) => {
      const record = this.#records.get(key)!;
      if (keptInFile.has(key) && record.base && record.place !== -1) return record.place;
      if (this.#changed.has(key) || !record.base || record.place === -1 || this.#newIds.has(key)) drafts.set(key, this.#draft(key));
      return record.place;
    });
    return { order, places, drafts };
  }

  /** The file now has this order, and these texts for the cells that were drafted. */
  commit(order: readonly string[], bases: ReadonlyMap<string, CellBase>): void {
    for (const key of this.#fileKeys) this.#records.get(key)!.place = -1;
    order.forEach((key, index) => {
      this.#records.get(key)!.place = index;
    });
    this.#fileKeys = order;
    for (const [key, base] of bases) {
      this.#records.get(key)!.base = base;
      this.#newIds.delete(key);
      this.refresh(key);
    }
    this.#compareOrder();
  }

  // ---- another version of the file ---------------------------------------------------------------------------------------------------------

  /** What is kept of every cell that ever was, by key. */
  get records(): ReadonlyMap<string, CellRecord> {
    return this.#records;
  }

  /** Attachments of the cells that have any. */
  attachments(): Map<string, Slice> {
    return new Map(
      this.keys().flatMap((key) => (this.#records.get(key)?.attachments ? [[key, this.#records.get(key)!.attachments!]] : [])),
    );
  }

  /** Gives cells without attachments these. */
  attach(attachments: Iterable<readonly [key: string, attachments: Slice]>): void {
    for (const [key, slice] of attachments) {
      const record = this.#records.get(key);
      if (record) record.attachments ??= slice;
      this.refresh(key);
    }
  }

  /** What is kept of a cell; also of one that was deleted. */
  record(key: string): CellRecord | undefined {
    return this.#records.get(key);
  }

  /** Nothing of the cell is unsaved, nor waits for the next save. */
  isAsInFile(key: string): boolean {
    return !this.#changed.has(key) && !this.#newIds.has(key);
  }

  /** What is known of a cell's file is another from now on. */
  replaceRecord(key: string, record: CellRecord): void {
    this.#records.set(key, record);
  }

  get hasIds(): boolean {
    return this.#options.hasIds;
  }

  /** Another version of the file takes the place of the one that was known. */
  rebase({ fileKeys, records, hasIds, style, newIds, touched, outputs, change }: Rebase): void {
    for (const key of this.#fileKeys) this.#records.get(key)!.place = -1;
    for (const [key, record] of records) this.#records.set(key, record);
    this.#fileKeys = fileKeys;
    fileKeys.forEach((key, place) => {
      this.#records.get(key)!.place = place;
    });
    Object.assign(this.#options, { hasIds, style });
    for (const key of touched) this.#newIds.delete(key);
    for (const key of newIds) this.#newIds.add(key);
    change();
    this.#compareOrder();
    for (const key of [...touched, ...this.#changed]) this.refresh(key);
    this.outputs.replaced(outputs);
    this.freshness.rearranged(touched);
    this.#options.onChange();
  }

  #draft(key: string): CellDraft {
    const { cell, record } = this.find(key)!;
    return {
      key,
      base: record.base,
      original: record.original,
      type: cellType(cell),
      text: sourceText(cell).toString(),
      spelling: record.spelling,
      id: this.#options.hasIds ? cellId(cell) : null,
      metadata: new Map(cellMetadata(cell).entries()),
      outputs: record.outputs,
      executionCount: record.executionCount,
      attachments: record.attachments,
    };
  }

  /** Compares a cell with the file anew. */
  refresh(key: string): void {
    const found = this.find(key);
    if (found?.record.base && differs(this.#draft(key), this.#options.style)) this.#changed.add(key);
    else this.#changed.delete(key);
  }

  #compareOrder(): void {
    const keys = this.keys();
    this.#reordered = keys.length !== this.#fileKeys.length || keys.some((key, index) => key !== this.#fileKeys[index]);
  }

  // ---- changes of the model ------------------------------------------------------------------------------------------------------------------

  #observe(events: readonly Y.YEvent<Y.AbstractType<unknown>>[]): void {
    const { ydoc, hasIds } = this.#options;
    const cells = cellMap(ydoc);
    const touched = new Set<string>();
    const retyped = new Map<string, CellType>();
    let structure = false;
    for (const event of events) {
      if (event.target === cells) {
        structure = true;
        for (const key of (event as Y.YMapEvent<unknown>).keysChanged) touched.add(key);
        continue;
      }
      const key = String(event.path[0]);
      touched.add(key);
      if (event.path.length > 1) continue;
      if (event.changes.keys.has('position')) structure = true;
      const type = event.changes.keys.get('type');
      if (type) retyped.set(key, type.oldValue as CellType);
    }
    const added = withoutMalformed(
      ydoc,
      [...touched].filter((key) => cells.has(key) && !this.#records.has(key)),
    );
    for (const key of added) this.#records.set(key, newRecord());
    if (added.length > 0 && hasIds) giveIds(ydoc, added);
    if (structure) {
      this.#order = null;
      this.#compareOrder();
    }
    for (const [key, before] of retyped) this.outputs.showAfter(key, before);
    for (const key of touched) this.outputs.checkMark(key);
    for (const key of touched) this.refresh(key);
    if (structure || retyped.size > 0) this.freshness.rearranged(touched);
    else this.freshness.touched(touched);
    this.#options.onChange();
  }
}
