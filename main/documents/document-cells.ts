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
  clearOutputs,
  orderedKeys,
  sourceText,
  type YCell,
} from '../../preload/notebook-model.ts';
import { applyOutputChange, type Output } from '../../preload/output-change.ts';
import type { RawOutputChange, RawPayload } from '../execution/run-protocol.ts';
import { CellFreshness } from './cell-freshness.ts';
import { type CellBase, type CellRecord, isStale, NO_OUTPUTS, newRecord, outputCount, outputList } from './cell-record.ts';
import { type CellDraft, differs } from './cell-writer.ts';
import { ClearedOutputs } from './cleared-outputs.ts';
import { decodeJson, type FileStyle } from './json-text.ts';
import { giveIds, withoutMalformed } from './new-cells.ts';
import { storedText } from './stored-outputs.ts';

export type OutputsReset = 'cleared' | 'restored';

export interface DocumentCellsOptions {
  ydoc: Y.Doc;
  records: Map<string, CellRecord>;
  /** Keys in the order of the file. */
  fileKeys: readonly string[];
  style: FileStyle;
  /** The file's version has cell ids. */
  hasIds: boolean;
  /** Cells whose id was missing or doubled in the file: not unsaved, but written when something else is. */
  newIds: ReadonlySet<string>;
  onOutputs: (key: string, changes: readonly RawOutputChange[]) => void;
  /** Outputs were cleared by hand, or brought back by undoing that: what a running kernel counts on is not there any more. */
  onReset: (key: string, how: OutputsReset) => void;
  onFreshness: () => void;
  /** Something changed that may change what is unsaved. */
  onChange: () => void;
}

/** What a journal needs of a cell's run beside what everybody sees. */
export interface RunFacts {
  /** Source that the outputs come from. */
  producedFrom: string | null;
  /** Outputs come from a file and not from a run in Cellwright. */
  foreign: boolean;
  /** The notebook's file has these outputs. */
  inFile: boolean;
}

export interface RestoredRun {
  executionCount: number | null;
  producedFrom: string | null;
  outputs: readonly Output<RawPayload>[] | null;
  foreign: boolean;
}

/** Another version of the file, for `rebase`. */
export interface Rebase {
  /** Keys in the order of the new file, and the record of each. */
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
  readonly #options: DocumentCellsOptions;
  readonly #records: Map<string, CellRecord>;
  readonly #changed = new Set<string>();
  /** Cells whose outputs come from the file and not from this session. */
  readonly #foreign = new Set<string>();
  readonly #newIds: Set<string>;
  readonly #cleared = new ClearedOutputs();
  readonly #running = new Set<string>();
  /** When outputs were last made or cleared in this session, in milliseconds since the epoch. */
  readonly #outputsAt = new Map<string, number>();
  #fileKeys: readonly string[];
  #order: readonly string[] | null = null;
  #reordered = false;

