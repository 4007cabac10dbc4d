/**
 * What a run of notebook cells answers, while it goes on and when it is over: the same function for the call that began it and for `wait`. The
 * hard part is to stay small and still say everything: each cell's state, the end of its text, and where the rest is.
 */
import * as z from 'zod';
import { ArtifactStore } from '../artifacts/artifact-store.ts';
import { shownWidgets } from '../execution/widget-view.ts';
import type { Reached } from './notebook-access.ts';
import { type LookedAtCell, lookAtCell } from './notebook-look.ts';
import type { NotebookRun } from './notebook-runs.ts';
import { asOutput, type OutputsText, outputsText, type StoredImage, textTail } from './output-text.ts';
import type { CellInRun } from './run-record.ts';
import type { ToolAnswer, ToolContext } from './tool.ts';

/** UTF-16 units of one cell's text, and of all cells together. */
const CELL_LIMIT = 6_000;
const TOTAL_LIMIT = 24_000;

export const runOutput = z.object({
  runId: z.string(),
  /** running: `wait` picks it up. cancelled: something stopped it before its end. */
  status: z.enum(['running', 'done', 'failed', 'cancelled']),
  notebookPath: z.string(),
  cells: z.array(
    z.object({
      index: z.number().int().nullable(),
      cellId: z.string().nullable(),
      status: z.enum(['queued', 'running', 'done', 'failed', 'not-run', 'skipped', 'deleted']),
      executionCount: z.number().int().nullable(),
      durationMs: z.number().nullable(),
      output: z.string(),
      truncated: z.boolean(),
      /** The source was changed after it ran: the outputs are of the earlier source. */
      outputsStale: z.boolean(),
    }),
  ),
  failure: z
    .object({
      kind: z.enum(['error', 'kernel_dead', 'kernel_lost', 'kernel_not_started']),
      name: z.string(),
      message: z.string(),
      cellId: z.string().nullable(),
      hint: z.string(),
    })
    .nullable(),
  kernel: z.object({ state: z.string(), name: z.string(), generation: z.number().int(), queued: z.number().int() }),
  stdinRequested: z.boolean(),
  saveFailure: z.string().nullable(),
});

export type RunStructure = z.infer<typeof runOutput>;
type RunCell = RunStructure['cells'][number];

interface Seen {
  cell: RunCell;
  looked: LookedAtCell | null;
  images: StoredImage[];
  source: string;
  /** Those of this run; empty when it has not come to the cell. */
  outputs: CellInRun['outputs'];
  /** The notebook has those of a later run. */
  again: boolean;
}

export async function runAnswer(run: NotebookRun, reached: Reached, context: ToolContext): Promise<ToolAnswer<RunStructure>> {
  const { notebook } = reached;
  const seen = cellsOf(run, reached);
  const { state, name, generation, queued } = notebook.session.kernelView();
  const failure = failureOf(run, reached, seen);
  const structured: RunStructure = {
    runId: run.id,
    status: statusOf(run),
    notebookPath: run.path,
    cells: seen.map(({ cell }) => cell),
    failure,
    kernel: { state, name, generation, queued },
    stdinRequested: run.stdinRequested,
    saveFailure: run.saveFailure,
  };
  const sources = seen
    .flatMap(({ images }) => images)
    .map((image) => ({
      mime: image.mime,
      payload: image.payload,
      file: null,
      artifactId: image.artifactId,
    }));
  const shown = await context.images.show(await Promise.all(sources.map((source) => located(source, reached))), context.artifactFolder);
  return {
    text: textOf(structured, seen, shown.notes),
    structured,
    isError: structured.status === 'failed' || structured.status === 'cancelled' || structured.saveFailure !== null,
    images: shown.images,
    links: shown.links,
  };
}

/** A widget comes apart from the output that shows it; what it took in belongs to the answer, and in its place into the call's card. */
export async function widgetsThere(run: NotebookRun, { notebook: { document, widgets } }: Reached): Promise<void> {
  const keys = run.keys.filter((key) => document.keys().includes(key));
  await Promise.all(keys.flatMap((key) => shownWidgets(document.outputs(key))).map((modelId) => widgets.model(modelId)));
}

/** One line for a progress notification. */
export function runWords(run: NotebookRun, reached: Reached): string {
  const seen = cellsOf(run, reached);
  const over = seen.filter(({ cell }) => cell.status !== 'queued' && cell.status !== 'running').length;
  const running = seen.find(({ cell }) => cell.status === 'running');
  const line = running?.cell.output.trimEnd().split('\n').at(-1)?.slice(-200) ?? '';
  const where = running ? ` cell ${running.cell.index} is running` : '';
  return `[${over}/${seen.length}]${where}${line === '' ? '' : `\n${line}`}`;
}

/** The cells of a run as they are now. */
export function cellsOf(run: NotebookRun, { notebook, address }: Reached): Seen[] {
  const { document, session } = notebook;
  const order = document.keys();
  const share = Math.max(500, Math.floor(TOTAL_LIMIT / run.keys.length));
  return run.keys.map((key): Seen => {
    const index = order.indexOf(key);
    const { source, again, ...inRun } = run.record.of(key, notebook);
    const looked = index === -1 ? null : lookAtCell(document, session.runs(), key, index);
    const status = cellStatusOf(run, key, inRun.status, looked);
    const ran = looked !== null && (status === 'done' || status === 'failed' || status === 'running');
    const outputs = ran ? inRun.outputs : [];
    const { text, images } = textsOf(outputs, address);
    const where = looked?.id ? `Read it with notebook_read, outputs "full", cell_id "${looked.id}".` : 'Read it with notebook_read.';
    const shown = textTail(text, Math.min(CELL_LIMIT, share), where);
    return {
      looked,
      images,
      source,
      outputs,
      again,
      cell: {
        index: looked?.index ?? null,
        cellId: looked?.id ?? null,
        status,
        executionCount: ran ? inRun.executionCount : null,
        durationMs: ran ? inRun.durationMs : null,
        output: shown.text,
        truncated: shown.truncated,
        outputsStale: ran && looked?.source !== source,
      },
    };
  });
}

