/**
 * Outputs, counts and runs of a live document's cells. They lie beside the shared model and not in it, so this is the place where the two meet:
 * a change of type hides outputs and shows them again, and a clearing can be undone although no output is in the model.
 */
import type * as Y from 'yjs';
import { type CellType, cellType, clearOutputs, sourceText, type YCell } from '../../preload/notebook-model.ts';
import { applyOutputChange, type Output } from '../../preload/output-change.ts';
import type { RawOutputChange, RawPayload } from '../execution/run-protocol.ts';
import type { CellFreshness } from './cell-freshness.ts';
import { type CellRecord, isStale, NO_OUTPUTS, outputCount, outputList } from './cell-record.ts';
import { ClearedOutputs } from './cleared-outputs.ts';
import { decodeJson } from './json-text.ts';
import { storedText } from './stored-outputs.ts';

/** `restored`: earlier ones are there again, or those of another version of the file. */
export type OutputsReset = 'cleared' | 'restored';

export interface DocumentOutputsOptions {
  ydoc: Y.Doc;
  cells: {
    readonly records: ReadonlyMap<string, CellRecord>;
    find(key: string): { cell: YCell; record: CellRecord } | null;
    /** Compares a cell with the file anew. */
    refresh(key: string): void;
  };
  freshness: CellFreshness;
  onOutputs: (key: string, changes: readonly RawOutputChange[]) => void;
  /** Outputs were cleared by hand, or brought back by undoing that: what a running kernel counts on is not there any more. */
  onReset: (key: string, how: OutputsReset) => void;
  /** Something changed that may change what is unsaved. */
  onChange: () => void;
}

/** What a journal needs of a cell's run beside what everybody sees. */
export interface RunFacts {
  /** Execution count, also of a cell that is no code cell now. */
  count: number | null;
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

export class DocumentOutputs {
  readonly #options: DocumentOutputsOptions;
  readonly #cells: DocumentOutputsOptions['cells'];
  readonly #freshness: CellFreshness;
  /** Cells whose outputs come from the file and not from this session. */
  readonly #foreign = new Set<string>();
  readonly #cleared = new ClearedOutputs();
  readonly #running = new Set<string>();
  /** When outputs were last made or cleared in this session, in milliseconds since the epoch. */
  readonly #changedAt = new Map<string, number>();

  constructor(options: DocumentOutputsOptions) {
    this.#options = options;
    this.#cells = options.cells;
    this.#freshness = options.freshness;
    for (const [key, record] of this.#cells.records) if (outputCount(record) > 0) this.#foreign.add(key);
  }

  runFacts(key: string): RunFacts {
    const record = this.#cells.find(key)?.record;
    const inFile = record !== undefined && record.place !== -1 && record.outputs === record.base?.outputs;
    return { count: record?.executionCount ?? null, producedFrom: record?.producedFrom ?? null, foreign: this.#foreign.has(key), inFile };
  }

  get hasForeignOutputs(): boolean {
    return this.#foreign.size > 0;
  }

  list(key: string): readonly Output<RawPayload>[] {
    const found = this.#code(key);
    return found ? outputList(found.record) : [];
  }

  /** Also those that are not shown because the cell is no code cell now. */
  kept(key: string): readonly Output<RawPayload>[] {
    const found = this.#cells.find(key);
    return found ? outputList(found.record) : [];
  }

  count(key: string): number {
    const found = this.#code(key);
    return found ? outputCount(found.record) : 0;
  }

  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const [key, record] of this.#cells.records) {
      const count = outputCount(record);
      if (count > 0 && this.#code(key)) counts[key] = count;
    }
    return counts;
  }

  executionCount(key: string): number | null {
    return this.#code(key)?.record.executionCount ?? null;
  }

  isStale(key: string): boolean {
    const found = this.#code(key);
    return found !== null && isStale(found.record, sourceText(found.cell).toString());
  }

  /** Images and files that a text cell refers to, by name and MIME type. */
  attachments(key: string): Record<string, Record<string, string>> | null {
    const slice = this.#cells.find(key)?.record.attachments;
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
    const cell = this.#cells.find(key)?.cell;
    return cell !== undefined && this.#cleared.has(key, cell.get('cleared'));
  }

  /** Null when the outputs are those of the file. */
  changedAt(key: string): number | null {
    return this.#changedAt.get(key) ?? null;
  }

  #empty(key: string, record: CellRecord): void {
    this.#changedAt.set(key, Date.now());
    record.executionCount = null;
    if (outputCount(record) > 0) this.#setOutputs(key, record, [{ op: 'clear' }]);
    else this.#cells.refresh(key);
  }