  constructor(options: DocumentCellsOptions) {
    this.#options = options;
    this.#records = options.records;
    this.#fileKeys = options.fileKeys;
    this.#newIds = new Set(options.newIds);
    this.freshness = new CellFreshness(this, options.onFreshness);
    for (const [key, record] of this.#records) if (outputCount(record) > 0) this.#foreign.add(key);
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

  runFacts(key: string): RunFacts {
    const record = this.find(key)?.record;
    const inFile = record !== undefined && record.place !== -1 && record.outputs === record.base?.outputs;
    return { producedFrom: record?.producedFrom ?? null, foreign: this.#foreign.has(key), inFile };
  }

  get hasForeignOutputs(): boolean {
    return this.#foreign.size > 0;
  }

  // ---- outputs ---------------------------------------------------------------------------------------------------------------------------

  outputs(key: string): readonly Output<RawPayload>[] {
    const found = this.#code(key);
    return found ? outputList(found.record) : [];
  }

  outputCount(key: string): number {
    const found = this.#code(key);
    return found ? outputCount(found.record) : 0;
  }

  outputCounts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const [key, record] of this.#records) {
      const count = outputCount(record);
      if (count > 0 && this.#code(key)) counts[key] = count;
    }
    return counts;
  }

  executionCount(key: string): number | null {
    return this.#code(key)?.record.executionCount ?? null;
  }

  staleOutputs(key: string): boolean {
    const found = this.#code(key);
    return found !== null && isStale(found.record, sourceText(found.cell).toString());
  }

  /** Images and files that a text cell refers to, by name and MIME type. */
  attachments(key: string): Record<string, Record<string, string>> | null {
    const slice = this.find(key)?.record.attachments;
    return slice ? (decodeJson(slice.bytes, slice.start, slice.end) as Record<string, Record<string, string>>) : null;
  }

  /** To be undone like an edit: the clearing itself is done when the model tells of its mark. */
  clear(keys: readonly string[], origin: unknown): void {
    const filled = keys.filter((key) => {
      const record = this.#code(key)?.record;
      return record && hasRunResults(record);
    });
    clearOutputs(this.#options.ydoc, filled, origin);
  }

  /** Whether undoing the latest clearing of this cell would bring its outputs back. */
  canRestore(key: string): boolean {
    const cell = this.find(key)?.cell;
    return cell !== undefined && this.#cleared.has(key, cell.get('cleared'));
  }

  #empty(key: string, record: CellRecord): void {
    this.#outputsAt.set(key, Date.now());
    record.executionCount = null;
    if (outputCount(record) > 0) this.#setOutputs(key, record, [{ op: 'clear' }]);
    else this.#refresh(key);
  }

  /** Sees to a clearing, or the undo of one, also of a cell that was deleted in between. */
  #checkMark(key: string): void {
    const found = this.find(key);
    if (!found || !this.#cleared.hasChanged(key, found.cell.get('cleared'))) return;
    const { cell, record } = found;
    const now = cell.get('cleared');
    const kept = this.#cleared.undone(key, now);
    if (kept) this.#restore(key, record, kept);
    else if (now !== undefined && hasRunResults(record)) {
      // A running cell goes on into the cleared place: its old outputs can't come back over that.
      if (!this.#running.has(key)) this.#cleared.keep(key, now, record);
      this.#empty(key, record);
      this.#options.onReset(key, 'cleared');
    }
    this.freshness.rearranged([key]);
  }

  #restore(key: string, record: CellRecord, { outputs, executionCount }: Pick<CellRecord, 'outputs' | 'executionCount'>): void {
    record.outputs = outputs;
    record.executionCount = executionCount;
    record.decoded = null;
    if (outputList(record).some(storedText)) this.#foreign.add(key);
    this.#refresh(key);
    if (this.#code(key)) this.#options.onOutputs(key, wholeOutputs(record));
    this.#options.onReset(key, 'restored');
  }

  beginRun(key: string, source: string): void {
    const record = this.find(key)?.record;
    if (!record) return;
    this.#cleared.forget(key);
    this.#running.add(key);
    this.#empty(key, record);
    record.producedFrom = source;
    this.freshness.began(key);
    this.#options.onChange();
  }

  endRun(key: string): void {
    this.#running.delete(key);
  }

  setExecutionCount(key: string, count: number | null): void {
    const record = this.find(key)?.record;
    if (!record) return;
    record.executionCount = count;
    this.#refresh(key);
    this.#options.onChange();
  }

  apply(key: string, changes: readonly RawOutputChange[]): void {
    const record = this.find(key)?.record;
    if (!record || changes.length === 0) return;
    this.#cleared.forget(key);
    this.#setOutputs(key, record, changes);
    this.#options.onChange();
  }

  /** What a journal kept of a run. Without `outputs` they stay; `foreign` ones came from a file and not from a run in Cellwright. */
  restore(key: string, run: RestoredRun): void {
    const record = this.find(key)?.record;
    if (!record) return;
    record.executionCount = run.executionCount;
    record.producedFrom = run.producedFrom;
    if (run.outputs) {
      this.#setOutputs(key, record, [{ op: 'clear' }, ...run.outputs.map((output): RawOutputChange => ({ op: 'append', output }))]);
      if (run.foreign) this.#foreign.add(key);
    } else this.#refresh(key);
    this.#options.onChange();
  }

  /** Outputs of a cell that is no code cell for now are kept up to date unseen; windows get them when it is one again. */
  #setOutputs(key: string, record: CellRecord, changes: readonly RawOutputChange[]): void {
    let list: Output<RawPayload>[] = [...outputList(record)];
    for (const change of changes) list = applyOutputChange(list, change);
    record.outputs = list.length === 0 ? NO_OUTPUTS : { kind: 'live', list };
    record.decoded = null;
    this.#outputsAt.set(key, Date.now());
    if (this.#foreign.has(key) && !list.some(storedText)) this.#foreign.delete(key);
    this.#refresh(key);
    if (this.#code(key)) this.#options.onOutputs(key, changes);
  }

  #code(key: string): { cell: YCell; record: CellRecord } | null {
    const found = this.find(key);
    return found && cellType(found.cell) === 'code' ? found : null;
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
      this.#refresh(key);
    }
    this.#compareOrder();
  }

  // ---- another version of the file ---------------------------------------------------------------------------------------------------------

  /** What is kept of a cell; also of one that was deleted. */
  record(key: string): CellRecord | undefined {
    return this.#records.get(key);
  }

  /** Null when the outputs are those of the file. */
  outputsChangedAt(key: string): number | null {
    return this.#outputsAt.get(key) ?? null;
  }

  /** Another version of the file takes the place of the one that was known. */
  rebase({ fileKeys, records, hasIds, style, newIds, touched, outputs, change }: Rebase): void {
    for (const key of this.#fileKeys) this.#records.get(key)!.place = -1;
    for (const [key, record] of records) this.#records.set(key, record);
    this.#fileKeys = fileKeys;
    Object.assign(this.#options, { hasIds, style });
    this.#newIds.clear();
    for (const key of newIds) this.#newIds.add(key);
    change();
    this.#compareOrder();
    for (const key of [...touched, ...this.#changed]) this.#refresh(key);
    for (const key of outputs) {
      this.#outputsAt.delete(key);
      this.#outputsReplaced(key);
    }
    this.freshness.rearranged(touched);
    this.#options.onChange();
  }

  /** Outputs as they were before a version of the file was taken in, except where something was run since. */
  putBack(before: ReadonlyMap<string, Pick<CellRecord, 'outputs' | 'executionCount' | 'producedFrom'>>): void {
    for (const [key, values] of before) {
      const record = this.#records.get(key);
      if (!record || this.#outputsAt.has(key)) continue;
      Object.assign(record, values, { decoded: null });
      this.#outputsReplaced(key);
    }
    this.freshness.rearranged(before.keys());
    this.#options.onChange();
  }

  #outputsReplaced(key: string): void {
    const record = this.#records.get(key)!;
    if (outputList(record).some(storedText)) this.#foreign.add(key);
    else this.#foreign.delete(key);
    this.#refresh(key);
    if (this.#code(key)) this.#options.onOutputs(key, wholeOutputs(record));
  }

  #draft(key: string): CellDraft {
    const { cell, record } = this.find(key)!;
    return {
      key,
      base: record.base,
      original: record.original,
      type: cellType(cell),
      text: sourceText(cell).toString(),
      id: this.#options.hasIds ? cellId(cell) : null,
      metadata: new Map(cellMetadata(cell).entries()),
      outputs: record.outputs,
      executionCount: record.executionCount,
      attachments: record.attachments,
    };
  }

  #refresh(key: string): void {
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
    for (const [key, before] of retyped) this.#showOutputs(key, before);
    for (const key of touched) this.#checkMark(key);
    for (const key of touched) this.#refresh(key);
    if (structure || retyped.size > 0) this.freshness.rearranged(touched);
    else this.freshness.touched(touched);
    this.#options.onChange();
  }

  /** A cell that stops being code shows no outputs, and gets them back when it is code again. */
  #showOutputs(key: string, before: CellType): void {
    const found = this.find(key);
    if (!found || outputCount(found.record) === 0) return;
    const now = cellType(found.cell);
    if (before === 'code' && now !== 'code') this.#options.onOutputs(key, [{ op: 'clear' }]);
    if (before !== 'code' && now === 'code') {
      this.#options.onOutputs(key, wholeOutputs(found.record));
    }
  }
}

function hasRunResults(record: CellRecord): boolean {
  return outputCount(record) > 0 || record.executionCount !== null;
}

/** For whoever shows the cell: all that it has now instead of what it had. */
function wholeOutputs(record: CellRecord): RawOutputChange[] {
  return [{ op: 'clear' }, ...outputList(record).map((output): RawOutputChange => ({ op: 'append', output }))];
}
