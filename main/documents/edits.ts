/**
 * The `notebook` tool's edits as pure functions: a request is checked against a view of the notebook, in the order that SPEC section 2 gives,
 * and becomes a plan, which `document-edits.ts` carries out. What a plan says of the notebook afterwards must be what the document then has.
 */
import type { CellType } from '../../preload/notebook-model.ts';
import { EditError, outlineOf, presentOf, quoted } from './edit-words.ts';
import { withLineFeeds } from './source-lines.ts';

export type EditAction = 'edit' | 'insert' | 'delete' | 'move' | 'set_type' | 'clear_outputs';

export interface EditRequest {
  action: EditAction;
  cell_index?: number;
  cell_id?: string;
  content?: string;
  cell_type?: CellType;
  expected_source?: string;
  old_string?: string;
  new_string?: string;
  replace_all?: boolean;
  to_index?: number;
}

export interface ViewedCell {
  id: string | null;
  type: CellType;
  /** With line feeds alone, whatever line ends the file has. */
  source: string;
  outputs: number;
  /** Whether the outputs that it has as a code cell come from another source than this. */
  staleWith(source: string): boolean;
  /** The source with the file's own line ends in the lines that stay. */
  withLineEnds(source: string): string;
}

/** What a check needs to see of a notebook. */
export interface NotebookView {
  /** As messages name it. */
  name: string;
  total: number;
  cell(index: number): ViewedCell;
  /** -1 when there is no such cell. */
  indexOfId(id: string): number;
  /** A fresh id for a new cell, or null where the format has none. */
  newId(): string | null;
}

/** Sources are exactly as the file is to have them. */
export type CellEdit =
  | { op: 'source'; index: number; source: string }
  | { op: 'insert'; index: number; id: string | null; type: CellType; source: string }
  | { op: 'delete'; index: number }
  | { op: 'move'; index: number; to: number }
  | { op: 'type'; index: number; type: CellType }
  | { op: 'clear'; index: number };

export interface EditResult {
  action: EditAction;
  /** Where the cell is now; of a deleted cell, where it was. */
  cellIndex: number;
  cellId: string | null;
  cellType: CellType;
  totalCells: number;
  /** The source after the edit; of a deleted cell, its last one. */
  cellSource: string;
  outputsStale: boolean;
}

export interface EditPlan {
  edit: CellEdit;
  result: EditResult;
  /** One line: what happened, where, the new total. */
  text: string;
}

/** Throws EditError when a check fails; nothing has changed then. */
export function planEdit(view: NotebookView, request: EditRequest): EditPlan {
  const index = request.action === 'insert' ? insertIndex(view, request) : cellIndex(view, request);
  switch (request.action) {
    case 'edit':
      return planSource(view, request, index);
    case 'insert':
      return planInsert(view, request, index);
    case 'delete':
      checkExpected(view, request, index);
      return planDelete(view, index);
    case 'move':
      return planMove(view, request, index);
    case 'set_type':
      return planType(view, request, index);
    case 'clear_outputs':
      checkExpected(view, request, index);
      return planClear(view, index);
  }
}

function cellIndex(view: NotebookView, request: EditRequest): number {
  if (request.cell_id !== undefined) return indexById(view, request.cell_id);
  if (view.total === 0) throw new EditError(view.name, 'The notebook has no cells.', 'Use action "insert" with cell_index 0 to add one.');
  return checkedIndex(view, request.cell_index, 'cell_index', view.total - 1, request.action);
}

function insertIndex(view: NotebookView, request: EditRequest): number {
  if (request.cell_id !== undefined) return indexById(view, request.cell_id);
  return checkedIndex(view, request.cell_index, 'cell_index', view.total, 'insert');
}

function indexById(view: NotebookView, id: string): number {
  const index = view.indexOfId(id);
  if (index !== -1) return index;
  throw new EditError(view.name, `There is no cell with id ${quoted(id)} any more.`, 'Take an id from the outline below.', outlineOf(view));
}

