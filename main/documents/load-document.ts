/**
 * From a parsed file to the cells of a live document, in steps, so that a notebook of ten thousand cells does not block main while it opens.
 * Ids that are missing or doubled are repaired here in memory; the file gets them with its next real save.
 */
import * as Y from 'yjs';
import { type CellFields, cellPositions, placeCells } from '../../preload/notebook-model.ts';
import { newCellId } from './cell-ids.ts';
import { type CellRecord, recordOf } from './cell-record.ts';
import { NotebookOpenError } from './errors.ts';
import type { NotebookFile } from './notebook-file.ts';
import { atOnce, inSlices, type Steps } from './pacing.ts';

export interface LoadedCells {
  ydoc: Y.Doc;
  records: Map<string, CellRecord>;
  fileKeys: string[];
  /** Cells that got another id than the file has. */
  newIds: Set<string>;
  notices: string[];
}

/** Cells that are added in one step: about 1 ms. */
const BATCH = 25;

/** Throws NotebookOpenError when a cell's source is no text: it must not look like an empty cell. */
export function loadCells(file: NotebookFile, hasIds: boolean, name: string): Promise<LoadedCells> {
  return inSlices(loadingSteps(file, hasIds, name));
}

/** The same at once, for the few cells of a new notebook. */
export function loadCellsAtOnce(file: NotebookFile, hasIds: boolean, name: string): LoadedCells {
  return atOnce(loadingSteps(file, hasIds, name));
}

function* loadingSteps(file: NotebookFile, hasIds: boolean, name: string): Steps<LoadedCells> {
  const ydoc = new Y.Doc();
  const records = new Map<string, CellRecord>();
  const fileKeys: string[] = [];
  const ids = new Set<string>();
  const doubled = new Set<string>();
  const newIds = new Set<string>();
  const positions = cellPositions(file.cells.length);
  for (let from = 0; from < file.cells.length; from += BATCH) {
    const batch: CellFields[] = [];
    for (let index = from; index < Math.min(from + BATCH, file.cells.length); index += 1) {
      const loaded = recordOf(file.cells[index]!, index);
      if (!loaded) throw damagedSource(index, name);
      const { record, fields } = loaded;
      if (fields.id !== null && ids.has(fields.id)) doubled.add(fields.id);
      if (hasIds && (fields.id === null || ids.has(fields.id))) {
        fields.id = newCellId(ids);
        newIds.add(fields.key);
      }
      if (fields.id !== null) ids.add(fields.id);
      records.set(fields.key, record);
      fileKeys.push(fields.key);
      batch.push(fields);
    }
    placeCells(ydoc, batch, positions.slice(from, from + BATCH));
    yield;
  }
  return { ydoc, records, fileKeys, newIds, notices: hasIds ? doubledNotice(doubled) : [] };
}

function damagedSource(index: number, name: string): NotebookOpenError {
  return new NotebookOpenError(
    'not-notebook',
    `${name} is damaged: the source of cells[${index}] is neither a text nor a list of texts.`,
    'Repair it in a text editor. The file was not changed.',
  );
}

function doubledNotice(doubled: ReadonlySet<string>): string[] {
  if (doubled.size === 0) return [];
  const names = [...doubled].slice(0, 3).map((id) => JSON.stringify(id));
  const more = doubled.size > 3 ? ` and ${doubled.size - 3} more` : '';
  return [`Several cells have the same id (${names.join(', ')}${more}). The later ones get a new id with the next save.`];
}
