/**
 * The `notebook` tool: edits of the cells, never a run (SPEC section 2). The checks are made twice: for the plan that a person may be shown, and
 * again on the document as it is when the edit is made, without a pause between that check and the edit.
 */
import * as z from 'zod';
import type { CallCard, Permission } from '../../../preload/agent-sessions.ts';
import { applyToDocument, documentView } from '../../documents/document-edits.ts';
import { type EditPlan, type EditRequest, planEdit } from '../../documents/edits.ts';
import { NotebookSaveError } from '../../documents/errors.ts';
import type { NotebookDocument } from '../../documents/notebook-document.ts';
import { requireFile } from '../../documents/outside/look-first.ts';
import { ToolError } from '../errors.ts';
import { withNotebook } from '../notebook-access.ts';
import type { OwnedNotebook } from '../notebook-owner.ts';
import { CELL_ID, IDEMPOTENCY_KEY, NOTEBOOK_PATH, tool } from '../tool.ts';

const index = (what: string) => z.unknown().optional().meta({ type: 'integer', minimum: 0, description: what });

const input = z.object({
  action: z
    .enum(['edit', 'insert', 'delete', 'move', 'set_type', 'clear_outputs'])
    .describe('edit replaces a source (or a part of it), insert adds a cell, move needs to_index, set_type needs cell_type.'),
  notebook_path: NOTEBOOK_PATH,
  cell_index: index('0-based. For insert the place of the new cell (0 is the top, the number of cells is the end); otherwise the cell.'),
  cell_id: CELL_ID.optional().describe(
    'Instead of cell_index, and safer: an id stays right when cells move. For insert the new cell comes before this one.',
  ),
  content: z.string().optional().describe('The new source, for edit and insert. May be empty.'),
  cell_type: z.enum(['code', 'markdown', 'raw']).optional().describe('For insert (default code) and set_type.'),
  expected_source: z.string().optional().describe('Refuse the change unless the cell’s present source is exactly this.'),
  old_string: z.string().optional().describe('For edit instead of content: the text to be replaced; it must occur exactly once.'),
  new_string: z.string().optional().describe('What comes in its place.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence of old_string.'),
  to_index: index('For move: the index that the cell has afterwards.'),
  idempotency_key: IDEMPOTENCY_KEY,
});

const output = z.object({
  action: z.string(),
  notebookPath: z.string(),
  cellIndex: z.number().int(),
  cellId: z.string().nullable(),
  cellType: z.string(),
  totalCells: z.number().int(),
  cellSource: z.string(),
  outputsStale: z.boolean(),
});

type Args = z.infer<typeof input>;

export const notebookTool = tool({
  name: 'notebook',
  title: 'Edit a notebook',
  description: `Edit the cells of a Jupyter notebook (.ipynb): replace a source or a part of it, insert, delete, move, change the type, clear outputs.
Use it for every change of a notebook; never write the JSON of an .ipynb file yourself, since a person may have it open.
It never runs code: run the cell afterwards with notebook_run. To read cells use notebook_read. To run code that belongs to no notebook use python.
The change is saved and appears at once in every open window. Other people's unsaved edits survive. Prefer cell_id to cell_index.
Example: {"action": "edit", "notebook_path": "analysis.ipynb", "cell_id": "a1b2c3d4", "old_string": "head(5)", "new_string": "head(10)"}`,
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  subject: ({ notebook_path }) => notebook_path,

  plan: (args, context) =>
    withNotebook(args.notebook_path, context, async ({ shownPath, notebook }) => {
      const { document } = notebook;
      await checkFile(notebook);
      const { plan, before, key } = planned(document, args);
      checkWritable(document);
      return {
        card: card(args, shownPath, plan, before, ''),
        needs: needed(args),
        question: `${sentence(args)} in ${document.title}?`,
        docId: document.id,
        cellKeys: key === null ? [] : [key],
      };
    }),

  run: (args, context, call) =>
    withNotebook(args.notebook_path, context, async ({ path, shownPath, notebook }) => {
      const { document, session } = notebook;
      await checkFile(notebook);
      const { plan, before, key } = planned(document, args);
      checkWritable(document);
      applyToDocument(document, plan.edit, document.turns.origin(context.agent.turnName));
      if (plan.edit.op === 'clear' && key !== null) session.outputsCleared([key]);
      const now = args.action === 'delete' ? null : (document.keys()[plan.result.cellIndex] ?? null);
      call.at(document.id, now === null ? [] : [now]);
      if (now !== null) context.pointAt(document.id, now);
      call.show(card(args, shownPath, plan, before, plan.text));
      const isUnsaved = document.path === null;
      const note = isUnsaved ? NO_FILE_YET : await save(document, key ?? now, context.saves.save(notebook));
      const text = note === null ? plan.text : `${plan.text} ${note}`;
      return { text, structured: { ...plan.result, notebookPath: path } };
    }),
});

