/**
 * The `notebook` tool's edits on a live document: the view that their checks see, and a checked plan carried out on the shared model, so that
 * the change merges with what others type and can be undone like any other. The model has line feeds alone; the file gets the tool's line ends.
 */
import {
  type CellFields,
  cellFields,
  cellId,
  deleteCells,
  insertCells,
  moveCell,
  requireCell,
  setCellType,
  setSource,
} from '../../preload/notebook-model.ts';
import { newCellId, newCellKey } from './cell-ids.ts';
import type { CellEdit, NotebookView } from './edits.ts';
import type { NotebookDocument } from './notebook-document.ts';
import { withLineFeeds } from './source-lines.ts';

/** What edits need of a live document. */
export type EditedDocument = Pick<
  NotebookDocument,
  'ydoc' | 'path' | 'title' | 'hasIds' | 'keys' | 'sources' | 'outputCount' | 'clearOutputs'
>;

export function documentView(document: EditedDocument): NotebookView {
  const keys = document.keys();
  const fields = (index: number): CellFields => cellFields(document.ydoc, keys[index]!);
  const idOf = (key: string): string | null => cellId(requireCell(document.ydoc, key));
  return {
    name: document.path ?? document.title,
    total: keys.length,
    cell(index) {
      const { key, id, type, source } = fields(index);
      return {
        id,
        type,
        source,
        outputs: document.outputCount(key),
        staleWith: (other) => document.sources.staleWith(key, other),
        withLineEnds: (other) => document.sources.withLineEnds(key, other),
      };
    },
    indexOfId: (id) => keys.findIndex((key) => idOf(key) === id),
    newId: () => (document.hasIds ? newCellId(new Set(keys.map(idOf))) : null),
  };
}

/** Carries out an edit whose checks have passed on the document's present view. */
export function applyToDocument(document: EditedDocument, edit: CellEdit, origin: unknown): void {
  const { ydoc } = document;
  const key = document.keys()[edit.index] ?? '';
  switch (edit.op) {
    case 'source':
      setSource(ydoc, key, withLineFeeds(edit.source), origin);
      document.sources.spell(key, edit.source);
      break;
    case 'insert': {
      const { index, id, type, source } = edit;
      const added = newCellKey();
      insertCells(ydoc, index, [{ key: added, id, type, source: withLineFeeds(source), metadata: {} }], origin);
      document.sources.spell(added, source);
      break;
    }
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
