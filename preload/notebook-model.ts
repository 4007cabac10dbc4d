/**
 * The shared notebook model: how cells lie in a Yjs document, and the operations on them.
 * Main holds the owning copy and every window a replica; both use these functions, so a cell operation means the same on either side.
 * Order is a fractional index per cell and not a list: a move is one assignment, so concurrent moves never duplicate or lose a cell.
 */
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import * as Y from 'yjs';

export type CellType = 'code' | 'markdown' | 'raw';

/** A cell as plain values. `key` is Cellwright's own and unique; `id` is the nbformat id, which may be missing below 4.5. */
export interface CellFields {
  key: string;
  id: string | null;
  type: CellType;
  source: string;
  metadata: Record<string, unknown>;
}

export type YCell = Y.Map<unknown>;

/**
 * Root map: cell key → cell. Fields of a cell: position, type, id (string or null), source (Y.Text), metadata (Y.Map of JSON values), and
 * `cleared` once its outputs were cleared by hand (see `clearOutputs`).
 */
export function cellMap(doc: Y.Doc): Y.Map<YCell> {
  return doc.getMap('cells');
}

function position(cell: YCell): string {
  return cell.get('position') as string;
}

/** Cell keys in document order; ties (concurrent inserts at one place) are settled by key, the same on every replica. */
export function orderedKeys(doc: Y.Doc): string[] {
  const entries: [string, string][] = [];
  cellMap(doc).forEach((cell, key) => {
    entries.push([position(cell), key]);
  });
  entries.sort(([a, ak], [b, bk]) => (a < b ? -1 : a > b ? 1 : ak < bk ? -1 : ak > bk ? 1 : 0));
  return entries.map(([, key]) => key);
}

export function sourceText(cell: YCell): Y.Text {
  return cell.get('source') as Y.Text;
}

export function cellType(cell: YCell): CellType {
  return cell.get('type') as CellType;
}

export function cellId(cell: YCell): string | null {
  return (cell.get('id') as string | null | undefined) ?? null;
}

export function cellMetadata(cell: YCell): Y.Map<unknown> {
  return cell.get('metadata') as Y.Map<unknown>;
}

/** The cell's values. Throws when there is no such cell. */
export function cellFields(doc: Y.Doc, key: string): CellFields {
  const cell = requireCell(doc, key);
  return {
    key,
    id: cellId(cell),
    type: cellType(cell),
    source: sourceText(cell).toString(),
    metadata: cellMetadata(cell).toJSON() as Record<string, unknown>,
  };
}

export function requireCell(doc: Y.Doc, key: string): YCell {
  const cell = cellMap(doc).get(key);
  if (!cell) throw new Error(`There is no cell ${key} in this notebook any more.`);
  return cell;
}

function createCell(fields: CellFields, at: string): YCell {
  const cell: YCell = new Y.Map();
  cell.set('position', at);
  cell.set('type', fields.type);
  cell.set('id', fields.id);
  const text = new Y.Text();
  if (fields.source) text.insert(0, fields.source);
  cell.set('source', text);
  const metadata = new Y.Map<unknown>();
  for (const [name, value] of Object.entries(fields.metadata)) metadata.set(name, value);
  cell.set('metadata', metadata);
  return cell;
}

/** Positions just before place `index` (0..n) of the present order; `index` n is the end. */
function positionsAt(doc: Y.Doc, index: number, count: number, without?: string): string[] {
  const keys = orderedKeys(doc).filter((key) => key !== without);
  const before = index > 0 ? position(requireCell(doc, keys[index - 1]!)) : null;
  let after: string | null = null;
  for (const key of keys.slice(index)) {
    const candidate = position(requireCell(doc, key));
    if (before === null || candidate > before) {
      after = candidate;
      break;
    }
  }
  return count === 1 ? [generateKeyBetween(before, after)] : generateNKeysBetween(before, after, count);
}

/** Fills an empty document: one transaction, evenly short position keys. */
export function loadCells(doc: Y.Doc, cells: readonly CellFields[], origin?: unknown): void {
  placeCells(doc, cells, cellPositions(cells.length), origin);
}

/** Positions for the cells of a whole document, in order. */
export function cellPositions(count: number): string[] {
  return generateNKeysBetween(null, null, count);
}

/** Adds cells at given positions: a large document is loaded in several steps of this. */
export function placeCells(doc: Y.Doc, cells: readonly CellFields[], positions: readonly string[], origin?: unknown): void {
  doc.transact(() => {
    cells.forEach((cell, index) => {
      cellMap(doc).set(cell.key, createCell(cell, positions[index]!));
    });
  }, origin);
}

/** Inserts cells so that the first of them gets place `index` (0..n). Throws RangeError outside that range. */
export function insertCells(doc: Y.Doc, index: number, cells: readonly CellFields[], origin?: unknown): void {
  const total = cellMap(doc).size;
  if (!Number.isInteger(index) || index < 0 || index > total) throw new RangeError(`cell index ${index} is not in 0..${total}`);
  const positions = positionsAt(doc, index, cells.length);
  doc.transact(() => {
    cells.forEach((cell, offset) => {
      cellMap(doc).set(cell.key, createCell(cell, positions[offset]!));
    });
  }, origin);
}

export function deleteCells(doc: Y.Doc, keys: readonly string[], origin?: unknown): void {
  doc.transact(() => {
    for (const key of keys) cellMap(doc).delete(key);
  }, origin);
}

/** Moves a cell so that it ends at place `index` (0..n-1) of the new order. */
export function moveCell(doc: Y.Doc, key: string, index: number, origin?: unknown): void {
  const cell = requireCell(doc, key);
  const last = cellMap(doc).size - 1;
  if (!Number.isInteger(index) || index < 0 || index > last) throw new RangeError(`cell index ${index} is not in 0..${last}`);
  const [at] = positionsAt(doc, index, 1, key);
  doc.transact(() => cell.set('position', at), origin);
}

export function setCellType(doc: Y.Doc, key: string, type: CellType, origin?: unknown): void {
  const cell = requireCell(doc, key);
  if (cellType(cell) !== type) doc.transact(() => cell.set('type', type), origin);
}

/**
 * Clears the outputs of cells. Those are main's and not in this model: what is set here is a mark that names this clearing, so that an undo,
 * which takes the mark away, brings the outputs back.
 */
export function clearOutputs(doc: Y.Doc, keys: readonly string[], origin?: unknown): void {
  doc.transact(() => {
    for (const key of keys) requireCell(doc, key).set('cleared', crypto.randomUUID());
  }, origin);
}

/** Replaces the source with the smallest single splice, so that concurrent edits elsewhere in the cell survive. */
export function setSource(doc: Y.Doc, key: string, source: string, origin?: unknown): void {
  const text = sourceText(requireCell(doc, key));
  const old = text.toString();
  if (old === source) return;
  let start = 0;
  while (start < old.length && start < source.length && old[start] === source[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < source.length - start && old[old.length - 1 - end] === source[source.length - 1 - end]) end += 1;
  // A splice must not cut a surrogate pair: Yjs encodes UTF-8, where half a pair turns into U+FFFD.
  if (start > 0 && isHighSurrogate(old, start - 1)) start -= 1;
  if (end > 0 && isHighSurrogate(old, old.length - end - 1)) end -= 1;
  if (end > 0 && isHighSurrogate(source, source.length - end - 1)) end -= 1;
  doc.transact(() => {
    if (old.length - end > start) text.delete(start, old.length - end - start);
    if (source.length - end > start) text.insert(start, source.slice(start, source.length - end));
  }, origin);
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
