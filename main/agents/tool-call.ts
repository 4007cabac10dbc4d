/**
 * One call of a tool, from its arguments to its answer: checked, planned, permitted, done, recorded. The hard rule: whatever happens, there is an answer
 * that says what was done and what was not, and the timeline says the same.
 */
import * as z from 'zod';
import type { AgentCall, AgentCallState, CallCard } from '../../preload/agent-sessions.ts';
import { EditError, toolErrorText } from '../documents/edit-words.ts';
import { NotebookOpenError, NotebookSaveError } from '../documents/errors.ts';
import { KernelDeadError, KernelNotFoundError, KernelStartError } from '../kernels/errors.ts';
import { GatewayError } from '../kernels/gateway/gateway-errors.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { AgentSessions } from './agent-sessions.ts';
import type { Call } from './call.ts';
import { endedCard } from './ended-card.ts';
import { RefusedError, StoppedError, ToolError } from './errors.ts';
import { PathError } from './paths.ts';
import type { Plan, Tell, Tool, ToolAnswer, ToolContext } from './tool.ts';

/** While a call waits for a person its client is told this often that it is alive. */
const STILL_WAITING_MS = 5_000;

/** Characters of a wrong call's path that its answer repeats. */
const NAMED_LENGTH = 300;

export interface ToolRequest {
  args: unknown;
  signal: AbortSignal;
  tell: Tell;
  /** The client's own name for its turn. */
  turn: string | null;
  /** A key that came beside the arguments. */
  key: string | null;
}

export type Answered = Omit<ToolAnswer, 'structured'> & { structured: Record<string, unknown> | null };

/** Never throws for what tools, policies and people do; throws the signal's reason when the client cancelled. */
export async function callTool(
  tool: Tool,
  request: ToolRequest,
  context: ToolContext,
  sessions: AgentSessions,
  log: Log,
): Promise<Answered> {
  const { agent } = context;
  let prepared: ReturnType<Tool['prepare']>;
  try {
    prepared = tool.prepare(request.args);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return failed(
      `Error: ${named(request.args)}The arguments of ${tool.name} are wrong.\n${z.prettifyError(error)}\n${takes(tool, error)}Correct them and call again.`,
    );
  }
  try {
    return await agent.results.once(request.key ?? prepared.key, [tool.name, request.args], () =>
      carryOut(tool, prepared, request, context, sessions, log),
    );
  } catch (error) {
    if (error instanceof ToolError) return failed(`Error: ${named(request.args)}${error.message}`);
    throw error;
  }
}

/** All arguments of a tool for whom one was guessed that it does not have. */
function takes({ input }: Tool, { issues }: z.ZodError): string {
  const isGuess = issues.some(({ code }) => code === 'unrecognized_keys');
  return isGuess && input instanceof z.ZodObject ? `There are: ${Object.keys(input.shape).join(', ')}. ` : '';
}

/** The notebook that the arguments of a refused call name, before the words about them. */
function named(args: unknown): string {
  const given = args !== null && typeof args === 'object' && 'notebook_path' in args ? args.notebook_path : null;
  return typeof given === 'string' && given !== '' ? `${given.slice(0, NAMED_LENGTH)}: ` : '';
}

async function carryOut(
  tool: Tool,
  prepared: ReturnType<Tool['prepare']>,
  request: ToolRequest,
  context: ToolContext,
  sessions: AgentSessions,
  log: Log,
): Promise<Answered> {
  const { agent } = context;
  agent.beginCall(Date.now(), request.turn);
  const fallback: CallCard = { kind: 'plain', title: tool.title, summary: prepared.subject, detail: null };
  let plan: Plan | null = null;
  let planning: unknown = null;
  try {
    plan = await prepared.plan(context);
  } catch (error) {
    planning = error;
  }
  const start = { tool: tool.name, needs: plan?.needs ?? ('read' as const), card: plan?.card ?? fallback };
  const waiting = waitingTold(request.tell);
  const call = sessions.begin(agent, start, request.signal, waiting.heard);
  let state: AgentCallState = 'failed';
  try {
    if (plan) call.at(plan.docId ?? null, plan.cellKeys ?? []);
    // Paused and taken over count for a call that can't be planned as well: it must not be a way to look.
    await call.permit(plan?.question ?? '');
    if (!plan) throw planning;
    const [docId, key] = [plan.docId, plan.cellKeys?.[0]];
    if (docId && key !== undefined && plan.needs !== 'read') context.pointAt(docId, key);
    const answer = await prepared.run(context, call, request.tell);
    state = answer.cancelled ? 'cancelled' : answer.isError ? 'failed' : 'done';
    return answer;
  } catch (error) {
    const said = words(error, prepared.subject, call);
    state = said.state;
    if (said.unexpected) log.error('agents.tool-failed', { tool: tool.name, ...errorFields(error) });
    call.show(endedCard(call.value.card, said.text));
    if (request.signal.aborted) throw error;
    return failed(said.text);
  } finally {
    waiting.end();
    sessions.end(call, state);
  }
}

/** Tells the client that its call waits for a person, at once and from time to time. */
function waitingTold(tell: Tell): { heard(call: AgentCall): void; end(): void } {
  let timer: NodeJS.Timeout | null = null;
  let told: string | null = null;
  const end = (): void => {
    if (timer) clearInterval(timer);
    timer = null;
  };
  return {
    heard: ({ state, waitingFor }) => {
      const waits = (state === 'waiting' || state === 'approval') && waitingFor !== null;
      const message = !waits ? null : state === 'approval' ? `Waiting for a person’s approval: ${waitingFor}` : waitingFor;
      if (message === told) return;
      told = message;
      end();
      if (message === null) return;
      tell(message);
      timer = setInterval(() => tell(message), STILL_WAITING_MS);
    },
    end,
  };
}

function words(error: unknown, subject: string, call: Call): { text: string; state: AgentCallState; unexpected: boolean } {
  const expected = (text: string, state: AgentCallState = 'failed') => ({ text, state, unexpected: false });
  if (error instanceof RefusedError) return expected(`Error: ${error.message}`, 'refused');
  if (error instanceof StoppedError) return expected(`Error: ${error.message} Ask the person how to go on.`, 'cancelled');
  if (call.signal.aborted) return expected('Error: The call was cancelled.', 'cancelled');
  if (error instanceof ToolError || error instanceof PathError) return expected(`Error: ${subject}: ${error.message}`);
  if (error instanceof EditError || error instanceof NotebookOpenError || error instanceof NotebookSaveError)
    return expected(toolErrorText(subject, error));
  const known = [KernelStartError, KernelNotFoundError, KernelDeadError, GatewayError].some((kind) => error instanceof kind);
  const detail = error instanceof KernelStartError && error.stderrTail !== '' ? `\n${error.stderrTail}` : '';
  const text = `Error: ${subject}: ${error instanceof Error ? error.message : String(error)}${detail}`;
  return { text, state: 'failed', unexpected: !known };
}

function failed(text: string): Answered {
  return { text, structured: null, isError: true };
}
