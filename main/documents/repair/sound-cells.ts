/**
 * Cells that nbformat accepts, from whatever was read: missing fields are filled in, wrong ones left out, each with a word about it. A cell
 * with nothing to mend keeps its text, so that numbers, escapes and outputs come through as they were.
 */
import type { CellType } from '../../../preload/notebook-model.ts';
import { newCellId } from '../cell-ids.ts';
import { formatJson, USUAL_STYLE } from '../json-text.ts';
import { multilineText, toLines } from '../source-lines.ts';
import type { Place } from './lenient-json.ts';

export interface SoundCell {
  id: string | null;
  /** The id that the text had, which tells what cell it is. */
  ownId: string | null;
  type: CellType;
  source: string;
  outputs: number;
  /** The text of the cell, to be put between others. */
  json: string;
  /** What was mended; null: nothing. */
  note: string | null;
}

export interface SoundOptions {
  hasIds: boolean;
  /** Where an object stands in `text`. */
  placeOf: (value: object) => Place | undefined;
  text: string;
}

type Fields = Record<string, unknown>;

/** Nesting depth of a cell in a notebook. */
const DEPTH = 2;
/** Fields that are taken over one by one; what else a cell has is kept. */
const KNOWN_FIELDS = ['cell_type', 'id', 'metadata', 'source', 'input', 'outputs', 'execution_count', 'prompt_number', 'attachments'];
const TYPES: readonly string[] = ['code', 'markdown', 'raw'];

/** `values` are the entries of `cells`. Those that hold nothing of a cell are left out. */
export function soundCells(values: readonly unknown[], options: SoundOptions): { cells: SoundCell[]; dropped: number } {
  const taken = new Set<string>();
  const cells = values.flatMap((value) => (isObject(value) && hasSubstance(value) ? [soundCell(value, taken, options)] : []));
  return { cells, dropped: values.length - cells.length };
}

function hasSubstance(cell: Fields): boolean {
  return (
    'source' in cell ||
    'input' in cell ||
    (Array.isArray(cell.outputs) && cell.outputs.length > 0) ||
    TYPES.includes(String(cell.cell_type))
  );
}

function soundCell(value: Fields, taken: Set<string>, { hasIds, placeOf, text }: SoundOptions): SoundCell {
  const place = placeOf(value);
  const notes = new Set<string>();
  if (place?.cut)
    notes.add('source' in value || 'input' in value ? 'cut off here: its end is missing' : 'cut off here: its source is lost');
  else if (place?.faulty) notes.add('its JSON was mended');
  const fields = soundFields(value, notes);
  const id = hasIds ? soundId(value.id, taken, notes) : null;
  if (id !== null) fields.id = id;
  if (!hasIds && 'id' in value) notes.add('its id was left out, since this version of the format has none');
  const asItWas = notes.size === 0 && place;
  const sorted = Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    id,
    ownId: typeof value.id === 'string' ? value.id : null,
    type: fields.cell_type as CellType,
    source: (fields.source as string[]).join(''),
    outputs: Array.isArray(fields.outputs) ? fields.outputs.length : 0,
    json: asItWas ? text.slice(place.start, place.end) : formatJson(sorted, USUAL_STYLE, DEPTH),
    note: notes.size === 0 ? null : [...notes].join('; '),
  };
}

function soundFields(value: Fields, notes: Set<string>): Fields {
  const type = soundType(value, notes);
  const source = soundSource(value, notes);
  const others = Object.fromEntries(Object.entries(value).filter(([key]) => !KNOWN_FIELDS.includes(key)));
  const fields: Fields = { ...others, cell_type: type, metadata: isObject(value.metadata) ? value.metadata : {}, source: toLines(source) };
  if (!isObject(value.metadata)) notes.add('its metadata was missing');
  if (type !== 'code') {
    if ('outputs' in value || 'execution_count' in value) notes.add('its outputs were left out, since text has none');
    if (isObject(value.attachments)) fields.attachments = value.attachments;
    return fields;
  }
  const count = value.execution_count ?? value.prompt_number ?? null;
  const isCount = Number.isInteger(count) && (count as number) >= 0;
  fields.execution_count = isCount ? count : null;
  if (!('execution_count' in value)) notes.add('its execution count was missing');
  else if (!isCount && count !== null) notes.add('its execution count was none');
  const outputs = Array.isArray(value.outputs) ? value.outputs : [];
  if (!Array.isArray(value.outputs)) notes.add('its outputs were missing');
  fields.outputs = outputs.flatMap((output) => soundOutput(output) ?? []);
  const lost = outputs.length - (fields.outputs as unknown[]).length;
  if (lost > 0) notes.add(lost === 1 ? 'an output that can’t be read was left out' : `${lost} outputs that can’t be read were left out`);
  return fields;
}

function soundType(value: Fields, notes: Set<string>): CellType {
  if (TYPES.includes(value.cell_type as string)) return value.cell_type as CellType;
  const type = value.cell_type === 'heading' || value.cell_type === 'html' ? 'markdown' : 'code';
  notes.add(`its type was ${value.cell_type === undefined ? 'missing' : 'unknown'}, so it is read as ${type}`);
  return type;
}

function soundSource(value: Fields, notes: Set<string>): string {
  const source = value.source ?? value.input;
  const text = multilineText(source);
  if (text !== null) return text;
  if (source !== undefined) notes.add('its source was no text');
  else notes.add('its source was missing');
  return Array.isArray(source) ? source.filter((line) => typeof line === 'string').join('') : '';
}

function soundId(id: unknown, taken: Set<string>, notes: Set<string>): string {
  if (typeof id === 'string' && /^[\w-]{1,64}$/.test(id) && !taken.has(id)) {
    taken.add(id);
    return id;
  }
  notes.add(id === undefined ? 'it got an id' : 'it got a new id');
  const fresh = newCellId(taken);
  taken.add(fresh);
  return fresh;
}

/** Null for what is no output, or is one that was cut in the middle. */
function soundOutput(value: unknown): Fields | null {
  if (!isObject(value)) return null;
  switch (value.output_type) {
    case 'stream':
      return multilineText(value.text) === null ? null : { name: 'stdout', ...value };
    case 'error':
      return { ename: '', evalue: '', traceback: [], ...value };
    case 'display_data':
      return isObject(value.data) ? { metadata: {}, ...value } : null;
    case 'execute_result':
      return isObject(value.data) ? { execution_count: null, metadata: {}, ...value } : null;
    default:
      return null;
  }
}

export function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