  /** Sees to a clearing, or the undo of one, also of a cell that was deleted in between. */
  checkMark(key: string): void {
    const found = this.#cells.find(key);
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
    this.#freshness.rearranged([key]);
  }

  #restore(key: string, record: CellRecord, { outputs, executionCount }: Pick<CellRecord, 'outputs' | 'executionCount'>): void {
    Object.assign(record, { outputs, executionCount, decoded: null });
    this.#show(key);
    this.#options.onReset(key, 'restored');
  }

  beginRun(key: string, source: string): void {
    const record = this.#cells.find(key)?.record;
    if (!record) return;
    this.#cleared.forget(key);
    this.#running.add(key);
    this.#empty(key, record);
    record.producedFrom = source;
    this.#freshness.began(key);
    this.#options.onChange();
  }

  endRun(key: string): void {
    this.#running.delete(key);
  }

  /** Outputs still come, and change those that came before. */
  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  setExecutionCount(key: string, count: number | null): void {
    const record = this.#cells.find(key)?.record;
    if (!record) return;
    record.executionCount = count;
    this.#cells.refresh(key);
    this.#options.onChange();
  }

  apply(key: string, changes: readonly RawOutputChange[]): void {
    const record = this.#cells.find(key)?.record;
    if (!record || changes.length === 0) return;
    this.#cleared.forget(key);
    this.#setOutputs(key, record, changes);
    this.#options.onChange();
  }

  /** What a journal kept of a run. Without `outputs` they stay; `foreign` ones came from a file and not from a run in Cellwright. */
  restore(key: string, run: RestoredRun): void {
    const record = this.#cells.find(key)?.record;
    if (!record) return;
    record.executionCount = run.executionCount;
    record.producedFrom = run.producedFrom;
    if (run.outputs) {
      this.#setOutputs(key, record, [{ op: 'clear' }, ...run.outputs.map((output): RawOutputChange => ({ op: 'append', output }))]);
      if (run.foreign) this.#foreign.add(key);
    } else this.#cells.refresh(key);
    this.#options.onChange();
  }

  /** Outputs of a cell that is no code cell for now are kept up to date unseen; windows get them when it is one again. */
  #setOutputs(key: string, record: CellRecord, changes: readonly RawOutputChange[]): void {
    let list: Output<RawPayload>[] = [...outputList(record)];
    for (const change of changes) list = applyOutputChange(list, change);
    record.outputs = list.length === 0 ? NO_OUTPUTS : { kind: 'live', list };
    record.decoded = null;
    this.#changedAt.set(key, Date.now());
    if (this.#foreign.has(key) && !list.some(storedText)) this.#foreign.delete(key);
    this.#cells.refresh(key);
    if (this.#code(key)) this.#options.onOutputs(key, changes);
  }

  #code(key: string): { cell: YCell; record: CellRecord } | null {
    const found = this.#cells.find(key);
    return found && cellType(found.cell) === 'code' ? found : null;
  }

  /** Outputs that another version of the file brought. What an earlier run still sends is not for them. */
  replaced(keys: readonly string[]): void {
    for (const key of keys) {
      this.#changedAt.delete(key);
      this.#show(key);
      this.#options.onReset(key, 'restored');
    }
  }

  /** Outputs as they were before a version of the file was taken in, except where something was run since. */
  putBack(before: ReadonlyMap<string, Pick<CellRecord, 'outputs' | 'executionCount' | 'producedFrom'>>): void {
    for (const [key, values] of before) {
      const record = this.#cells.records.get(key);
      if (!record || this.#changedAt.has(key)) continue;
      Object.assign(record, values, { decoded: null });
      this.#show(key);
      this.#options.onReset(key, 'restored');
    }
    this.#freshness.rearranged(before.keys());
    this.#options.onChange();
  }

  #show(key: string): void {
    const record = this.#cells.records.get(key)!;
    if (outputList(record).some(storedText)) this.#foreign.add(key);
    else this.#foreign.delete(key);
    this.#cells.refresh(key);
    if (this.#code(key)) this.#options.onOutputs(key, wholeOutputs(record));
  }

  /** A cell that stops being code shows no outputs, and gets them back when it is code again. */
  showAfter(key: string, before: CellType): void {
    const found = this.#cells.find(key);
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
