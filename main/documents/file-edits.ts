/**
 * Edits carried out on a notebook file's text: a plan of `edits.ts` gives a new file in which only the spans it names differ.
 */
import { FIRST_MINOR_WITH_IDS, newCellId } from './cell-ids.ts';
import type { CellEdit, NotebookView } from './edits.ts';
import { arrange, changeCell, type NotebookFile, type PlacedCell, type RawCell } from './notebook-file.ts';
import { notebookFormat } from './notebook-format.ts';
import { findMember, type ObjectText } from './object-splice.ts';
import {
  type CellChanges,
  EMPTY_ARRAY,
  fileCellId,
  fileCellType,
  fileOutputCount,
  fileSource,
  NULL_VALUE,
  newCell,
  sourceValue,
  typeChanges,
} from './raw-cell.ts';

/** A file as the edits' checks see it. Whether its outputs fit its sources is not known: they count as fresh until an edit. */
export function fileView(name: string, file: NotebookFile): NotebookView {
  return {
    name,
    total: file.cells.length,
    cell(index) {
      const cell = file.cells[index]!;
      return {
        id: fileCellId(cell),
        type: fileCellType(cell),
        source: fileSource(cell) ?? '',
        outputs: fileOutputCount(cell),
        stale: false,
      };
    },
    indexOfId: (id) => file.cells.findIndex((cell) => fileCellId(cell) === id),
    newId: () => (notebookFormat(file).minor < FIRST_MINOR_WITH_IDS ? null : newCellId(new Set(file.cells.map(fileCellId)))),
  };
}

/** The file after an edit whose checks have passed. */
export function applyEdit(file: NotebookFile, edit: CellEdit): NotebookFile {
  const placed: PlacedCell[] = file.cells.map((raw, from) => ({ raw, from }));
  switch (edit.op) {
    case 'source':
      placed[edit.index] = changed(file, edit.index, sourceChanges(file, file.cells[edit.index]!, edit.source));
      break;
    case 'type':
      if (fileCellType(file.cells[edit.index]!) === edit.type) return file;
      placed[edit.index] = changed(file, edit.index, typeChanges(file.cells[edit.index]!, edit.type));
      break;
    case 'clear':
      placed[edit.index] = changed(file, edit.index, clearChanges(file.cells[edit.index]!));
      break;
    case 'insert': {
      const raw = newCell({ type: edit.type, id: edit.id, source: edit.source, metadata: new Map() }, file.style);
      placed.splice(edit.index, 0, { raw, from: -1 });
      break;
    }
    case 'delete':
      placed.splice(edit.index, 1);
      break;
    case 'move':
      placed.splice(edit.to, 0, ...placed.splice(edit.index, 1));
      break;
  }
  return arrange(file, placed);
}

function changed(file: NotebookFile, index: number, changes: CellChanges): PlacedCell {
  return { raw: changeCell(file.cells[index]!, changes, file.style), from: index };
}

function sourceChanges(file: NotebookFile, cell: RawCell, source: string): CellChanges {
  return fileSource(cell) === source && findMember(cell, 'source')
    ? new Map()
    : new Map([['source', sourceValue(cell, source, file.style)]]);
}

/** An empty `outputs` and a count of null; members that say so already stay as they are spelled. */
export function clearChanges(cell: ObjectText): CellChanges {
  const changes: CellChanges = new Map();
  if (fileOutputCount(cell) > 0 || !findMember(cell, 'outputs')) changes.set('outputs', EMPTY_ARRAY);
  const count = findMember(cell, 'execution_count');
  if (!count || cell.bytes.toString('latin1', count.start, count.end) !== 'null') changes.set('execution_count', NULL_VALUE);
  return changes;
}
