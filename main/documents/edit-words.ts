/**
 * The words of refused edits. An agent acts on them alone, so each names the notebook, says what to do next and, where something was stale,
 * shows what the notebook is like now.
 */
import type { NotebookView } from './edits.ts';
import { NotebookOpenError, NotebookSaveError, systemCode } from './errors.ts';
import { JsonSyntaxError } from './json-errors.ts';

/** A check that failed. Nothing was changed. */
export class EditError extends Error {
  override readonly name = 'EditError';
  readonly notebook: string;
  readonly hint: string;

  constructor(notebook: string, message: string, hint: string, present?: string) {
    super(`${notebook}: ${message} ${hint}${present === undefined ? '' : `\n\n${present}`}`);
    this.notebook = notebook;
    this.hint = hint;
  }
}

/** Of these the message says all that the system's own words would. */
const SYSTEM_CODES: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP', 'ENAMETOOLONG']);

/** Whether the detail says the message once more. */
function repeats({ cause, message }: NotebookOpenError | NotebookSaveError): boolean {
  return SYSTEM_CODES.has(systemCode(cause)) || (cause instanceof JsonSyntaxError && message.includes(cause.reason));
}

/** What went wrong with a file, and what to do about it. */
export function fileErrorText(error: NotebookOpenError | NotebookSaveError): string {
  const detail = error.detail && !repeats(error) ? ` ${error.detail}` : '';
  return `${error.message}${detail} ${error.hint}`.trimEnd();
}

/** The text of a tool error: starts with `Error:` and names the notebook. */
export function toolErrorText(notebook: string, error: unknown): string {
  if (error instanceof EditError) return `Error: ${error.message}`;
  if (error instanceof NotebookOpenError || error instanceof NotebookSaveError) return `Error: ${notebook}: ${fileErrorText(error)}`;
  return `Error: ${notebook}: ${error instanceof Error ? error.message : String(error)}`;
}

/** Cells listed in an outline; a notebook of thousands would drown the message. */
const OUTLINE_CELLS = 60;
const OUTLINE_LINE = 70;

/** One line per cell: index, type, id and the first line of the source. */
export function outlineOf(view: NotebookView): string {
  if (view.total === 0) return 'The notebook has no cells.';
  const lines = [`Present outline (${view.total} ${view.total === 1 ? 'cell' : 'cells'}):`];
  for (let index = 0; index < Math.min(view.total, OUTLINE_CELLS); index += 1) {
    const cell = view.cell(index);
    const first = cell.source.split('\n', 1)[0]!;
    const shown = first.length > OUTLINE_LINE ? `${first.slice(0, OUTLINE_LINE)}…` : first;
    lines.push(`  ${index} ${cell.type}${cell.id === null ? '' : ` ${cell.id}`}: ${shown}`);
  }
  if (view.total > OUTLINE_CELLS) lines.push(`  … ${view.total - OUTLINE_CELLS} more`);
  return lines.join('\n');
}

/** What an agent needs to decide again when the source of a cell is not what it took it for. */
export function presentOf(view: NotebookView, index: number): string {
  return `${outlineOf(view)}\n\nSource of cell ${index}:\n${view.cell(index).source}`;
}

export function quoted(text: string): string {
  return JSON.stringify(text);
}
