/**
 * What a tool is: a description for a model, schemas, a plan of what a call would do, and the doing. The plan comes first and changes nothing,
 * so that a person can be shown what they are asked about, and a call that makes no sense asks nobody.
 */
import * as z from 'zod';
import type { CallCard, Permission } from '../../preload/agent-sessions.ts';
import type { KernelMode } from '../execution/agents/agent-session.ts';
import type { SessionPool } from '../execution/agents/session-pool.ts';
import type { Agent } from './agent.ts';
import type { Call } from './call.ts';
import type { ModelImages } from './model-images.ts';
import type { NotebookRuns } from './notebook-runs.ts';
import type { OutputViewer } from './output-viewer.ts';
import type { Reach } from './paths.ts';
import type { SharedSaves } from './shared-saves.ts';
import type { Workspace } from './workspace.ts';

/** What the tools of one agent work with. */
export interface ToolContext {
  agent: Agent;
  reach: Reach;
  workspace: Workspace;
  saves: SharedSaves;
  runs: NotebookRuns;
  pool: SessionPool;
  images: ModelImages;
  /** Null where there is no window. */
  viewer: OutputViewer | null;
  pythonKernel: KernelMode;
  /** The agent's own artifacts. */
  artifactFolder: string;
  /** The session's state file, which code finds in PI_SESSION_FILE. */
  sessionFile: string;
  /** The cell that the agent works on, for windows. */
  pointAt(docId: string, key: string): void;
}

export interface Plan {
  card: CallCard;
  needs: Permission;
  /** What a person is asked, in one sentence. */
  question: string;
  docId?: string | null;
  cellKeys?: readonly string[];
}

export interface ToolImage {
  mime: string;
  base64: string;
}

export interface ToolAnswer<S = Record<string, unknown>> {
  text: string;
  structured: S;
  isError?: boolean;
  images?: readonly ToolImage[];
  /** Addresses that the answer names, as links. */
  links?: readonly { uri: string; name: string; mime: string }[];
  cancelled?: boolean;
}

/** One word about what goes on. */
export type Tell = (message: string) => void;

export interface ToolSpec<A, S> {
  name: string;
  title: string;
  description: string;
  input: z.ZodType<A>;
  output: z.ZodType<S>;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  /** Throws what makes the call impossible. */
  plan(args: A, context: ToolContext): Promise<Plan>;
  run(args: A, context: ToolContext, call: Call, tell: Tell): Promise<ToolAnswer<S>>;
  /** How messages name what the call was about. */
  subject(args: A): string;
}

/** A tool whose arguments are not checked yet. */
export interface Tool extends Omit<ToolSpec<unknown, Record<string, unknown>>, 'plan' | 'run' | 'subject'> {
  /** Throws z.ZodError. */
  prepare(args: unknown): {
    subject: string;
    key: string | null;
    plan(context: ToolContext): Promise<Plan>;
    run(context: ToolContext, call: Call, tell: Tell): Promise<ToolAnswer>;
  };
}

/** Which notebook is meant. */
export const NOTEBOOK_PATH = z
  .string()
  .min(1)
  .max(4096)
  .describe(
    'Path of the .ipynb file: absolute, or relative to your working folder. An open notebook that has no file yet goes by its address untitled:<id>, which the kernel tool lists.',
  );

/** nbformat allows 64 characters; files with more are opened, and a cell of theirs must be nameable. */
export const CELL_ID = z.string().max(1000);

/** Every tool that changes something takes a key. */
export const IDEMPOTENCY_KEY = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Any text of your own. A second call with the same key is not carried out again: it gives the result of the first.');

/** An argument that the tool does not have is an error, as its schema says: passed over, `after_id` would put a cell into another place. */
export function tool<A, S extends object>(spec: ToolSpec<A, S>): Tool {
  const input = spec.input instanceof z.ZodObject ? (spec.input.strict() as unknown as z.ZodType<A>) : spec.input;
  return {
    ...spec,
    prepare: (given) => {
      const args = input.parse(given ?? {});
      const key = (args as { idempotency_key?: unknown }).idempotency_key;
      return {
        subject: spec.subject(args),
        key: typeof key === 'string' ? key : null,
        plan: (context) => spec.plan(args, context),
        run: async (context, call, tell) => {
          const answer = await spec.run(args, context, call, tell);
          return { ...answer, structured: answer.structured as Record<string, unknown> };
        },
      };
    },
  } as Tool;
}
