/**
 * The `wait` tool: for a run to end, for somebody else's edit, or for a person's decision. Waiting is bounded and ends without a fault: a wait that
 * is over too early says so, and is asked for again.
 */
import * as z from 'zod';
import type { Call } from '../call.ts';
import { ToolError } from '../errors.ts';
import { type Reached, withNotebook } from '../notebook-access.ts';
import { type LookedAtCell, lookAt } from '../notebook-look.ts';
import { runAnswer, runOutput } from '../notebook-run-answer.ts';
import { awaitRun, settled } from '../run-waiting.ts';
import { type Tell, type ToolAnswer, type ToolContext, tool } from '../tool.ts';

const DEFAULT_TIMEOUT = 50;
const MAX_TIMEOUT = 600;
/** Keystrokes of one moment are one edit to whoever waits. */
const EDIT_CALM_MS = 300;

const input = z.object({
  for: z
    .enum(['run', 'edit', 'decision'])
    .describe(
      'run: needs run_id. edit: needs notebook_path; somebody else changes its cells. decision: a person gives back what they took over.',
    ),
  run_id: z.string().max(100).optional().describe('As notebook_run gave it.'),
  notebook_path: z.string().min(1).max(4096).optional(),
  timeout: z.number().min(0).max(MAX_TIMEOUT).optional().describe(`Seconds, default ${DEFAULT_TIMEOUT}.`),
});

const output = z.object({
  for: z.string(),
  /** False: the time was over first. Wait again, or go on without. */
  happened: z.boolean(),
  run: runOutput.nullable(),
  edits: z.array(
    z.object({
      cellId: z.string().nullable(),
      index: z.number().int().nullable(),
      change: z.enum(['added', 'removed', 'changed', 'moved']),
    }),
  ),
  paused: z.boolean(),
  takenOver: z.boolean(),
});

type Args = z.infer<typeof input>;
type Structure = z.infer<typeof output>;
type Answer = ToolAnswer<Structure>;

export const waitTool = tool({
  name: 'wait',
  title: 'Wait',
  description: `Wait until something has happened: a run of notebook_run is over (for "run" with run_id), somebody else changed a notebook (for "edit" with notebook_path), or a person gave back what they had taken over (for "decision").
Use it when notebook_run answered "running", and instead of asking again and again. It is no pause: it comes back as soon as the thing has happened. A run can be waited for after its call was cut off, and more than once.
Example: {"for": "run", "run_id": "6f9c…", "timeout": 300}`,
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  subject: (args) => args.notebook_path ?? args.run_id ?? 'wait',

  plan: async (args) => ({
    card: {
      kind: 'plain',
      title: `Wait for ${{ run: 'a run', edit: 'an edit', decision: 'a decision' }[args.for]}`,
      summary: '',
      detail: null,
    },
    needs: 'read',
    question: 'Wait?',
  }),

  run: (args, context, call, tell) => {
    switch (args.for) {
      case 'run':
        return forRun(args, context, call, tell);
      case 'edit':
        return forEdit(args, context, call);
      case 'decision':
        return forDecision(args, context, call);
    }
  },
});

async function forRun(args: Args, context: ToolContext, call: Call, tell: Tell): Promise<Answer> {
  if (args.run_id === undefined) throw new ToolError('run_id is missing: notebook_run gives it.');
  const run = context.runs.get(args.run_id);
  if (run?.agentId !== context.agent.id) {
    throw new ToolError(
      'There is no run of this id. It may be from before a restart of Cellwright: read the notebook to see what was done.',
    );
  }
  // Its file may have another name by now.
  const present = context.workspace.opened().find(({ document }) => document.id === run.docId);
  return withNotebook(present?.document.realPath ?? run.path, context, async (reached) => {
    call.at(reached.notebook.document.id, run.keys);
    await awaitRun(run, reached, context, call, tell, timeoutMs(args));
    const answer = await runAnswer(run, reached, context);
    return { ...answer, structured: { ...structure(args, context, run.endedAt !== null), run: answer.structured } };
  });
}