function checkedIndex(view: NotebookView, value: unknown, name: string, last: number, action: EditAction): number {
  const range = `an integer from 0 to ${last}`;
  const whole = `for "${action}" on a notebook of ${view.total} ${view.total === 1 ? 'cell' : 'cells'}`;
  if (value === undefined || value === null)
    throw new EditError(view.name, `${name} is missing.`, `Give ${range} ${whole}${name === 'cell_index' ? ', or a cell_id' : ''}.`);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= last) return value;
  const outline = typeof value === 'number' && value > last ? outlineOf(view) : undefined;
  throw new EditError(view.name, `${name} ${JSON.stringify(value)} is out of range.`, `It must be ${range} ${whole}.`, outline);
}

function planSource(view: NotebookView, request: EditRequest, index: number): EditPlan {
  const cell = view.cell(index);
  const bySubstring = request.old_string !== undefined || request.new_string !== undefined;
  if (bySubstring && request.content !== undefined) {
    throw new EditError(
      view.name,
      'Both content and old_string/new_string are given.',
      'Give content for the whole source, or old_string and new_string for a part of it.',
    );
  }
  if (!bySubstring && request.content === undefined) {
    throw new EditError(
      view.name,
      'content is missing.',
      'Give the new source as content (it may be empty), or old_string and new_string.',
    );
  }
  if (bySubstring && (request.old_string === undefined || request.new_string === undefined)) {
    throw new EditError(
      view.name,
      `${request.old_string === undefined ? 'old_string' : 'new_string'} is missing.`,
      'A substring edit needs both (new_string may be empty).',
    );
  }
  checkExpected(view, request, index);
  const source = request.content ?? replaced(view, request, index);
  const stale = cell.type === 'code' && cell.staleWith(source);
  const note = stale ? ' Its outputs are now stale: run the cell to renew them.' : '';
  return {
    edit: { op: 'source', index, source: bySubstring ? cell.withLineEnds(source) : source },
    result: { ...resultOf(view, 'edit', index, cell), cellSource: source, outputsStale: stale },
    text: `Edited ${cell.type} cell ${index}${idNote(cell.id)} of ${view.name} (${cells(view.total)}).${note}`,
  };
}

function replaced(view: NotebookView, request: EditRequest, index: number): string {
  const { source } = view.cell(index);
  const [old, next] = [withLineFeeds(request.old_string!), request.new_string!];
  if (old === '') throw new EditError(view.name, 'old_string is empty.', 'Give the text to be replaced, or content for the whole source.');
  const count = occurrences(source, old);
  if (count === 0) {
    throw new EditError(
      view.name,
      `old_string was not found in cell ${index}.`,
      'Its present source is below; give a part of it exactly.',
      presentOf(view, index),
    );
  }
  if (count > 1 && !request.replace_all) {
    throw new EditError(
      view.name,
      `old_string was found ${count} times in cell ${index}.`,
      'Give a longer old_string that occurs once, or set replace_all. The present source is below.',
      source,
    );
  }
  return source.split(old).join(next);
}

/** Overlapping ones count as well: of these, too, nobody knows which one was meant. */
function occurrences(source: string, text: string): number {
  let count = 0;
  for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) count += 1;
  return count;
}

function checkExpected(view: NotebookView, request: EditRequest, index: number): void {
  const expected = request.expected_source;
  if (expected === undefined || withLineFeeds(expected) === view.cell(index).source) return;
  throw new EditError(
    view.name,
    `The source of cell ${index} is not the expected_source: it has changed since it was read.`,
    'Decide again from the present outline and source below.',
    presentOf(view, index),
  );
}