/** Worked out once for outputs that stay as they are: a run of many cells is looked at ten times in a second. */
const texts = new WeakMap<CellInRun['outputs'], OutputsText>();

function textsOf(outputs: CellInRun['outputs'], address: (id: string) => string): OutputsText {
  const known = texts.get(outputs) ?? outputsText(outputs, address);
  texts.set(outputs, known);
  return known;
}

function cellStatusOf(run: NotebookRun, key: string, status: CellInRun['status'], looked: LookedAtCell | null): RunCell['status'] {
  if (!looked) return 'deleted';
  const outcome = run.summary?.cells.find((cell) => cell.key === key)?.outcome;
  switch (outcome) {
    case 'done':
    case 'failed':
    case 'skipped':
      return outcome;
    case 'cancelled':
      // Interrupted in the middle it has outputs; otherwise its turn never came.
      return 'not-run';
    case undefined:
      break;
  }
  return run.endedAt === null ? status : 'not-run';
}

function statusOf(run: NotebookRun): RunStructure['status'] {
  if (run.endedAt === null) return 'running';
  if (!run.summary) return 'failed';
  return run.summary.status === 'ok' ? 'done' : run.summary.status;
}

function failureOf(run: NotebookRun, { notebook: { session } }: Reached, seen: readonly Seen[]): RunStructure['failure'] {
  const failure = run.summary?.failure ?? null;
  const { state, message, detail } = session.kernelView();
  const kernelWords = `${message ?? 'The kernel ended.'}${detail ? `\n${detail}` : ''}`;
  if (!failure) {
    const nothingRan = run.summary?.status === 'cancelled' && seen.every(({ cell }) => cell.status === 'not-run');
    if (!nothingRan || session.kernel !== null || message === null) return null;
    return {
      kind: 'kernel_not_started',
      name: 'KernelStartError',
      message: kernelWords,
      cellId: null,
      hint: 'Correct that and run again.',
    };
  }
  const cellId = seen.find(({ looked }) => looked?.key === failure.key)?.cell.cellId ?? null;
  if (failure.error) {
    const { ename, evalue } = failure.error;
    const hint = 'The cells after it were not run; the state of those before it is kept. Correct the cell and run from it on.';
    return { kind: 'error', name: ename, message: evalue, cellId, hint };
  }
  if (failure.status === 'dead' || state === 'dead') {
    const hint = 'All variables are gone. Restart it with the kernel tool, then run the cells that the notebook needs again.';
    return { kind: 'kernel_dead', name: 'KernelDied', message: kernelWords, cellId, hint };
  }
  const hint = 'The kernel and its variables are still there. Run the cell again.';
  return { kind: 'kernel_lost', name: 'ConnectionLost', message: kernelWords, cellId, hint };
}

function textOf(structured: RunStructure, seen: readonly Seen[], imageNotes: readonly string[]): string {
  const { status, cells, failure, runId } = structured;
  const lines = [heading(structured)];
  for (const { cell, looked, again } of seen) {
    if (cell.status === 'queued') continue;
    const count = cell.executionCount === null ? '' : ` [${cell.executionCount}]`;
    const took = cell.durationMs === null ? '' : `, ${(cell.durationMs / 1000).toFixed(2)} s`;
    const stale = `${cell.outputsStale ? ', edited since' : ''}${again ? ', run again since' : ''}`;
    const id = cell.cellId === null ? '' : ` (id ${cell.cellId})`;
    const where = looked ? `cell ${looked.index}${id}` : 'a deleted cell';
    const body = cell.output === '' && cell.status === 'done' ? ' (no output)' : '';
    lines.push(`${where}${count}: ${cell.status}${took}${stale}${body}`);
    if (cell.output !== '') lines.push(asOutput(cell.output));
  }
  lines.push(...imageNotes);
  if (failure) lines.push(`${failure.kind}: ${failure.name}: ${failure.message}`.slice(0, 2_000), failure.hint);
  if (structured.stdinRequested) lines.push('The code asked for input. Nobody can type for you, so it got an empty line.');
  if (structured.saveFailure) lines.push(`The outputs are in the open notebook but could not be saved: ${structured.saveFailure}`);
  const waiting = cells.filter((cell) => cell.status === 'queued').length;
  if (status === 'running') lines.push(`${waiting} more wait. The run goes on: call wait with run_id "${runId}".`);
  return lines.join('\n');
}

function heading({ status, cells, kernel, runId, saveFailure }: RunStructure): string {
  const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
  const ran = saveFailure === null ? 'Ran' : 'Error: could not save the outputs. Ran';
  const words = { running: 'Running', done: ran, failed: 'Error: failed while running', cancelled: 'Error: stopped while running' }[status];
  return `${words} ${count} (run ${runId}, kernel ${kernel.name || 'none'} ${kernel.state}, generation ${kernel.generation}).`;
}

/** Where an image of the notebook's lies: its own store says, never a path that the notebook's file names. */
export async function located(
  image: { mime: string; payload: string | null; artifactId: string | null },
  { notebook, address }: Reached,
): Promise<{ mime: string; payload: string | null; file: string | null; uri: string | null }> {
  const { mime, payload, artifactId } = image;
  if (artifactId === null) return { mime, payload, file: null, uri: null };
  const artifact = await new ArtifactStore(notebook.artifactFolder).resolve(artifactId);
  return { mime, payload: null, file: artifact?.file ?? null, uri: address(artifactId) };
}
