/**
 * The `view_output` tool: an output that is an image, as a picture. Text is read exactly by `notebook_read`; what is no image is refused with that
 * advice instead of being turned into a picture that nobody sees.
 */
import * as z from 'zod';
import { chosenCells } from '../cell-selection.ts';
import { ToolError } from '../errors.ts';
import { type Reached, withNotebook } from '../notebook-access.ts';
import { type LookedAtCell, lookAt, presentOutline } from '../notebook-look.ts';
import { located } from '../notebook-run-answer.ts';
import { outputsText, type StoredImage } from '../output-text.ts';
import { tool } from '../tool.ts';

const input = z.object({
  notebook_path: z.string().min(1).max(4096).describe('Path of the .ipynb file: absolute, or relative to your working folder.'),
  cell_id: z.string().max(64).optional().describe('The cell.'),
  cell_index: z.number().int().optional().describe('0-based; instead of cell_id, which is safer.'),
  output_index: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('0-based place among the cell’s outputs; the last one that has a picture by default.'),
});

const output = z.object({
  notebookPath: z.string(),
  cellId: z.string().nullable(),
  cellIndex: z.number().int(),
  outputIndex: z.number().int(),
  mime: z.string(),
});

type Args = z.infer<typeof input>;

export const viewOutputTool = tool({
  name: 'view_output',
  title: 'See an output',
  description: `See an image output of a notebook cell: a plot or a picture that it showed.
Use it to check a figure as a person sees it. For text, tables and HTML use notebook_read, which is exact. It runs nothing: run the cell first with notebook_run, which shows new figures by itself.
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

  run: (args, context) =>
    withNotebook(args.notebook_path, context, async (reached) => {
      const cell = chosen(args, reached);
      const { document } = reached.notebook;
      if (cell.outputs === 0) throw new ToolError(`Cell ${cell.index} has no outputs (${cell.status}). Run it first with notebook_run.`);
      const { images } = outputsText(document.outputs(cell.key), reached.address);
      const at = outputIndex(args, cell, images);
      const place = { notebookPath: reached.path, cellId: cell.id, cellIndex: cell.index, outputIndex: at };
      const image = images.find((one) => one.output === at && one.mime !== 'image/svg+xml');
      if (image) {
        const shown = await context.images.show([await located(image, reached)], context.artifactFolder);
        const structured = { ...place, mime: image.mime };
        return {
          text: [`Output ${at} of cell ${cell.index}:`, ...shown.notes].join('\n'),
          structured,
          images: shown.images,
          links: shown.links,
        };
      }
      throw new ToolError(`Output ${at} of cell ${cell.index} is no image. Read it with notebook_read (outputs "full") instead.`);
    }),
});

function chosen(args: Args, { notebook }: Reached): LookedAtCell {
  const looked = lookAt(notebook);
  const [index] = chosenCells(looked, args, () => presentOutline(notebook.document));
  return looked[index!]!;
}

function outputIndex({ output_index: given }: Args, cell: LookedAtCell, images: readonly StoredImage[]): number {
  if (given === undefined) return images.at(-1)?.output ?? cell.outputs - 1;
  if (given < cell.outputs) return given;
  throw new ToolError(
    `output_index ${given} is out of range: cell ${cell.index} has ${cell.outputs} outputs, from 0 to ${cell.outputs - 1}.`,
  );
}
