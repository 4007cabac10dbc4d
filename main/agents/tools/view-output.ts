/**
 * The `view_output` tool: an output as a person sees it, as a picture with what its scripts reported. The app draws it; without a window
 * there are its own images and what it says as text, with a word on how to get a picture.
 */
import * as z from 'zod';
import { agentText } from '../../execution/agents/display-content.ts';
import type { Call } from '../call.ts';
import { chosenCells } from '../cell-selection.ts';
import { ToolError } from '../errors.ts';
import { type Reached, withNotebook } from '../notebook-access.ts';
import { type LookedAtCell, lookAt, presentOutline } from '../notebook-look.ts';
import { located } from '../notebook-run-answer.ts';
import { asOutput } from '../output-text.ts';
import { MAX_WIDTH, MIN_WIDTH, type OutputView, OutputViewError, type OutputViewer, PAGE_WIDTH, PICTURE_HEIGHT } from '../output-viewer.ts';
import { CELL_ID, NOTEBOOK_PATH, type ToolAnswer, type ToolContext, tool } from '../tool.ts';
import { howToDraw, undrawn } from '../undrawn-output.ts';

const input = z.object({
  notebook_path: NOTEBOOK_PATH,
  cell_id: CELL_ID.optional().describe('The cell.'),
  cell_index: z.number().int().optional().describe('0-based; instead of cell_id, which is safer.'),
  output_index: z.number().int().min(0).optional().describe('0-based place among the cell’s outputs; all of them by default.'),
  theme: z.enum(['light', 'dark']).optional().describe('The window’s own by default.'),
  width: z.number().int().min(MIN_WIDTH).max(MAX_WIDTH).optional().describe(`Pixels; default ${PAGE_WIDTH}, the notebook’s page.`),
  top: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(`Pixels to leave out at the top: a picture shows ${PICTURE_HEIGHT} at most.`),
  whole: z.boolean().optional().describe('Long text and tall frames in full instead of with the scroll bars that the window gives them.'),
});

const output = z.object({
  notebookPath: z.string(),
  cellId: z.string().nullable(),
  cellIndex: z.number().int(),
  /** Null: all outputs of the cell. */
  outputIndex: z.number().int().nullable(),
  mime: z.string(),
  /** Null: there is no window, and the answer has the output's own images and text. */
  drawn: z
    .object({
      width: z.number().int(),
      height: z.number().int(),
      top: z.number().int(),
      totalHeight: z.number().int(),
      theme: z.enum(['light', 'dark', 'high-contrast']),
      /** False: it kept changing, and the picture is one moment of it. */
      settled: z.boolean(),
    })
    .nullable(),
  /** Errors and warnings of the output's scripts. */
  console: z.array(z.object({ level: z.enum(['error', 'warning']), text: z.string() })),
  consoleLeftOut: z.number().int(),
});

type Args = z.infer<typeof input>;
type Structure = z.infer<typeof output>;
type Place = Pick<Structure, 'notebookPath' | 'cellId' | 'cellIndex' | 'outputIndex'>;

export const viewOutputTool = tool({
  name: 'view_output',
  title: 'See an output',
  description: `See outputs of a notebook cell as a person sees them in the window: plots, tables, HTML, interactive figures, formatted and coloured text. The answer is a picture, with the errors and warnings that scripts in the output reported.
Use it to check how something looks. To read text or numbers use notebook_read, which is exact and cheaper. It runs no cell: run it first with notebook_run.
Scripts run only in a notebook that the person trusts, as in the window. Without Cellwright’s window nothing is drawn: the answer then has the output’s own images and its text.
Example: {"notebook_path": "analysis.ipynb", "cell_id": "a1b2c3d4"}`,
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  subject: ({ notebook_path }) => notebook_path,

  plan: (args, context) =>
    withNotebook(args.notebook_path, context, async (reached) => {
      const cell = chosen(args, reached);
      const { document } = reached.notebook;
      return {
        card: { kind: 'plain', title: `See an output of cell ${cell.index} of ${document.title}`, summary: '', detail: null },
        needs: 'read',
        question: `Look at an output of ${document.title}?`,
        docId: document.id,
        cellKeys: [cell.key],
      };
    }),

  run: (args, context, call) =>
    withNotebook(args.notebook_path, context, async (reached) => {
      const cell = chosen(args, reached);
      if (cell.outputs === 0) throw new ToolError(`Cell ${cell.index} has no outputs (${cell.status}). Run it first with notebook_run.`);
      const outputIndex = args.output_index ?? null;
      if (outputIndex !== null && outputIndex >= cell.outputs) {
        const last = cell.outputs - 1;
        throw new ToolError(
          `output_index ${outputIndex} is out of range: cell ${cell.index} has ${cell.outputs} outputs, from 0 to ${last}.`,
        );
      }
      const place: Place = { notebookPath: reached.path, cellId: cell.id, cellIndex: cell.index, outputIndex };
      const { viewer } = context;
      return viewer ? drawnAnswer(args, place, cell, reached, context, viewer, call) : undrawnAnswer(place, cell, reached, context);
    }),
});

