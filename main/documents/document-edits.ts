/**
 * The `notebook` tool's edits on a live document: the view that their checks see, and a checked plan carried out on the shared model, so that
 * the change merges with what others type and can be undone like any other.
 */
import { type CellFields, cellFields, deleteCells, insertCells, moveCell, setCellType, setSource } from '../../preload/notebook-model.ts';
import { newCellId, newCellKey } from './cell-ids.ts';
import type { CellEdit, NotebookView } from './edits.ts';
import type { NotebookDocument } from './notebook-document.ts';
import { withLineFeeds } from './source-lines.ts';

export function documentView(document: NotebookDocument): NotebookView {
  const keys = document.keys();
  const fields = (index: number): CellFields => cellFields(document.ydoc, keys[index]!);
  return {
    name: document.path ?? document.title,
    total: keys.length,
    cell(index) {
      const { key, id, type, source } = fields(index);
      return { id, type, source, outputs: document.outputCount(key), stale: document.staleOutputs(key) };
    },
    indexOfId: (id) => keys.findIndex((_key, index) => fields(index).id === id),
    newId: () => (document.hasIds ? newCellId(new Set(keys.map((_key, index) => fields(index).id))) : null),
  };
}

/** Carries out an edit whose checks have passed on the document's present view. */
export function applyToDocument(document: NotebookDocument, edit: CellEdit, origin: unknown): void {
  const { ydoc } = document;
  const key = document.keys()[edit.index] ?? '';
  switch (edit.op) {
    case 'source':
      setSource(ydoc, key, withLineFeeds(edit.source), origin);
      break;
    case 'insert':
      insertCells(
        ydoc,
        edit.index,
        [{ key: newCellKey(), id: edit.id, type: edit.type, source: withLineFeeds(edit.source), metadata: {} }],
        origin,
      );
      break;
    case 'delete':
      deleteCells(ydoc, [key], origin);
      break;
    case 'move':
      moveCell(ydoc, key, edit.to, origin);
      break;
    case 'type':
      setCellType(ydoc, key, edit.type, origin);
      break;
    case 'clear':
      document.clearOutputs([key], origin);
      break;
  }
}
