/**
 * The `variables` tool: what a kernel holds, in a bounded summary and without a cell. A kernel that runs code answers only after it, so a busy one is
 * said to be busy instead of being waited for.
 */
import * as z from 'zod';
import { agentText } from '../../execution/agents/display-content.ts';
import { keyOf } from '../../execution/agents/pool-requests.ts';
import { KernelDeadError, KernelTimeoutError } from '../../kernels/errors.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { ToolError } from '../errors.ts';
import { withNotebook } from '../notebook-access.ts';
import { asOutput } from '../output-text.ts';
import { pathWithin } from '../paths.ts';
import { type ToolContext, tool } from '../tool.ts';
import { readVariables, variablesExpression } from '../variables-code.ts';

const ANSWER_LIMIT_MS = 10_000;

const input = z.object({
  notebook_path: z.string().min(1).max(4096).optional().describe('The notebook whose kernel is meant; without it your own python kernel.'),
  cwd: z.string().max(4096).optional().describe('For your own python kernel: its working folder, yours by default.'),
  names: z
    .array(z.string().regex(/^[^\W\d]\w*$/u))
    .max(100)
    .optional()
    .describe('Only these variables.'),
});

const output = z.object({
  total: z.number().int(),
  generation: z.number().int(),
  variables: z.array(z.object({ name: z.string(), type: z.string(), size: z.string(), preview: z.string() })),
});

type Args = z.infer<typeof input>;

export const variablesTool = tool({
  name: 'variables',
  title: 'Look at variables',
  description: `List the variables of a notebook's kernel (give notebook_path) or of your own python kernel (without it): name, type, size and a short preview each.
Use it before you rely on a variable, above all after a restart, and instead of adding a cell that prints them. For more of one variable use python, or a cell with notebook_run. It works for Python kernels and only while nothing runs.
Example: {"notebook_path": "analysis.ipynb", "names": ["df"]}`,
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  subject: ({ notebook_path }) => notebook_path ?? 'python',

  plan: async (args, context) => {
    const of = args.notebook_path ?? 'the Python session';
    const plan = {
      card: { kind: 'plain' as const, title: `Variables of ${of}`, summary: '', detail: null },
      needs: 'read' as const,
      question: `Look at the variables of ${of}?`,
    };
    if (args.notebook_path === undefined) return plan;
    return withNotebook(args.notebook_path, context, async ({ notebook }) => ({ ...plan, docId: notebook.document.id }));
  },

  run: async (args, context, call) => {
    const found = args.notebook_path === undefined ? await ofOwn(args, context) : await ofNotebook(args, args.notebook_path, context);
    const rows = found.variables.map(
      ({ name, type, size, preview }) => `${name}: ${type}${size === '' ? '' : ` (${size})`}${preview === '' ? '' : ` = ${preview}`}`,
    );
    const text = agentText(rows.join('\n'));
    call.show({ kind: 'plain', title: `${found.total} variables`, summary: '', detail: text });
    const more = found.total > found.variables.length ? `\n[${found.total - found.variables.length} more: give names]` : '';
    const heading = found.total === 0 ? 'The kernel has no variables.' : `${found.total} ${found.total === 1 ? 'variable' : 'variables'}:`;
    return { text: text === '' ? heading : `${heading}\n${asOutput(text)}${more}`, structured: found };
  },
});

type Found = z.infer<typeof output>;

async function ofNotebook(args: Args, given: string, context: ToolContext): Promise<Found> {
  return withNotebook(given, context, async ({ notebook: { session } }) => {
    const { kernel } = session;
    const { state, queued, generation } = session.kernelView();
    if (state === 'dead')
      throw new ToolError('kernel_dead: The kernel ended. Its variables are gone. Restart it with the kernel tool (action "restart").');
    if (!kernel) return { total: 0, generation, variables: [] };
    if (state !== 'idle' || queued > 0) throw busy(state);
    return ask(kernel, args);
  });
}

async function ofOwn(args: Args, { pool, reach, sessionFile }: ToolContext): Promise<Found> {
  const session = pool.session(keyOf({ sessionFile, cwd: await pathWithin(args.cwd ?? '.', reach) }));
  const kernel = session?.kernel;
  if (!session || !kernel || session.dead) return { total: 0, generation: 0, variables: [] };
  if (session.busy || kernel.state !== 'idle') throw busy(kernel.state);
  return ask(kernel, args);
}

async function ask(kernel: Kernel, { names = [] }: Args): Promise<Found> {
  const language = kernel.info?.language_info.name;
  if (language !== 'python')
    throw new ToolError(`Variables can be listed in Python kernels only, and this one is ${language ?? 'of no known language'}.`);
  const content = {
    code: '',
    silent: true,
    store_history: false,
    user_expressions: { variables: variablesExpression(names) },
    allow_stdin: false,
    stop_on_error: false,
  };
  try {
    const reply = await kernel.request({ channel: 'shell', type: 'execute_request', content }, ANSWER_LIMIT_MS);
    const found = readVariables((reply.user_expressions as Record<string, unknown> | undefined)?.variables);
    if (typeof found === 'string') throw new ToolError(`The variables could not be listed: ${found}.`);
    return { ...found, generation: kernel.generation };
  } catch (error) {
    if (error instanceof KernelTimeoutError) throw busy('busy');
    if (error instanceof KernelDeadError) throw new ToolError('The kernel ended. Its variables are gone.', { cause: error });
    throw error;
  }
}

function busy(state: string): ToolError {
  return new ToolError(`The kernel is ${state} and can’t answer now. Wait for what runs (wait), or interrupt it (kernel).`);
}