async function drawnAnswer(
  args: Args,
  place: Place,
  cell: LookedAtCell,
  { notebook: { document } }: Reached,
  context: ToolContext,
  viewer: OutputViewer,
  call: Call,
): Promise<ToolAnswer<Structure>> {
  const top = args.top ?? 0;
  const request = {
    docId: document.id,
    cellKey: cell.key,
    index: place.outputIndex,
    theme: args.theme ?? null,
    width: args.width ?? PAGE_WIDTH,
    top,
    whole: args.whole ?? false,
    signal: call.signal,
  };
  const view = await viewer.view(request).catch((error: unknown) => {
    throw error instanceof OutputViewError ? new ToolError(error.message, { cause: error }) : error;
  });
  if (top >= view.totalHeight) throw new ToolError(`top ${top} is below the end: everything is ${view.totalHeight} pixels high.`);
  const image = await context.images.ofScreen(view.pixels);
  if (!image) throw new ToolError('The picture could not be made into a file. Call again.');
  const { width, height } = view.pixels;
  const { theme, totalHeight, settled, consoleLeftOut } = view;
  const console = view.console.map(({ level, text }) => ({ level, text: agentText(text) }));
  const structured = {
    ...place,
    mime: image.mime,
    drawn: { width, height, top, totalHeight, theme, settled },
    console,
    consoleLeftOut,
  };
  return { text: wordsOf(cell, structured.outputIndex, { ...view, console }, top), structured, images: [image] };
}

function wordsOf(cell: LookedAtCell, index: number | null, view: OutputView, top: number): string {
  const { pixels, theme, totalHeight, settled, console, consoleLeftOut } = view;
  const which = index === null ? (cell.outputs === 1 ? 'The output' : `The ${cell.outputs} outputs`) : `Output ${index}`;
  const lines = [`${which} of cell ${cell.index} in the window: ${pixels.width} × ${pixels.height} pixels, ${theme}.`];
  const end = top + pixels.height;
  if (top > 0 || end < totalHeight) lines.push(`It shows the pixels from ${top} to ${end} of ${totalHeight}.`);
  if (end < totalHeight) lines.push(`For what is further down call with top ${end}.`);
  if (cell.status === 'stale') lines.push('The source was changed after the run that made this.');
  if (!settled) lines.push('It kept changing; this is one moment of it.');
  if (console.length > 0) lines.push('Its scripts reported:', ...console.map(({ level, text }) => asOutput(`${level}: ${text}`)));
  if (consoleLeftOut > 0) lines.push(`… and ${consoleLeftOut} more.`);
  return lines.join('\n');
}

/** What can be shown where there is no window to draw it: the output's own image, and what it says as text. */
async function undrawnAnswer(place: Place, cell: LookedAtCell, reached: Reached, context: ToolContext): Promise<ToolAnswer<Structure>> {
  const { outputIndex } = place;
  const all = reached.notebook.document.outputs(cell.key);
  const asked = outputIndex === null ? all : all.slice(outputIndex, outputIndex + 1);
  const { text, images, drawnOnly } = undrawn(asked, reached.address, 'Read it with notebook_read, outputs "full".');
  const which = outputIndex !== null ? `Output ${outputIndex}` : all.length === 1 ? 'The output' : `Of the ${all.length} outputs`;
  const ofCell = `${which} of cell ${cell.index}`;
  const types = drawnOnly.length === 0 ? [] : [`Only the window can show: ${drawnOnly.join('; ')}.`];
  if (text === '' && images.length === 0) {
    throw new ToolError([`${ofCell} can’t be shown without Cellwright’s window.`, ...types, howToDraw(reached.shownPath)].join(' '));
  }
  const answer = await context.images.show(await Promise.all(images.map((image) => located(image, reached))), context.artifactFolder);
  const lines = [`${ofCell}, not drawn: there is no window, so this is what there is ${wordsFor(text, images.length)}.`];
  if (cell.status === 'stale') lines.push('The source was changed after the run that made this.');
  if (text !== '') lines.push(text);
  const mime = images[0]?.mime ?? 'text/plain';
  return {
    text: [...lines, ...answer.notes, ...types, howToDraw(reached.shownPath)].join('\n'),
    structured: { ...place, mime, drawn: null, console: [], consoleLeftOut: 0 },
    images: answer.images,
    links: answer.links,
  };
}

function wordsFor(text: string, images: number): string {
  if (images === 0) return 'of it as text';
  return text === '' ? 'of it as images' : 'of it as text and images';
}

function chosen(args: Args, { notebook }: Reached): LookedAtCell {
  const looked = lookAt(notebook);
  const [index] = chosenCells(looked, args, () => presentOutline(notebook.document));
  return looked[index!]!;
}
