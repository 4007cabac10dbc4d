/**
 * Notebooks of nbformat 1 to 3 to the text of an nbformat 4.5 notebook. Follows what nbformat's own converter does: worksheets are joined,
 * headings become markdown, `pyout` and `pyerr` get their present names, and MIME aliases (`png`) become MIME types.
 */
import { streamName } from '../../preload/output-change.ts';
import { newCellId } from './cell-ids.ts';
import { multilineText, toLines } from './source-lines.ts';
import { isJsonMime } from './stored-outputs.ts';

type Fields = Record<string, unknown>;

/** The major version when it is one to be converted, else null. Without a version, worksheets tell nbformat 3. */
export function oldMajor(nbformat: number | null, hasWorksheets: boolean, hasCells: boolean): number | null {
  if (nbformat === null) return hasWorksheets && !hasCells ? 3 : null;
  return nbformat < 4 ? Math.max(1, Math.floor(nbformat)) : null;
}

/** `notebook` is the decoded old file. Parts that are no notebook at all are left out and counted in the notices. */
export function convertOldNotebook(notebook: unknown, major: number, name: string): { text: string; notices: string[] } {
  const top = isObject(notebook) ? notebook : {};
  const old = major === 1 ? listOf(top.cells) : listOf(top.worksheets).flatMap((sheet) => (isObject(sheet) ? listOf(sheet.cells) : []));
  const ids = new Set<string>();
  const cells = old.filter(isObject).map((cell) => {
    const id = newCellId(ids);
    ids.add(id);
    return convertCell(major === 1 ? fromVersion1(cell) : cell, id);
  });
  const { name: _name, signature: _signature, ...metadata } = isObject(top.metadata) ? top.metadata : {};
  const notices = [
    `${name} is of nbformat ${major}. It was converted into this new notebook; save it under another name. The old file stays as it is.`,
  ];
  const dropped = old.length - cells.length;
  if (dropped > 0) notices.push(`${dropped} ${dropped === 1 ? 'entry' : 'entries'} of the old file that are no cells were left out.`);
  return { text: `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`, notices };
}

function fromVersion1(cell: Fields): Fields {
  if (cell.cell_type !== 'code') return { cell_type: 'markdown', source: cell.text };
  const { code, ...rest } = cell;
  return { ...rest, input: code, outputs: [] };
}

/** Names of version 3 that are not carried over under the same name. */
const CODE_FIELDS = ['cell_type', 'metadata', 'input', 'source', 'outputs', 'prompt_number', 'language', 'level'];

function convertCell(cell: Fields, id: string): Fields {
  const metadata: Fields = { ...(isObject(cell.metadata) ? cell.metadata : {}) };
  // Version 4 allows no other fields in a cell, so what is left (like `collapsed`) goes to the metadata.
  for (const [key, value] of Object.entries(cell)) if (!CODE_FIELDS.includes(key) && !(key in metadata)) metadata[key] = value;
  switch (cell.cell_type) {
    case 'code':
      return {
        cell_type: 'code',
        execution_count: integer(cell.prompt_number),
        id,
        metadata,
        outputs: listOf(cell.outputs).filter(isObject).map(convertOutput),
        source: toLines(joined(cell.input)),
      };
    case 'heading':
      return { cell_type: 'markdown', id, metadata, source: toLines(heading(cell)) };
    case 'raw':
      return { cell_type: 'raw', id, metadata, source: toLines(joined(cell.source)) };
    default:
      return { cell_type: 'markdown', id, metadata, source: toLines(joined(cell.source)) };
  }
}

function heading(cell: Fields): string {
  const level = Math.min(6, Math.max(1, integer(cell.level) ?? 1));
  return `${'#'.repeat(level)} ${joined(cell.source)
    .split(/\r\n|\n|\r/)
    .filter(Boolean)
    .join(' ')}`;
}

const MIME_TYPES: Record<string, string> = {
  text: 'text/plain',
  html: 'text/html',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpeg: 'image/jpeg',
  latex: 'text/latex',
  json: 'application/json',
  javascript: 'application/javascript',
};

function convertOutput(output: Fields): Fields {
  switch (output.output_type) {
    case 'pyout':
    case 'display_data':
      return convertBundle(output);
    case 'pyerr':
      return {
        ename: String(output.ename ?? ''),
        evalue: String(output.evalue ?? ''),
        output_type: 'error',
        traceback: listOf(output.traceback).map(String),
      };
    case 'stream':
      return { name: streamName(output.stream), output_type: 'stream', text: toLines(joined(output.text)) };
    default:
      return output;
  }
}

function convertBundle(output: Fields): Fields {
  const data: Fields = {};
  for (const [key, value] of Object.entries(output)) {
    if (['output_type', 'prompt_number', 'metadata'].includes(key)) continue;
    const mime = MIME_TYPES[key] ?? key;
    data[mime] = convertPayload(mime, value);
  }
  const metadata = Object.fromEntries(
    Object.entries(isObject(output.metadata) ? output.metadata : {}).map(([key, value]) => [MIME_TYPES[key] ?? key, value]),
  );
  if (output.output_type === 'display_data') return { data, metadata, output_type: 'display_data' };
  return { data, execution_count: integer(output.prompt_number), metadata, output_type: 'execute_result' };
}

/** JSON was kept as text in version 3; text that is no JSON stays text. */
function convertPayload(mime: string, value: unknown): unknown {
  if (multilineText(value) === null) return value;
  const text = joined(value);
  if (isJsonMime(mime)) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return mime.startsWith('text/') || mime === 'image/svg+xml' || mime === 'application/javascript' ? toLines(text) : text;
}

/** Versions 1 and 2 left the line feeds out of lists of lines, version 3 kept them: the first line tells. */
function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  const lines = value.map(String);
  return lines.join(/[\n\r]$/.test(lines[0] ?? '') ? '' : '\n');
}

function integer(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
