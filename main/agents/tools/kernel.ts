/**
 * The `kernel` tool: the kernels of notebooks and the agent's own of `python`. What it can't do is as important: it never reaches a kernel of
 * a notebook outside of the agent's folders, nor another agent's.
 */
import path from 'node:path';
import * as z from 'zod';
import type { Permission } from '../../../preload/agent-sessions.ts';
import type { KernelView } from '../../../preload/contract.ts';
import { keyOf } from '../../execution/agents/pool-requests.ts';
import { ToolError } from '../errors.ts';
import { withNotebook } from '../notebook-access.ts';
import { liesIn, pathWithin } from '../paths.ts';
import { IDEMPOTENCY_KEY, type ToolAnswer, type ToolContext, tool } from '../tool.ts';
import { reachableUntitled, untitledAddress } from '../untitled-notebooks.ts';

const input = z.object({
  action: z
    .enum(['list', 'status', 'interrupt', 'restart', 'shutdown'])
    .describe('list: all that you can reach. interrupt: stop what runs and drop what waits; variables stay. restart: variables are gone.'),
  notebook_path: z.string().min(1).max(4096).optional().describe('The notebook whose kernel is meant; without it your own python kernel.'),
  cwd: z.string().max(4096).optional().describe('For your own python kernel: its working folder, yours by default.'),
  idempotency_key: IDEMPOTENCY_KEY,
});

const kernel = z.object({
  /** Of a notebook without a file. */
  title: z.string().nullable(),
  /** `python`, the notebook's path, or its address when it has no file yet. */
  of: z.string(),
  name: z.string(),
  state: z.string(),
  generation: z.number().int().nullable(),
  queued: z.number().int(),
  message: z.string().nullable(),
});

const output = z.object({ action: z.string(), kernels: z.array(kernel) });

type Args = z.infer<typeof input>;
type Kernel = z.infer<typeof kernel>;

export const kernelTool = tool({
  name: 'kernel',
  title: 'Kernels',
  description: `List kernels, or look at, interrupt, restart or shut down one: a notebook's (give notebook_path) or your own python kernel (without it).
Use interrupt to stop a run that takes too long, and restart when a kernel has died or its state is a mess; tell the person before you restart a kernel that holds results of theirs. To run code use notebook_run or python: they start the kernel themselves.
After a restart generation is higher by one and all variables are gone.
Example: {"action": "interrupt", "notebook_path": "analysis.ipynb"}`,
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  subject: ({ notebook_path }) => notebook_path ?? 'python',

  plan: async (args, context) => {
    const needs = needed(args);
    // The card has the place of a line: the name of the file, and not the way to it.
    const of = args.notebook_path === undefined ? 'your Python session' : path.basename(args.notebook_path);
    const card = {
      kind: 'plain' as const,
      title: `${titled(args.action)} ${args.action === 'list' ? 'kernels' : of}`,
      summary: '',
      detail: null,
    };
    const question = `${titled(args.action)} the kernel of ${args.notebook_path ?? 'the agent’s Python session'}?`;
    if (args.notebook_path === undefined) return { card, needs, question };
    return withNotebook(args.notebook_path, context, async ({ notebook }) => ({ card, needs, question, docId: notebook.document.id }));
  },

  run: async (args, context): Promise<ToolAnswer<z.infer<typeof output>>> => {
    if (args.action === 'list') return answer(args, await reachable(context));
    if (args.notebook_path !== undefined) return answer(args, [await onNotebook(args, args.notebook_path, context)]);
    return answer(args, [await onOwn(args, context)]);
  },
});

async function onNotebook({ action }: Args, given: string, context: ToolContext): Promise<Kernel> {
  return withNotebook(given, context, async ({ path: place, notebook: { session } }) => {
    if (action === 'interrupt') await session.interrupt();
    if (action === 'restart') await session.restart();
    if (action === 'shutdown') await session.shutdown();
    return ofView(place, session.kernelView());
  });
}

async function onOwn({ action, cwd }: Args, { pool, reach, sessionFile }: ToolContext): Promise<Kernel> {
  const key = keyOf({ sessionFile, cwd: await pathWithin(cwd ?? '.', reach) });
  const session = pool.session(key);
  if (!session) {
    if (action === 'restart' || action === 'interrupt')
      throw new ToolError('You have no Python kernel here yet: python starts it with the first call.');
    return { of: 'python', title: null, name: '', state: 'none', generation: null, queued: 0, message: null };
  }
  if (action === 'interrupt') await session.interrupt();
  if (action === 'restart') await session.restart();
  if (action === 'shutdown') await pool.shutdown(key);
  return ofView('python', session.view());
}

async function reachable({ workspace, pool, agent, reach }: ToolContext): Promise<Kernel[]> {
  const untitled = (await reachableUntitled(workspace.opened(), reach)).map(({ document, session }) =>
    ofView(untitledAddress(document.id), session.kernelView(), document.title),
  );
  const notebooks = workspace.opened().flatMap(({ document, session }) => {
    const { realPath } = document;
    return realPath !== null && reach.folders.some((folder) => liesIn(realPath, folder)) ? [ofView(realPath, session.kernelView())] : [];
  });
  const own = pool.list().filter(({ owners }) => owners.includes(agent.id));
  return [
    ...notebooks,
    ...untitled,
    ...own.map(({ name, state, waiting, cwd }) => ({
      of: `python in ${cwd}`,
      title: null,
      name,
      state,
      generation: null,
      queued: waiting,
      message: null,
    })),
  ];
}

function ofView(
  of: string,
  view: Pick<KernelView, 'name' | 'state' | 'message'> & Partial<Pick<KernelView, 'generation' | 'queued'>>,
  title: string | null = null,
): Kernel {
  const { name, state, message, generation = null, queued = 0 } = view;
  return { of, title, name, state, generation, queued, message };
}

function answer({ action }: Args, kernels: Kernel[]): { text: string; structured: z.infer<typeof output> } {
  const lines = kernels.map(({ of, title, name, state, generation, queued, message }) => {
    const facts = [state, generation === null ? '' : `generation ${generation}`, queued > 0 ? `${queued} wait` : ''].filter(Boolean);
    return `${of}${title === null ? '' : ` (${title})`}: ${name || 'no kernel'} (${facts.join(', ')})${message === null ? '' : ` ${message}`}`;
  });
  const text = lines.length === 0 ? 'No kernels are running that you can reach.' : lines.join('\n');
  return { text, structured: { action, kernels } };
}

function needed({ action }: Args): Permission {
  if (action === 'list' || action === 'status') return 'read';
  return action === 'interrupt' ? 'run' : 'restart';
}

function titled(action: Args['action']): string {
  return { list: 'List', status: 'Look at', interrupt: 'Interrupt', restart: 'Restart', shutdown: 'Shut down' }[action];
}
