/**
 * What a document does about cells that someone has just added to the shared model: it takes out what is no cell, and gives ids where the format
 * has them. Both answer a change with a change, so they run while Yjs tells of the first one.
 */
import * as Y from 'yjs';
import { cellId, cellMap } from '../../preload/notebook-model.ts';
import { newCellId } from './cell-ids.ts';

/** Origin of the transactions that documents make on their own account. */
export const DOCUMENT_ORIGIN = 'document';

/** A cell without its parts can be neither shown nor saved: such a one, from whichever window, is taken out again. Returns the others. */
export function withoutMalformed(ydoc: Y.Doc, added: readonly string[]): string[] {
  const cells = cellMap(ydoc);
  const good = added.filter((key) => isWellFormed(cells.get(key)));
  if (good.length < added.length) {
    const bad = added.filter((key) => !good.includes(key));
    ydoc.transact(() => {
      for (const key of bad) cells.delete(key);
    }, DOCUMENT_ORIGIN);
  }
  return good;
}

function isWellFormed(cell: unknown): boolean {
  return (
    cell instanceof Y.Map &&
    typeof cell.get('position') === 'string' &&
    ['code', 'markdown', 'raw'].includes(cell.get('type') as string) &&
    cell.get('source') instanceof Y.Text &&
    cell.get('metadata') instanceof Y.Map
  );
}

/** New cells without an id, or with one that is taken (a pasted copy), get a fresh one. */
export function giveIds(ydoc: Y.Doc, added: readonly string[]): void {
  const cells = cellMap(ydoc);
  const fresh = new Set(added);
  const taken = new Set<string>();
  cells.forEach((cell, key) => {
    const id = cellId(cell);
    if (id !== null && !fresh.has(key)) taken.add(id);
  });
  ydoc.transact(() => {
    for (const key of added) {
      const cell = cells.get(key)!;
      let id = cellId(cell);
      if (id === null || taken.has(id)) {
        id = newCellId(taken);
        cell.set('id', id);
      }
      taken.add(id);
    }
  }, DOCUMENT_ORIGIN);
}
