/**
 * Which cells a request means: by id, by index, by a range, or by what they are. Pure. An id always beats an index, because an index goes stale
 * when somebody inserts a cell; and two ways at once are refused, since nobody knows which one was meant.
 */
import { ToolError } from './errors.ts';

export interface CellChoice {
  cell_ids?: readonly string[] | undefined;
  cell_id?: string | undefined;
  cell_index?: number | undefined;
  /** First and last index, both included. */
  range?: readonly number[] | undefined;
  select?: 'all' | 'above' | 'stale' | undefined;
}

export interface ChoosableCell {
  id: string | null;
  type: string;
  /** Its outputs do not come from its present source, or it has never run. */
  stale: boolean;
}

/** Indices in the notebook's order, each once. Throws ToolError. */
export function chosenCells(cells: readonly ChoosableCell[], choice: CellChoice, outline: () => string): number[] {
  const { cell_ids: ids, cell_id: id, cell_index: index, range, select } = choice;
  const refuse = (message: string): never => {
    throw new ToolError(`${message}\n\n${outline()}`);
  };
  const byId = (wanted: string): number => {
    const at = cells.findIndex((cell) => cell.id === wanted);
    return at >= 0 ? at : refuse(`There is no cell with id ${JSON.stringify(wanted)} any more. Take an id from the outline below.`);
  };
  const byIndex = (wanted: number): number => {
    if (cells.length === 0) return refuse('The notebook has no cells.');
    if (Number.isInteger(wanted) && wanted >= 0 && wanted < cells.length) return wanted;
    return refuse(`cell_index ${wanted} is out of range. It must be an integer from 0 to ${cells.length - 1}.`);
  };
  const anchor = (): number | null => (id !== undefined ? byId(id) : index !== undefined ? byIndex(index) : null);
  const ways = [ids !== undefined, range !== undefined, select === 'all' || select === 'stale'].filter(Boolean).length;
  const single = id !== undefined || index !== undefined;
  if (ways > 1 || (ways === 1 && single) || (select === 'above' && ways > 0))
    return refuse('More than one choice of cells is given. Give one of cell_id, cell_index, cell_ids, range or select.');
  if (ids !== undefined) return inOrder(ids.map(byId));
  if (range !== undefined) return rangeOf(range, byIndex, refuse);
  if (select === 'all') return cells.map((_cell, at) => at);
  if (select === 'stale') return cells.flatMap((cell, at) => (cell.type === 'code' && cell.stale ? [at] : []));
  const at = anchor();
  if (select === 'above') {
    if (at === null) return refuse('select "above" needs the cell that it is above of: give cell_id or cell_index.');
    return cells.slice(0, at).map((_cell, before) => before);
  }
  return at === null ? refuse('No cells are chosen. Give one of cell_id, cell_index, cell_ids, range or select.') : [at];
}

function rangeOf(range: readonly number[], byIndex: (index: number) => number, refuse: (message: string) => never): number[] {
  const [first, last] = range;
  if (range.length !== 2 || first === undefined || last === undefined) return refuse('range takes two indices, the first and the last.');
  const [from, to] = [byIndex(first), byIndex(last)];
  if (from > to) return refuse(`range [${from}, ${to}] runs backwards. Give the smaller index first.`);
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}

function inOrder(indices: readonly number[]): number[] {
  return [...new Set(indices)].sort((a, b) => a - b);
}