async function forEdit(args: Args, context: ToolContext, call: Call): Promise<Answer> {
  if (args.notebook_path === undefined) throw new ToolError('notebook_path is missing: which notebook?');
  return withNotebook(args.notebook_path, context, async (reached) => {
    const before = lookAt(reached.notebook);
    const happened = await foreignEdit(reached, context, call, timeoutMs(args));
    const edits = happened ? changesBetween(before, lookAt(reached.notebook)) : [];
    const lines = edits.map(({ cellId, index, change }) => `${change}: cell ${index ?? '(gone)'} (id ${cellId ?? 'none'})`);
    const text = happened ? ['Somebody else changed the notebook.', ...lines].join('\n') : 'Nobody else changed the notebook in this time.';
    return { text, structured: { ...structure(args, context, happened), edits } };
  });
}

async function foreignEdit({ notebook }: Reached, { agent }: ToolContext, call: Call, timeout: number): Promise<boolean> {
  let stop = (): void => {};
  let happened = false;
  const edited = new Promise<void>((resolve) => {
    let calm: NodeJS.Timeout | null = null;
    stop = notebook.document.on('update', (_update, origin) => {
      if (isOwn(origin, agent.id)) return;
      happened = true;
      if (calm) clearTimeout(calm);
      calm = setTimeout(resolve, EDIT_CALM_MS);
    });
  });
  try {
    await settled(edited, timeout, call.signal);
  } finally {
    stop();
  }
  return happened;
}

function isOwn(origin: unknown, agentId: string): boolean {
  return typeof origin === 'object' && origin !== null && (origin as { agentId?: unknown }).agentId === agentId;
}

async function forDecision(args: Args, context: ToolContext, call: Call): Promise<Answer> {
  const { agent } = context;
  const limit = AbortSignal.timeout(Math.max(1, timeoutMs(args)));
  const signal = AbortSignal.any([call.signal, limit]);
  while ((agent.takenOver || agent.paused) && !limit.aborted) {
    call.waits('Waits until it is given back.');
    await agent.steered(signal).catch((error: unknown) => {
      if (!limit.aborted || call.signal.aborted) throw error;
    });
  }
  const free = !agent.takenOver && !agent.paused;
  const text = free ? 'You may go on.' : 'Not yet: a person has taken over. Wait again, or read meanwhile.';
  return { text, structured: structure(args, context, free) };
}

function structure(args: Args, { agent }: ToolContext, happened: boolean): Structure {
  return { for: args.for, happened, run: null, edits: [], paused: agent.paused, takenOver: agent.takenOver };
}

function timeoutMs({ timeout = DEFAULT_TIMEOUT }: Args): number {
  return timeout * 1000;
}

/** A cell counts as moved when another one than before comes ahead of it. */
export function changesBetween(before: readonly LookedAtCell[], after: readonly LookedAtCell[]): Structure['edits'] {
  const old = new Map(before.map((cell) => [cell.key, cell]));
  const kept = new Set(after.map(({ key }) => key));
  const oldOrder = before.filter(({ key }) => kept.has(key)).map(({ key }) => key);
  const newOrder = after.filter(({ key }) => old.has(key)).map(({ key }) => key);
  const removed = before
    .filter(({ key }) => !kept.has(key))
    .map(({ id }): Structure['edits'][number] => ({ cellId: id, index: null, change: 'removed' }));
  const others = after.flatMap(({ key, id, index, source, type }): Structure['edits'] => {
    const was = old.get(key);
    if (!was) return [{ cellId: id, index, change: 'added' }];
    if (was.source !== source || was.type !== type) return [{ cellId: id, index, change: 'changed' }];
    return previous(oldOrder, key) === previous(newOrder, key) ? [] : [{ cellId: id, index, change: 'moved' }];
  });
  return [...removed, ...others];
}

function previous(order: readonly string[], key: string): string | undefined {
  return order[order.indexOf(key) - 1];
}
