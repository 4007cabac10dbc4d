/**
 * When a run is done. Its end comes in two halves on two sockets: `execute_reply` on shell and `status: idle` on iopub, in either order, and
 * nothing says how far apart; stopping at the first would lose the last output or the status. So the phases are: sent, half done, done.
 * - The kernel's death, or somebody's word, ends it in any phase.
 * - An `aborted` reply ends it alone: the code never ran, and not every kernel says idle for it.
 * - A second idle (a forked child that came back) changes nothing.
 * - A half that never comes: the kernel is asked something else, and an answer proves that the half will not come any more, since
 *   each socket keeps its order. Of a run that another host began both may have gone to that host.
 * Pure: the state is a value, `nextRun` the only step.
 */
import type { JupyterMessage } from '../kernels/messages.ts';
import { countOf, errorContent, replyPayloads } from './message-content.ts';
import type { RunDone, RunResume, RunStatus } from './run-protocol.ts';

export interface RunState {
  readonly runId: string;
  readonly areaId: string;
  /** Milliseconds since the epoch, of this machine's clock. */
  readonly sentAt: number;
  /** The kernel's own clock. */
  readonly busyAt: number | null;
  readonly idleAt: number | null;
  readonly started: boolean;
  readonly executionCount: number | null;
  readonly reply: Reply | null;
  readonly idle: boolean;
  /** Another host sent it, and what came for it before may have gone there. */
  readonly resumed: boolean;
  /** Channels on which something newer was answered. */
  readonly passed: { readonly shell: boolean; readonly iopub: boolean };
  /** The error among its outputs: what is known of its failure when the reply is missing. */
  readonly shownError: RunDone['error'];
  /** Set when it is over. */
  readonly status: RunStatus | null;
  readonly endedAt: number | null;
}

interface Reply {
  status: 'ok' | 'error';
  error: RunDone['error'];
  /** The code asked the kernel to end (`exit`). */
  leaving: boolean;
}

export type RunEvent =
  | { type: 'message'; message: JupyterMessage; now: number }
  /** The kernel answered what was sent after the run, on this channel. */
  | { type: 'passed'; channel: 'shell' | 'iopub'; now: number }
  | { type: 'ended'; status: RunStatus; now: number };

export function newRun(runId: string, areaId: string, now: number): RunState {
  return {
    runId,
    areaId,
    sentAt: now,
    busyAt: null,
    idleAt: null,
    started: false,
    executionCount: null,
    reply: null,
    idle: false,
    resumed: false,
    passed: { shell: false, iopub: false },
    shownError: null,
    status: null,
    endedAt: null,
  };
}

/** A run that was begun through a host that is gone. */
export function resumedRun({ runId, areaId, sentAt, started, executionCount }: RunResume): RunState {
  return { ...newRun(runId, areaId, sentAt), started, executionCount, resumed: true };
}

/** The run after an event. An event that doesn't concern it, or comes after its end, gives the same value. */
export function nextRun(run: RunState, event: RunEvent): RunState {
  if (run.status !== null) return run;
  switch (event.type) {
    case 'ended':
      return { ...run, status: event.status, endedAt: event.now };
    case 'passed':
      return run.passed[event.channel] ? run : settled({ ...run, passed: { ...run.passed, [event.channel]: true } }, event.now);
    case 'message':
      return event.message.parent_header.msg_id === run.runId ? afterMessage(run, event.message, event.now) : run;
  }
}

function afterMessage(run: RunState, message: JupyterMessage, now: number): RunState {
  const { content, channel } = message;
  const type: string = message.header.msg_type;
  if (channel === 'shell' && type === 'execute_reply') return afterReply(run, message, now);
  if (channel !== 'iopub') return run;
  if (type === 'execute_input') return { ...run, started: true, executionCount: countOf(content) ?? run.executionCount };
  if (type === 'error') {
    const { ename, evalue, traceback } = errorContent(content);
    return { ...run, shownError: { ename, evalue, traceback } };
  }
  if (type !== 'status') return run;
  if (content.execution_state === 'busy') return { ...run, started: true, busyAt: run.busyAt ?? timeOf(message) };
  if (content.execution_state !== 'idle' || run.idle) return run;
  return settled({ ...run, idle: true, idleAt: timeOf(message) }, now);
}

function afterReply(run: RunState, message: JupyterMessage, now: number): RunState {
  const { content } = message;
  if (run.reply) return run;
  if (content.status === 'aborted' || content.status === 'abort') return { ...run, status: 'aborted', endedAt: now };
  const failed = content.status === 'error';
  const { ename, evalue, traceback } = errorContent(content);
  const reply: Reply = {
    status: failed ? 'error' : 'ok',
    error: failed ? { ename, evalue, traceback } : null,
    leaving: replyPayloads(message).some(({ source }) => source === 'ask_exit'),
  };
  return settled({ ...run, reply, executionCount: countOf(content) ?? run.executionCount }, now);
}

/** The run, over when each half has come or will not come any more. */
function settled(run: RunState, now: number): RunState {
  const { reply, idle, passed, resumed, shownError } = run;
  if (!reply && !idle) return resumed && passed.shell && passed.iopub ? { ...run, status: 'lost', endedAt: now } : run;
  if (!(reply || passed.shell) || !(idle || passed.iopub)) return run;
  // Without a reply only its output can say that it failed.
  return { ...run, idle: true, status: reply?.status ?? (shownError ? 'error' : 'ok'), endedAt: now };
}

/** What is told about a run that is over. */
export function runDone(kernelId: string, run: RunState): RunDone {
  const { runId, areaId, reply, shownError, executionCount } = run;
  const byKernel = run.busyAt !== null && run.idleAt !== null ? run.idleAt - run.busyAt : Number.NaN;
  const byUs = (run.endedAt ?? run.sentAt) - run.sentAt;
  return {
    kernelId,
    runId,
    areaId,
    status: run.status ?? 'cancelled',
    executionCount,
    error: run.status === 'error' ? failureOf(reply, shownError) : null,
    durationMs: Math.max(0, Number.isFinite(byKernel) ? byKernel : byUs),
    leaving: reply?.leaving ?? false,
  };
}

/** The reply's error. IPython replies with the `None` that it has no more when a value could not be shown: then it is what the cell shows. */
function failureOf(reply: Reply | null, shownError: RunDone['error']): RunDone['error'] {
  const isNamed = reply?.error && reply.error.ename !== '' && reply.error.ename !== 'NoneType';
  return isNamed ? reply.error : (shownError ?? reply?.error ?? null);
}

function timeOf(message: JupyterMessage): number {
  return Date.parse(message.header.date);
}