function planInsert(view: NotebookView, request: EditRequest, index: number): EditPlan {
  if (request.content === undefined)
    throw new EditError(view.name, 'content is missing.', 'Give the source of the new cell as content (it may be empty).');
  const type = request.cell_type ?? 'code';
  const id = view.newId();
  const total = view.total + 1;
  return {
    edit: { op: 'insert', index, id, type, source: request.content },
    result: {
      action: 'insert',
      cellIndex: index,
      cellId: id,
      cellType: type,
      totalCells: total,
      cellSource: request.content,
      outputsStale: false,
    },
    text: `Inserted ${type} cell ${index}${idNote(id)} ${between(view, index)} in ${view.name} (${cells(total)}).`,
  };
}

/** Says where an inserted cell is in terms of its neighbours, so that a wrong index shows. */
function between(view: NotebookView, index: number): string {
  const name = (at: number): string => quoted(view.cell(at).id ?? view.cell(at).source.split('\n', 1)[0]!.slice(0, 40));
  if (view.total === 0) return 'as the only cell';
  if (index === 0) return `at the start, before ${name(0)},`;
  if (index === view.total) return `at the end, after ${name(index - 1)},`;
  return `between ${name(index - 1)} and ${name(index)}`;
}

function planDelete(view: NotebookView, index: number): EditPlan {
  const cell = view.cell(index);
  const total = view.total - 1;
  return {
    edit: { op: 'delete', index },
    result: { ...resultOf(view, 'delete', index, cell), totalCells: total },
    text: `Deleted ${cell.type} cell ${index}${idNote(cell.id)} from ${view.name} (${cells(total)}).`,
  };
}

function planMove(view: NotebookView, request: EditRequest, index: number): EditPlan {
  const to = checkedIndex(view, request.to_index, 'to_index', view.total - 1, 'move');
  checkExpected(view, request, index);
  const cell = view.cell(index);
  return {
    edit: { op: 'move', index, to },
    result: { ...resultOf(view, 'move', index, cell), cellIndex: to },
    text: `Moved ${cell.type} cell${idNote(cell.id)} from ${index} to ${to} in ${view.name} (${cells(view.total)}).`,
  };
}

function planType(view: NotebookView, request: EditRequest, index: number): EditPlan {
  const cell = view.cell(index);
  const type = request.cell_type;
  if (type === undefined) throw new EditError(view.name, 'cell_type is missing.', 'Give "code", "markdown" or "raw".');
  checkExpected(view, request, index);
  const lost = cell.type === 'code' && type !== 'code' && cell.outputs > 0 ? ' Its outputs are not part of the notebook any more.' : '';
  return {
    edit: { op: 'type', index, type },
    result: { ...resultOf(view, 'set_type', index, cell), cellType: type, outputsStale: type === 'code' && cell.staleWith(cell.source) },
    text: `Changed cell ${index}${idNote(cell.id)} of ${view.name} from ${cell.type} to ${type} (${cells(view.total)}).${lost}`,
  };
}

function planClear(view: NotebookView, index: number): EditPlan {
  const cell = view.cell(index);
  if (cell.type !== 'code') {
    throw new EditError(
      view.name,
      `Cell ${index} is a ${cell.type} cell, which has no outputs.`,
      'Choose a code cell from the outline below.',
      outlineOf(view),
    );
  }
  return {
    edit: { op: 'clear', index },
    result: { ...resultOf(view, 'clear_outputs', index, cell), outputsStale: false },
    text: `Cleared ${cell.outputs} ${cell.outputs === 1 ? 'output' : 'outputs'} of cell ${index}${idNote(cell.id)} in ${view.name} (${cells(view.total)}).`,
  };
}

function resultOf(view: NotebookView, action: EditAction, index: number, cell: ViewedCell): EditResult {
  return {
    action,
    cellIndex: index,
    cellId: cell.id,
    cellType: cell.type,
    totalCells: view.total,
    cellSource: cell.source,
    outputsStale: cell.type === 'code' && cell.staleWith(cell.source),
  };
}

function cells(count: number): string {
  return `now ${count} ${count === 1 ? 'cell' : 'cells'}`;
}

function idNote(id: string | null): string {
  return id === null ? '' : ` (id ${id})`;
}
