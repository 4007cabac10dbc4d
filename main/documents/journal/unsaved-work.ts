/**
 * What a journal says, as values: the cells that differ from the contents it starts from, and which contents those are. The hard thing is a
 * journal that was written over a save: when the save went through, only what comes after its mark is unsaved.
 */
import { applyOutputChange, type Output } from '../../../preload/output-change.ts';
import type { RawPayload } from '../../execution/run-protocol.ts';
import type { Conflict } from '../outside/merge-plan.ts';
import type { BaseRecord, CellRecord, FileTimes, HeadRecord, JournalRecord, SavedRecord } from './records.ts';
import { JOURNAL_VERSION } from './records.ts';

export interface CellWork {
  type?: CellRecord['type'];
  id?: string | null;
  metadata?: Record<string, unknown>;
  source?: string;
  /** The source with the line ends that it was given; null: those that the file would get anyway. */
  spelling?: string | null;
  attachments?: string;
  run?: CellRecord['run'];
  outputs?: readonly Output<RawPayload>[];
}

export interface UnsavedWork {
  /** Journal's keys of the cells that the work starts from, in the order of that file. */
  baseKeys: readonly string[];
  cells: ReadonlyMap<string, CellWork>;
  /** All cells in order; null: those of the start. */
  order: readonly string[] | null;
  metadata: readonly (readonly [string, unknown])[];
  /** Cells that wait for a choice between this side's version and the file's. */
  conflicts: readonly Conflict[];
}

export interface Journal {
  head: HeadRecord;
  base: BaseRecord | null;
  /** Saves of which both the mark and the new file's size and time are known, the latest first. */
  saves: readonly SavedRecord[];
  records: readonly JournalRecord[];
}

/** Null when the records are of no journal that can be read. */
export function readJournal(records: readonly JournalRecord[]): Journal | null {
  const head = records[0];
  if (head?.t !== 'head' || head.version !== JOURNAL_VERSION) return null;
  const marks = new Set(records.flatMap((record) => (record.t === 'mark' ? [record.save] : [])));
  const saves = records.filter((record) => record.t === 'saved' && marks.has(record.save)) as SavedRecord[];
  const base = records.findLast((record) => record.t === 'base') as BaseRecord | undefined;
  return { head, base: base ?? null, saves: saves.reverse(), records };
}

/** The file on the disk is the one that this save put there. */
export function isSame(times: FileTimes | null, other: FileTimes | null): boolean {
  return times !== null && other !== null && times.size === other.size && times.mtimeNs === other.mtimeNs;
}

/** What is unsaved against the contents that the journal starts from, or against those of a save. */
export function unsavedWork({ head, records }: Journal, save: SavedRecord | null): UnsavedWork {
  const from = save === null ? 0 : records.findIndex((record) => record.t === 'mark' && record.save === save.save);
  const cells = new Map<string, CellWork>();
  let order: readonly string[] | null = null;
  let metadata: UnsavedWork['metadata'] = [];
  let conflicts: UnsavedWork['conflicts'] = [];
  for (const record of records.slice(from)) {
    if (record.t === 'cell') cells.set(record.key, withRecord(cells.get(record.key) ?? {}, record));
    else if (record.t === 'order') order = record.keys;
    else if (record.t === 'metadata') metadata = record.entries;
    else if (record.t === 'conflicts') conflicts = record.conflicts;
  }
  const kept = order && new Set(order);
  if (kept) for (const key of [...cells.keys()]) if (!kept.has(key)) cells.delete(key);
  return { baseKeys: save?.keys ?? head.keys, cells, order, metadata, conflicts };
}

/** Cells that were changed, added or taken away; a changed order alone counts as one. */
export function changedCells({ baseKeys, cells, order }: UnsavedWork): number {
  if (!order) return cells.size;
  const left = new Set(order);
  const gone = baseKeys.filter((key) => !left.has(key)).length;
  const isMoved = order.length !== baseKeys.length || order.some((key, index) => key !== baseKeys[index]);
  return cells.size + gone || (isMoved ? 1 : 0);
}

export function isNothing(work: UnsavedWork): boolean {
  return changedCells(work) === 0 && work.metadata.length === 0;
}

function withRecord(work: CellWork, record: CellRecord): CellWork {
  const { type, id, metadata, attachments, run } = record;
  const next: CellWork = { ...work };
  if (type !== undefined) next.type = type;
  if (id !== undefined) next.id = id;
  if (metadata !== undefined) next.metadata = metadata;
  if (attachments !== undefined) next.attachments = attachments;
  if (run !== undefined) next.run = run;
  if (record.source !== undefined) {
    next.source = sourceAfter(work.source ?? '', record.source);
    next.spelling = record.spelling ?? null;
  }
  if (record.outputs !== undefined) next.outputs = outputsAfter(work.outputs ?? [], record.outputs);
  return next;
}

function sourceAfter(source: string, change: string | readonly [number, number, string]): string {
  if (typeof change === 'string') return change;
  const [at, remove, insert] = change;
  return source.slice(0, at) + insert + source.slice(at + remove);
}

/** A change that does not fit leaves what was there: outputs can be made again, so they must not cost the source. */
function outputsAfter(outputs: readonly Output<RawPayload>[], changes: NonNullable<CellRecord['outputs']>): readonly Output<RawPayload>[] {
  let list = outputs;
  for (const change of changes) {
    try {
      list = applyOutputChange(list, change);
    } catch {
      return list;
    }
  }
  return list;
}
