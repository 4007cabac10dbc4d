/**
 * Lays unsaved work over a document that holds the contents it starts from. All of it is one transaction of the shared model, so that it can be
 * undone as one step; outputs and line ends, which are not in the model, follow.
 */
import type * as Y from 'yjs';
import {
  type CellFields,
  cellMap,
  cellMetadata,
  cellPositions,
  cellType,
  deleteCells,
  insertCells,
  placeCells,
  setCellType,
  setSource,
} from '../../../preload/notebook-model.ts';
import type { NotebookDocument } from '../notebook-document.ts';
import type { CellWork, UnsavedWork } from './unsaved-work.ts';

/** Each insertion looks at all cells: many of them are faster as new positions for all. */
const MAX_INSERTS = 20;

export interface RestoreOptions {
  /** The document has none of the contents that the work starts from, so that only cells the work knows whole can come back. */
  startsEmpty: boolean;
  /** Of the one transaction that all changes of the shared model are. */
  origin: unknown;
  /** The Yjs client that these changes are of: undo tells by it what is whose. */
  writer: number;
}

export function restoreWork(document: NotebookDocument, work: UnsavedWork, options: RestoreOptions): void {
  const { startsEmpty, origin, writer } = options;
  const fileKeys = document.unsaved.fileKeys;
  const present = new Map(
    startsEmpty ? [] : work.baseKeys.flatMap((key, index) => (fileKeys[index] ? [[key, fileKeys[index]] as const] : [])),
  );
  const here = (key: string): string => present.get(key) ?? key;
  const { ydoc } = document;
  const own = ydoc.clientID;
  ydoc.clientID = writer;
  ydoc.transact(() => {
    const order = work.order ?? (startsEmpty ? work.baseKeys : null);
    if (order) arrangeCells(document, order, work.cells, here);
    for (const [key, cell] of work.cells) if (cellMap(ydoc).has(here(key))) changeCell(ydoc, here(key), cell);
  }, origin);
  ydoc.clientID = own;
  for (const [key, { run, outputs, spelling, attachments }] of work.cells) {
    if (attachments !== undefined) document.unsaved.restoreAttachments(here(key), attachments);
    if (spelling != null) document.unsaved.restoreSpelling(here(key), spelling);
    if (run) {
      const { count: executionCount, producedFrom, foreign } = run;
      document.unsaved.restoreRun(here(key), { executionCount, producedFrom, foreign, outputs: outputs ?? null });
    }
  }
  // A document without the file has nothing that could be chosen instead.
  if (document.path !== null) document.outside.restore(work.conflicts.map((conflict) => ({ ...conflict, key: here(conflict.key) })));
  if (work.metadata.length > 0) document.unsaved.restoreMetadata(work.metadata);
}

/** Takes away, adds and moves cells until they stand in the order wanted. */
function arrangeCells(
  document: NotebookDocument,
  order: readonly string[],
  cells: UnsavedWork['cells'],
  here: (key: string) => string,
): void {
  const { ydoc } = document;
  const map = cellMap(ydoc);
  const wanted = order.filter((key) => map.has(here(key)) || cells.get(key)?.source !== undefined);
  const target = wanted.map(here);
  const left = new Set(target);
  const stayed = document.keys().filter((key) => left.has(key));
  const before = new Set(stayed);
  deleteCells(
    ydoc,
    [...map.keys()].filter((key) => !left.has(key)),
  );
  const groups = newNeighbours(target, before);
  const isMoved = target.filter((key) => before.has(key)).some((key, index) => key !== stayed[index]);
  const fields = new Map(wanted.map((key) => [here(key), newFields(here(key), cells.get(key) ?? {})]));
  if (isMoved || groups.length > MAX_INSERTS) replaceAll(ydoc, target, fields, before);
  else
    for (const { index, keys } of groups)
      insertCells(
        ydoc,
        index,
        keys.map((key) => fields.get(key)!),
      );
}

/** Gives every cell a new position: one pass, however many moved. */
function replaceAll(ydoc: Y.Doc, target: readonly string[], fields: ReadonlyMap<string, CellFields>, before: ReadonlySet<string>): void {
  const positions = cellPositions(target.length);
  for (const [index, key] of target.entries()) {
    if (before.has(key)) cellMap(ydoc).get(key)!.set('position', positions[index]!);
    else placeCells(ydoc, [fields.get(key)!], [positions[index]!]);
  }
}

/** Cells that are not there yet, those that stand together in one, with the place of the first. */
function newNeighbours(target: readonly string[], before: ReadonlySet<string>): { index: number; keys: string[] }[] {
  const groups: { index: number; keys: string[] }[] = [];
  for (const [index, key] of target.entries()) {
    if (before.has(key)) continue;
    const last = groups.at(-1);
    if (last && last.index + last.keys.length === index) last.keys.push(key);
    else groups.push({ index, keys: [key] });
  }
  return groups;
}

function newFields(key: string, { type, id, source, metadata }: CellWork): CellFields {
  return { key, id: id ?? null, type: type ?? 'code', source: source ?? '', metadata: metadata ?? {} };
}

function changeCell(ydoc: Y.Doc, key: string, work: CellWork): void {
  const cell = cellMap(ydoc).get(key)!;
  if (work.source !== undefined) setSource(ydoc, key, work.source);
  if (work.type !== undefined && work.type !== cellType(cell)) setCellType(ydoc, key, work.type);
  if (typeof work.id === 'string' && work.id !== cell.get('id')) cell.set('id', work.id);
  if (work.metadata) setMetadata(cellMetadata(cell), work.metadata);
}

function setMetadata(metadata: Y.Map<unknown>, wanted: Record<string, unknown>): void {
  for (const key of [...metadata.keys()]) if (!Object.hasOwn(wanted, key)) metadata.delete(key);
  for (const [key, value] of Object.entries(wanted)) {
    if (JSON.stringify(metadata.get(key)) !== JSON.stringify(value)) metadata.set(key, value);
  }
}
