/**
 * What changed in a document since the journal was last written, gathered from its events and turned into records when asked for. Records are
 * made of the present values at once, so that they never describe a moment that was not; only their writing takes time. Sources and outputs
 * that the journal has already are told as what was added to them, for a journal must not write a whole log again with every line of it.
 */
import type * as Y from 'yjs';
import { cellId, cellMap, cellMetadata, cellType, sourceText, type YCell } from '../../../preload/notebook-model.ts';
import type { RawOutputChange } from '../../execution/run-protocol.ts';
import type { NotebookDocument } from '../notebook-document.ts';
import type { Conflict } from '../outside/merge-plan.ts';
import type { CellRecord, JournalRecord } from './records.ts';

interface Touched {
  text: boolean;
  fields: boolean;
  run: boolean;
  /** The changes in order, or null for the outputs as a whole. */
  outputs: RawOutputChange[] | null;
}

/** More changes than this of one cell between two writes are an animation or a flood: its last state says as much. */
const MAX_CHANGES = 200;

export class PendingChanges {
  readonly #document: NotebookDocument;
  readonly #onChange: () => void;
  readonly #ends: (() => void)[];
  #cells = new Map<string, Touched>();
  #order = false;
  #metadata = false;
  /** Sources that the journal has, by cell. */
  readonly #sources = new Map<string, string>();
  /** Conflicts that the journal has. */
  #conflicts: readonly Conflict[] = [];
  /** Cells whose outputs follow from the journal alone. */
  readonly #outputs = new Set<string>();

