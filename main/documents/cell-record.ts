/**
 * What main keeps of a cell beside the shared model: what the file says about it, its outputs, and the source they come from. A record outlives
 * its cell, so that an undone deletion brings back outputs and, byte for byte, the file's own text.
 */
import type { CellFields, CellType } from '../../preload/notebook-model.ts';
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { newCellKey } from './cell-ids.ts';
import type { RawCell, Slice } from './notebook-file.ts';
import { findMember, type ObjectText } from './object-splice.ts';
import { asCellType, fileCellId, fileCellType, fileExecutionCount, fileMetadata, fileOutputCount, fileSource } from './raw-cell.ts';
import { withLineFeeds } from './source-lines.ts';
import { decodeOutputs, type StoredOutputs } from './stored-outputs.ts';

/** Outputs still in the file's text, or a list made in this session. Never changed in place: another value means other outputs. */
export type CellOutputs = { kind: 'stored'; text: StoredOutputs } | { kind: 'live'; list: readonly Output<RawPayload>[] };

/** A cell as its text in the file has it. */
export interface CellBase {
  raw: ObjectText;
  type: CellType;
  /** Exactly as stored, and as the model has it (line feeds alone). */
  source: string;
  text: string;
  id: string | null;
  /** Null where the text has no outputs because the cell is no code cell. */
  outputs: CellOutputs | null;
  executionCount: number | null;
}

export interface CellRecord {
  /** Null for a cell that was never saved. */
  base: CellBase | null;
  /** The base as it was when the notebook was opened: what is edited, saved and then undone gets its first bytes again. */
  original: CellBase | null;
  /** The source as the `notebook` tool gave it, line ends and all: the file's while the model has that text. */
  spelling: string | null;
  /** The cell's index in the file as last read or saved, -1 when it is not in it. */
  place: number;
  outputs: CellOutputs;
  executionCount: number | null;
  /** Source that the outputs come from; null when nothing was run. */
  producedFrom: string | null;
  /** The file's text of `attachments`, kept also while the cell is a code cell, which can't have any, or when another program left it out. */
  attachments: Slice | null;
  /** Decoded stored outputs, while memory allows. */
  decoded: WeakRef<Output<RawPayload>[]> | null;
}

export const NO_OUTPUTS: CellOutputs = { kind: 'live', list: [] };

export function newRecord(): CellRecord {
  return {
    base: null,
    original: null,
    spelling: null,
    place: -1,
    outputs: NO_OUTPUTS,
    executionCount: null,
    producedFrom: null,
    attachments: null,
    decoded: null,
  };
}

/** Record and model fields of a cell in the file; null when its source is no text. */
export function recordOf(raw: RawCell, place: number): { record: CellRecord; fields: CellFields } | null {
  const source = fileSource(raw);
  if (source === null) return null;
  const text = withLineFeeds(source);
  const type = asCellType(fileCellType(raw));
  const id = fileCellId(raw);
  const outputs = storedOutputs(raw);
  const executionCount = type === 'code' ? fileExecutionCount(raw) : null;
  const base: CellBase = { raw, type, source, text, id, outputs: type === 'code' ? outputs : null, executionCount };
  const record: CellRecord = {
    base,
    original: base,
    spelling: null,
    place,
    outputs,
    executionCount,
    producedFrom: text,
    attachments: memberSlice(raw, 'attachments'),
    decoded: null,
  };
  return { record, fields: { key: newCellKey(), id, type, source: text, metadata: fileMetadata(raw) } };
}

function storedOutputs(raw: RawCell): CellOutputs {
  const slice = memberSlice(raw, 'outputs');
  const count = fileOutputCount(raw);
  return slice && count > 0 ? { kind: 'stored', text: { ...slice, count } } : NO_OUTPUTS;
}

export function memberSlice(raw: ObjectText, key: string): Slice | null {
  const member = findMember(raw, key);
  return member ? { bytes: raw.bytes, start: member.start, end: member.end } : null;
}

export function outputCount({ outputs }: CellRecord): number {
  return outputs.kind === 'stored' ? outputs.text.count : outputs.list.length;
}

export function outputList(record: CellRecord): readonly Output<RawPayload>[] {
  if (record.outputs.kind === 'live') return record.outputs.list;
  const cached = record.decoded?.deref();
  if (cached) return cached;
  const list = decodeOutputs(record.outputs.text);
  record.decoded = new WeakRef(list);
  return list;
}

export function isStale(record: CellRecord, source: string): boolean {
  return outputCount(record) > 0 && record.producedFrom !== null && record.producedFrom !== source;
}
