/**
 * One cell's text: reading its fields, and the changes that give a new text. Fields are decoded when asked for; outputs never are here.
 */
import type { CellType } from '../../preload/notebook-model.ts';
import { decodeJson, type FileStyle } from './json-text.ts';
import { standsAt } from './json-tokens.ts';
import { MEMBER_DEPTH } from './notebook-file.ts';
import { findMember, type NewValue, type ObjectText, spliceMembers } from './object-splice.ts';
import { multilineText, toLines } from './source-lines.ts';
import { lineArrayText } from './string-array.ts';
import { mergedValue } from './value-merge.ts';

export type CellChanges = Map<string, NewValue | null>;

export const NULL_VALUE: NewValue = { text: Buffer.from('null'), count: 0 };
export const EMPTY_ARRAY: NewValue = { text: Buffer.from('[]'), count: 0 };

/** The decoded value of a member, undefined when it is missing. */
export function memberValue(cell: ObjectText, key: string): unknown {
  const member = findMember(cell, key);
  return member && decodeJson(cell.bytes, member.start, member.end);
}

const USUAL_TYPES = ['code', 'markdown', 'raw'].map((type) => ({ type, text: JSON.stringify(type) }));

/** `cell_type` as the file says it; an empty string when it is missing or no string. */
export function fileCellType(cell: ObjectText): string {
  const member = findMember(cell, 'cell_type');
  const usual =
    member && USUAL_TYPES.find(({ text }) => member.end - member.start === text.length && standsAt(cell.bytes, member.start, text));
  if (usual) return usual.type;
  const value = memberValue(cell, 'cell_type');
  return typeof value === 'string' ? value : '';
}

/** The type a cell is shown and edited as: types that nbformat 4 does not know are raw text to us. */
export function asCellType(type: string): CellType {
  return type === 'code' || type === 'markdown' ? type : 'raw';
}

/** The nbformat id, or null when there is none or it is no string. */
export function fileCellId(cell: ObjectText): string | null {
  const value = memberValue(cell, 'id');
  return typeof value === 'string' ? value : null;
}

/** The source exactly as stored; null when it is neither text nor an array of texts. A missing source is empty. */
export function fileSource(cell: ObjectText): string | null {
  const value = memberValue(cell, 'source');
  return value === undefined ? '' : multilineText(value);
}

/** Cell metadata; empty when it is missing or no object. */
export function fileMetadata(cell: ObjectText): Record<string, unknown> {
  const member = findMember(cell, 'metadata');
  if (!member || member.count === 0) return {};
  const value = decodeJson(cell.bytes, member.start, member.end);
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function fileExecutionCount(cell: ObjectText): number | null {
  const value = memberValue(cell, 'execution_count');
  return typeof value === 'number' ? value : null;
}

export function fileOutputCount(cell: ObjectText): number {
  const member = findMember(cell, 'outputs');
  return member && cell.bytes[member.start] === 0x5b ? member.count : 0;
}

/** The new value of `source`. Lines that did not change keep their spelling. */
export function sourceValue(cell: ObjectText | null, source: string, style: FileStyle): NewValue {
  const member = cell && findMember(cell, 'source');
  const old = member ? cell.bytes.subarray(member.start, member.end) : null;
  return lineArrayText(old, toLines(source), style, MEMBER_DEPTH);
}

/** The new value of `metadata`, in which entries that stay equal keep their text; null when nothing changed. */
export function metadataValue(
  cell: ObjectText,
  wanted: ReadonlyMap<string, unknown>,
  style: FileStyle,
  onNonFinite?: () => void,
): NewValue | null {
  const member = findMember(cell, 'metadata');
  if (!member && wanted.size === 0) return null;
  return mergedValue(
    member ? { bytes: cell.bytes, start: member.start, end: member.end } : null,
    Object.fromEntries(wanted),
    style,
    MEMBER_DEPTH,
    onNonFinite,
  );
}

/** What a change of type asks of the other members: only code cells have outputs and a count, and they have no attachments. */
export function typeChanges(cell: ObjectText, type: CellType): CellChanges {
  const changes: CellChanges = new Map([['cell_type', { text: Buffer.from(JSON.stringify(type)), count: 0 }]]);
  if (type === 'code') {
    if (!findMember(cell, 'execution_count')) changes.set('execution_count', NULL_VALUE);
    if (!findMember(cell, 'outputs')) changes.set('outputs', EMPTY_ARRAY);
    changes.set('attachments', null);
  } else {
    changes.set('execution_count', null);
    changes.set('outputs', null);
  }
  return changes;
}

/** A new cell's text without outputs; `id` null below nbformat 4.5. Keys are in nbformat's (alphabetical) order. */
export function newCell(
  fields: { type: CellType; id: string | null; source: string; metadata: ReadonlyMap<string, unknown> },
  style: FileStyle,
  onNonFinite?: () => void,
): ObjectText {
  const members: CellChanges = new Map();
  members.set('cell_type', { text: Buffer.from(JSON.stringify(fields.type)), count: 0 });
  if (fields.type === 'code') members.set('execution_count', NULL_VALUE);
  if (fields.id !== null) members.set('id', { text: Buffer.from(JSON.stringify(fields.id)), count: 0 });
  members.set('metadata', mergedValue(null, Object.fromEntries(fields.metadata), style, MEMBER_DEPTH, onNonFinite));
  if (fields.type === 'code') members.set('outputs', EMPTY_ARRAY);
  members.set('source', sourceValue(null, fields.source, style));
  return spliceMembers({ bytes: Buffer.from('{}'), start: 0, end: 2, members: [] }, members, style, MEMBER_DEPTH);
}
