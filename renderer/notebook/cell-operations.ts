/**
 * Cell operations of a person on the shared notebook: insert, delete, move, split, merge, paste, change of type. Each is one transaction and
 * so one undo step. The sources are changed by the smallest splice, so that what others type meanwhile survives.
 */
import type * as Y from 'yjs';
import type { CellFields, CellType } from '../../preload/notebook-model.ts';
import {
  cellFields,
  cellMap,
  cellMetadata,
  cellType,
  deleteCells,
  insertCells,
  moveCell,
  orderedKeys,
  requireCell,
  setCellType,
  setSource,
  sourceText,
} from '../../preload/notebook-model.ts';

/** A cell on the clipboard: everything but its identity. */
export type CellCopy = Pick<CellFields, 'type' | 'source' | 'metadata'>;

/** Cellwright's own key: 96 random bits, so that two windows never make the same. */
export function newKey(): string {
  return randomHex(12);
}

function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** nbformat 4.5 and later give every cell an id; older files have none, and a mixture fails validation. */
function usesIds(doc: Y.Doc): boolean {
  const [first] = cellMap(doc).values();
  return first === undefined || first.get('id') !== null;
}

function freshCell(doc: Y.Doc, copy: CellCopy): CellFields {
  return { key: newKey(), id: usesIds(doc) ? randomHex(4) : null, ...copy };
}

/** Inserts cells at place `index` (0..n) and gives their keys. */
export function insertCopies(doc: Y.Doc, index: number, copies: readonly CellCopy[], origin: unknown): string[] {
  const cells = copies.map((copy) => freshCell(doc, copy));
  insertCells(doc, index, cells, origin);
  return cells.map(({ key }) => key);
}

export function emptyCell(type: CellType): CellCopy {
  return { type, source: '', metadata: {} };
}

export function copyCells(doc: Y.Doc, keys: readonly string[]): CellCopy[] {
  return keys.map((key) => {
    const { type, source, metadata } = cellFields(doc, key);
    return { type, source, metadata };
  });
}

/** Deletes cells. A notebook is never left without a cell: the last gives way to an empty one. */
export function removeCells(doc: Y.Doc, keys: readonly string[], origin: unknown): void {
  doc.transact(() => {
    deleteCells(doc, keys, origin);
    if (cellMap(doc).size === 0) insertCopies(doc, 0, [emptyCell('code')], origin);
  }, origin);
}

/** Moves a run of neighbouring cells by one place. Does nothing at the edge. */
export function shiftCells(doc: Y.Doc, keys: readonly string[], by: -1 | 1, origin: unknown): void {
  const order = orderedKeys(doc);
  const first = order.indexOf(keys[0] ?? '');
  const last = first + keys.length - 1;
  const passed = by < 0 ? order[first - 1] : order[last + 1];
  if (first < 0 || passed === undefined) return;
  // The neighbour changes sides: one assignment however many cells are selected.
  moveCell(doc, passed, by < 0 ? last : first, origin);
}

/** Moves cells so that they stand together before the cell that is at place `index` (0..n) now. */
export function placeCells(doc: Y.Doc, keys: readonly string[], index: number, origin: unknown): void {
  const order = orderedKeys(doc);
  const moving = new Set(keys);
  const rest = order.filter((key) => !moving.has(key));
  const before = order.slice(0, index).filter((key) => !moving.has(key)).length;
  const target = [...rest.slice(0, before), ...order.filter((key) => moving.has(key)), ...rest.slice(before)];
  if (target.every((key, place) => key === order[place])) return;
  doc.transact(() => {
    // From the left, each cell is put where it belongs; those already there are left alone.
    const first = target.findIndex((key) => moving.has(key));
    target.slice(first, first + keys.length).forEach((key, offset) => {
      moveCell(doc, key, orderedIndexFor(doc, key, target[first + offset - 1]), origin);
    });
  }, origin);
}

/** The place of `key` in the new order when it shall follow `previous`. */
function orderedIndexFor(doc: Y.Doc, key: string, previous: string | undefined): number {
  const others = orderedKeys(doc).filter((other) => other !== key);
  return previous === undefined ? 0 : others.indexOf(previous) + 1;
}

/** The pieces of a source cut at UTF-16 offsets; the line feed at a cut belongs to neither side. */
export function splitSource(source: string, offsets: readonly number[]): string[] {
  const cuts = [...new Set(offsets.map((offset) => Math.min(Math.max(offset, 0), source.length)))].sort((a, b) => a - b);
  const edges = [0, ...cuts, source.length];
  return edges.slice(1).map((end, index) => {
    let piece = source.slice(edges[index], end);
    if (index > 0 && piece.startsWith('\n')) piece = piece.slice(1);
    if (index < edges.length - 2 && piece.endsWith('\n')) piece = piece.slice(0, -1);
    return piece;
  });
}

/** Splits a cell. The first piece keeps the cell with its outputs; gives the keys of all pieces. */
export function splitCell(doc: Y.Doc, key: string, offsets: readonly number[], origin: unknown): string[] {
  const { source, type, metadata } = cellFields(doc, key);
  const [head = '', ...tails] = splitSource(source, offsets);
  if (tails.length === 0) return [key];
  let added: string[] = [];
  doc.transact(() => {
    setSource(doc, key, head, origin);
    const copies = tails.map((tail) => ({ type, source: tail, metadata: structuredClone(metadata) }));
    added = insertCopies(doc, orderedKeys(doc).indexOf(key) + 1, copies, origin);
  }, origin);
  return [key, ...added];
}

/** Merges cells into the first of them, which keeps its type and outputs. Gives its key. */
export function mergeCells(doc: Y.Doc, keys: readonly string[], origin: unknown): string | null {
  const [first, ...others] = keys;
  if (first === undefined) return null;
  if (others.length === 0) return first;
  doc.transact(() => {
    const text = sourceText(requireCell(doc, first));
    for (const key of others) text.insert(text.length, `\n${sourceText(requireCell(doc, key)).toString()}`);
    deleteCells(doc, others, origin);
  }, origin);
  return first;
}

export function changeTypes(doc: Y.Doc, keys: readonly string[], type: CellType, origin: unknown): void {
  doc.transact(() => {
    for (const key of keys) setCellType(doc, key, type, origin);
  }, origin);
}

/** Whether a code cell's outputs are folded away; `jupyter.outputs_hidden` and the older `collapsed` both say so. */
export function outputsHidden(metadata: Readonly<Record<string, unknown>>): boolean {
  const jupyter = metadata.jupyter;
  return (
    metadata.collapsed === true ||
    (typeof jupyter === 'object' && jupyter !== null && (jupyter as Record<string, unknown>).outputs_hidden === true)
  );
}

/** Folds or unfolds outputs, in both spellings that other programs read; other keys stay as they are. */
export function setOutputsHidden(doc: Y.Doc, keys: readonly string[], hidden: boolean, origin: unknown): void {
  doc.transact(() => {
    for (const key of keys) {
      const cell = requireCell(doc, key);
      if (cellType(cell) !== 'code') continue;
      const metadata = cellMetadata(cell);
      const { outputs_hidden: _, ...jupyter } = (metadata.get('jupyter') ?? {}) as Record<string, unknown>;
      if (hidden) {
        metadata.set('collapsed', true);
        metadata.set('jupyter', { ...jupyter, outputs_hidden: true });
      } else {
        metadata.delete('collapsed');
        if (Object.keys(jupyter).length > 0) metadata.set('jupyter', jupyter);
        else metadata.delete('jupyter');
      }
    }
  }, origin);
}
