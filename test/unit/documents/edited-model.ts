/**
 * What edits of the `notebook` tool mean for a notebook's JSON, said once more in the plainest way: cells as values, a save as a function of them.
 * A cell that is what it was when the notebook was opened is written as it was then, whatever happened in between.
 */
import type { CellEdit } from '../../../main/documents/edits.ts';
import { toLines } from '../../../main/documents/source-lines.ts';
import { joinedSource, type RandomCell, type RandomNotebook } from './random-notebooks.ts';

export interface ModelCell {
  /** Index in the notebook as it was opened; null for a cell that an edit made. */
  place: number | null;
  /** As the file had it first, and as it has it now; null for a cell that it never had. */
  opened: RandomCell | null;
  stored: RandomCell | null;
  id: string | null;
  type: string;
  source: string;
  /** Kept while the cell is no code cell, and there again when it is one. */
  outputs: unknown[];
  count: number | null;
}

export function modelOf(notebook: RandomNotebook): ModelCell[] {
  return notebook.cells.map((cell, place) => ({
    place,
    opened: cell,
    stored: cell,
    id: (cell.id as string | undefined) ?? null,
    type: cell.cell_type,
    source: joinedSource(cell),
    outputs: (cell.outputs as unknown[] | undefined) ?? [],
    count: (cell.execution_count as number | null | undefined) ?? null,
  }));
}

export function edited(cells: readonly ModelCell[], edit: CellEdit): ModelCell[] {
  const next = [...cells];
  const change = (fields: Partial<ModelCell>): void => void next.splice(edit.index, 1, { ...next[edit.index]!, ...fields });
  switch (edit.op) {
    case 'source':
      change({ source: edit.source });
      break;
    case 'insert':
      next.splice(edit.index, 0, {
        place: null,
        opened: null,
        stored: null,
        id: edit.id,
        type: edit.type,
        source: edit.source,
        outputs: [],
        count: null,
      });
      break;
    case 'delete':
      next.splice(edit.index, 1);
      break;
    case 'move':
      next.splice(edit.to, 0, ...next.splice(edit.index, 1));
      break;
    case 'type':
      change({ type: edit.type });
      break;
    case 'clear':
      change({ outputs: [], count: null });
      break;
  }
  return next;
}

/** The cells after a save. */
export function saved(cells: readonly ModelCell[]): ModelCell[] {
  return cells.map((cell) => ({ ...cell, stored: written(cell) }));
}

export function written(cell: ModelCell): RandomCell {
  if (cell.opened && isAsOpened(cell)) return cell.opened;
  const { outputs: _outputs, execution_count: _count, ...rest } = cell.stored ?? newCell(cell);
  return {
    ...rest,
    cell_type: cell.type,
    source: cell.stored && cell.source === joinedSource(cell.stored) ? cell.stored.source : toLines(cell.source),
    ...(cell.type === 'code' ? { execution_count: cell.count, outputs: cell.outputs } : {}),
  };
}

export function isAsOpened({ opened, type, source, outputs, count }: ModelCell): boolean {
  if (!opened || type !== opened.cell_type || source !== joinedSource(opened)) return false;
  const first = opened.outputs as unknown[] | undefined;
  return type !== 'code' || (outputs.length === (first?.length ?? 0) && count === (opened.execution_count ?? null));
}

function newCell({ id }: ModelCell): RandomCell {
  return { cell_type: '', ...(id === null ? {} : { id }), metadata: {} };
}