  constructor(document: NotebookDocument, onChange: () => void) {
    this.#document = document;
    this.#onChange = onChange;
    const cells = cellMap(document.ydoc);
    const observe = (events: readonly Y.YEvent<Y.AbstractType<unknown>>[]): void => this.#observe(events);
    cells.observeDeep(observe);
    this.#ends = [
      () => cells.unobserveDeep(observe),
      document.on('outputs', (key, changes) => this.#outputsChanged(key, changes)),
      document.on('touched', (keys) => this.#touchedRuns(keys)),
      document.on('spelled', (key) => {
        this.#touch(key).text = true;
      }),
    ];
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  /** From now on records don't build on earlier ones. */
  restart(): void {
    this.#sources.clear();
    this.#outputs.clear();
    this.#conflicts = [];
  }

  /** Everything that the document's file does not have is to be told. */
  all(): void {
    const unsaved = this.#document.unsaved;
    for (const key of unsaved.keys()) this.#touchWhole(key);
    this.#order = true;
    this.#metadata = unsaved.metadata.size > 0;
  }

  /** All of these cells as records. */
  whole(keys: Iterable<string>): JournalRecord[] {
    for (const key of keys) this.#touchWhole(key);
    return this.take();
  }

  /** The changes since the last call as records. */
  take(): JournalRecord[] {
    const records: JournalRecord[] = [];
    const touched = this.#cells;
    this.#cells = new Map();
    for (const [key, what] of touched) {
      const cell = cellMap(this.#document.ydoc).get(key);
      if (cell) records.push(this.#cellRecord(key, cell, what));
    }
    if (this.#order) records.push({ t: 'order', keys: this.#document.keys() });
    if (this.#metadata) records.push({ t: 'metadata', entries: [...this.#document.unsaved.metadata] });
    this.#order = false;
    this.#metadata = false;
    const conflicts = this.#document.outside.conflicts();
    if (conflicts.length !== this.#conflicts.length || conflicts.some((conflict, index) => conflict !== this.#conflicts[index]))
      records.push({ t: 'conflicts', conflicts });
    this.#conflicts = conflicts;
    return records;
  }

  #cellRecord(key: string, cell: YCell, what: Touched): CellRecord {
    const record: CellRecord = { t: 'cell', key };
    // A cell's first record says all of it, so that it can come back also without the contents that it is in.
    const isFirst = what.text && !this.#sources.has(key);
    if (what.text) {
      const text = sourceText(cell).toString();
      const known = this.#sources.get(key);
      record.source = known === undefined ? text : splice(known, text);
      this.#sources.set(key, text);
      const spelling = this.#document.unsaved.spelling(key, text);
      if (spelling !== null) record.spelling = spelling;
    }
    if (what.fields || isFirst) {
      record.type = cellType(cell);
      record.id = cellId(cell);
      record.metadata = cellMetadata(cell).toJSON();
      const attachments = isFirst ? this.#document.unsaved.lostAttachments(key) : null;
      if (attachments !== null) record.attachments = attachments;
    }
    if (what.run) {
      const { count, producedFrom, foreign } = this.#document.unsaved.runFacts(key);
      record.run = { count, producedFrom, foreign };
    }
    const outputs = cellType(cell) === 'code' ? this.#outputChanges(key, what) : this.#hiddenOutputs(key, what);
    if (outputs.length > 0) record.outputs = outputs;
    return record;
  }

  /** Changes that can be followed from the journal alone: from a clearing on, or from what an earlier record gave. */
  #outputChanges(key: string, { outputs }: Touched): readonly RawOutputChange[] {
    if (outputs?.length === 0) return [];
    if (outputs && outputs.length <= MAX_CHANGES && (outputs[0]!.op === 'clear' || this.#outputs.has(key))) {
      this.#outputs.add(key);
      return outputs;
    }
    this.#outputs.add(key);
    return this.#wholeOutputs(key);
  }

  /** A cell that is no code cell now shows no outputs, but gets them back when it is one again: that must survive, too. */
  #hiddenOutputs(key: string, { outputs }: Touched): readonly RawOutputChange[] {
    this.#outputs.delete(key);
    return outputs?.length === 0 || this.#document.unsaved.runFacts(key).inFile ? [] : this.#wholeOutputs(key);
  }

  #wholeOutputs(key: string): readonly RawOutputChange[] {
    return [{ op: 'clear' }, ...this.#document.unsaved.keptOutputs(key).map((output): RawOutputChange => ({ op: 'append', output }))];
  }

  // ---- events ----------------------------------------------------------------------------------------------------------------------------

  #touch(key: string): Touched {
    let touched = this.#cells.get(key);
    if (!touched) {
      touched = { text: false, fields: false, run: false, outputs: [] };
      this.#cells.set(key, touched);
    }
    this.#onChange();
    return touched;
  }

  /** Outputs that the file has are not told: the journal starts from them. */
  #touchWhole(key: string): void {
    const touched = this.#touch(key);
    touched.text = true;
    touched.fields = true;
    touched.run = true;
    touched.outputs = this.#document.unsaved.runFacts(key).inFile ? [] : null;
  }

  #observe(events: readonly Y.YEvent<Y.AbstractType<unknown>>[]): void {
    const cells = cellMap(this.#document.ydoc);
    for (const event of events) {
      if (event.target === cells) {
        this.#order = true;
        for (const key of (event as Y.YMapEvent<unknown>).keysChanged) this.#cellCameOrWent(key, cells.has(key));
      } else this.#cellChanged(String(event.path[0]), event);
    }
    this.#onChange();
  }

  #cellCameOrWent(key: string, isThere: boolean): void {
    this.#sources.delete(key);
    this.#outputs.delete(key);
    if (isThere) this.#touchWhole(key);
    else this.#cells.delete(key);
  }

  #cellChanged(key: string, event: Y.YEvent<Y.AbstractType<unknown>>): void {
    const touched = this.#touch(key);
    const field = event.path[1];
    if (field === 'source') touched.text = true;
    else if (field === 'metadata') touched.fields = true;
    else {
      const names = (event as Y.YMapEvent<unknown>).keysChanged;
      if (names.has('position')) this.#order = true;
      if (names.has('source')) touched.text = true;
      touched.fields = true;
      touched.run = true;
    }
  }

  #outputsChanged(key: string, changes: readonly RawOutputChange[]): void {
    const touched = this.#touch(key);
    touched.run = true;
    for (const change of changes) {
      if (change.op === 'clear') touched.outputs = [change];
      // One over the limit says that the list is not complete any more.
      else if (touched.outputs && touched.outputs.length <= MAX_CHANGES) touched.outputs.push(change);
    }
  }

  #touchedRuns(keys: readonly string[]): void {
    if (keys.length === 0) this.#metadata = true;
    for (const key of keys) this.#touch(key).run = true;
    this.#onChange();
  }
}

/** One text as a splice of another: what lies between their common beginning and their common end. */
function splice(before: string, after: string): readonly [number, number, string] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < most - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end += 1;
  return [start, before.length - start - end, after.slice(start, after.length - end)];
}
