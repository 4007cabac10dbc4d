/**
 * The `view_output` tool: an output as a person sees it, as a picture with what its scripts reported. The app draws it; without a window only what is
 * an image can be seen, and everything else is refused with what to do instead of a picture that nobody would see.
 */
import * as z from 'zod';
import { agentText } from '../../execution/agents/display-content.ts';
import type { Call } from '../call.ts';
import { chosenCells } from '../cell-selection.ts';
import { ToolError } from '../errors.ts';
import { type Reached, withNotebook } from '../notebook-access.ts';
import { type LookedAtCell, lookAt, presentOutline } from '../notebook-look.ts';
import { located } from '../notebook-run-answer.ts';
import { asOutput, outputsText } from '../output-text.ts';
import { MAX_WIDTH, MIN_WIDTH, type OutputView, OutputViewError, type OutputViewer, PAGE_WIDTH, PICTURE_HEIGHT } from '../output-viewer.ts';
import { NOTEBOOK_PATH, type ToolAnswer, type ToolContext, tool } from '../tool.ts';

const input = z.object({
  notebook_path: NOTEBOOK_PATH,
  cell_id: z.string().max(64).optional().describe('The cell.'),
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
  /** The rest is null when the image is the output's own, shown as it is because there is no window. */
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
Scripts run only in a notebook that the person trusts, as in the window. Without Cellwright’s window only outputs that are images can be seen.
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
      return viewer ? drawnAnswer(args, place, cell, reached, context, viewer, call) : imageAnswer(place, cell, reached, context);
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

/** The output's own image, where there is no window to draw it. */
async function imageAnswer(place: Place, cell: LookedAtCell, reached: Reached, context: ToolContext): Promise<ToolAnswer<Structure>> {
  const { images } = outputsText(reached.notebook.document.outputs(cell.key), reached.address);
  const shown = images.filter(
    ({ output: at, mime }) => mime !== 'image/svg+xml' && (place.outputIndex === null || at === place.outputIndex),
  );
  const image = shown.at(-1);
  if (!image) {
    const what =
      place.outputIndex === null
        ? `Cell ${cell.index} has no output that is an image`
        : `Output ${place.outputIndex} of cell ${cell.index} is no image`;
    throw new ToolError(
      `${what}, and without Cellwright’s window nothing else can be drawn. Read it with notebook_read (outputs "full"), or ask the person to open Cellwright and call again.`,
    );
  }
  const answer = await context.images.show([await located(image, reached)], context.artifactFolder);
  return {
    text: [`Output ${image.output} of cell ${cell.index}:`, ...answer.notes].join('\n'),
    structured: { ...place, outputIndex: image.output, mime: image.mime, drawn: null, console: [], consoleLeftOut: 0 },
    images: answer.images,
    links: answer.links,
  };
}

function chosen(args: Args, { notebook }: Reached): LookedAtCell {
  const looked = lookAt(notebook);
  const [index] = chosenCells(looked, args, () => presentOutline(notebook.document));
  return looked[index!]!;
}