const NO_FILE_YET = 'The notebook has no file yet: the person sees the change, and saves it with the rest.';

/** What is wrong with the file itself comes before what is wrong with the edit. */
async function checkFile({ document, isShown }: OwnedNotebook): Promise<void> {
  if (!isShown) await requireFile(document);
  if (document.convertedFrom !== null && document.path === null)
    throw new ToolError(
      'This notebook has an old format that is not written any more. Convert it with `jupyter nbconvert --to notebook` first.',
    );
}

function checkWritable({ readOnly }: NotebookDocument): void {
  if (readOnly) throw new ToolError('This notebook can’t be written. Copy it into a file that can, and edit the copy.');
}

function planned(document: NotebookDocument, args: Args): { plan: EditPlan; before: string | null; key: string | null } {
  const view = documentView(document);
  const plan = planEdit(view, args as EditRequest);
  const existing = plan.edit.op !== 'insert';
  return {
    plan,
    before: existing ? view.cell(plan.edit.index).source : null,
    key: existing ? (document.keys()[plan.edit.index] ?? null) : null,
  };
}

const OTHERS_WAIT = 'It is saved. Cells that were also changed in the file by another program wait for the person’s choice.';

/**
 * The edit is in the document, and a failure to write it must not sound as if it were not. Nor is it one that somebody else's cells were left out.
 * Resolves to what there is to say beside the edit.
 */
async function save(document: NotebookDocument, edited: string | null, saving: Promise<void>): Promise<string | null> {
  try {
    await saving;
    return null;
  } catch (error) {
    if (!(error instanceof NotebookSaveError)) throw error;
    if (error.leftOut !== null && edited !== null && !error.leftOut.has(edited)) return OTHERS_WAIT;
    throw new ToolError(
      `The edit was made in the open notebook, but ${document.title} could not be saved: ${error.message} ${error.hint} Do not make the edit again; it is written with the next save that works.`,
      { cause: error },
    );
  }
}

function needed({ action }: Args): Permission {
  return action === 'delete' || action === 'clear_outputs' ? 'delete' : 'edit';
}

function sentence({ action, cell_type: type }: Args): string {
  switch (action) {
    case 'edit':
      return 'Edit a cell';
    case 'insert':
      return `Insert a ${type ?? 'code'} cell`;
    case 'delete':
      return 'Delete a cell';
    case 'move':
      return 'Move a cell';
    case 'set_type':
      return `Make a cell a ${type ?? 'code'} cell`;
    case 'clear_outputs':
      return 'Clear a cell’s outputs';
  }
}

function card({ action }: Args, path: string, { result }: EditPlan, before: string | null, summary: string): CallCard {
  const { cellIndex, cellType, cellSource } = result;
  const type = cellType === 'markdown' || cellType === 'raw' ? cellType : 'code';
  return { kind: 'notebook', action, path, cellIndex, cellType: type, summary, source: action === 'delete' ? null : cellSource, before };
}
