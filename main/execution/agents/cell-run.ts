/**
 * One cell of a call, from the kernel it needs to its end. The hard part is everything that can end it from the side: a kernel that dies is
 * restarted and the cell run again, as often as the session allows; a call that is stopped interrupts it, and restarts a kernel that
 * doesn't listen. Each way leaves the session usable and says what happened.
 */
import { randomUUID } from 'node:crypto';
import type { Kernel } from '../../kernels/kernel.ts';
import { type RunHandle, startRun } from '../run-client.ts';
import { RunInterrupt } from '../run-interrupt.ts';
import type { RunDone } from '../run-protocol.ts';
import type { AgentSession, ReadyKernel, Restarted } from './agent-session.ts';
import type { CallOutputs } from './call-outputs.ts';
import type { StatusEvent } from './display-content.ts';
import { type Stop, unlessStopped } from './stop.ts';

export interface CellRun {
  session: AgentSession;
  index: number;
  code: string;
  outputs: CallOutputs;
  stop: Stop;
  /** Milliseconds that interrupted code has to end before its kernel is restarted. */
  graceMs: number;
  /** The kernel has it; called again when the execution count is known. */
  onRunning: (executionCount: number | null) => void;
  /** A fresh kernel had to be made. */
  onRestart: (event: StatusEvent) => void;
}

export interface CellEnd {
  status: 'complete' | 'error';
  durationMs: number | null;
  executionCount: number | null;
  exitCode: number | null;
  /** What is said after the cell's own output. */
  lines: string[];
  /** The exception that ended it, as the kernel's reply names it. */
  failure: RunDone['error'];
  /** Variables from before are gone. */
  stateLost: boolean;
}

/** ipykernel skips what it gets right after an error; nothing of it has run then, so it may be sent again. */
const SENDS_LIMIT = 3;

/**
 * Shares of the grace that follow an interrupt each. There is a second one because Python drops an interrupt that comes in a destructor, a callback or
 * a fork; it comes when IPython has had its time to end a shell command.
 */
const INTERRUPTS = [0.7, 0.3];

const LOST =
  'The connection to the kernel broke while the cell ran: the rest of its output and its result are missing. The kernel and its variables are still there.';
const ENDED_BY_OTHERS = 'The kernel was restarted or shut down while the cell ran. Its variables are gone.';
const SKIPPED = 'The kernel skipped the cell because of an earlier error. Send it again.';
const LEFT = 'The code ended the kernel. Its variables are gone; the next cell starts a fresh one.';

/** Throws when the cell could not be sent at all: Stopped, and what `AgentSession.ready` throws. */
export async function runCell(run: CellRun): Promise<CellEnd> {
  const { session, stop } = run;
  let died: Restarted | null = null;
  let last: RunDone | null = null;
  let stateLost = false;
  for (let sends = 1; ; sends += 1) {
    let ready: ReadyKernel;
    try {
      ready = await unlessStopped(session.ready(), stop);
    } catch (error) {
      if (!last) throw error;
      const lines = died ? [died.why, stop.line || messageOf(error)] : [stop.line || messageOf(error)];
      return ended(last, lines, stateLost || died !== null);
    }
    const restarted = died ?? ready.restarted;
    if (restarted) run.onRestart({ op: 'kernel-restart', why: restarted.why, ranAgain: died !== null });
    stateLost ||= restarted !== null;
    const notes = [restarted && restartNote(restarted, died !== null), ready.note && `[${ready.note}]`].filter(Boolean);
    const { done, wasStopped, lines } = await send(run, ready.kernel, notes.join('\n') || null);
    if (done.status === 'ok' || done.status === 'error') session.completed();
    died = done.status === 'dead' ? { why: await session.left(ready.kernel) } : null;
    if (done.leaving) await session.left(ready.kernel);
    if (wasStopped) {
      const all = [...(died ? [died.why] : []), stop.line, ...lines];
      return ended(done, all, stateLost || died !== null || done.status === 'cancelled');
    }
    const end = endOf(done, session, sends);
    if (end) return { ...end, stateLost: end.stateLost || stateLost };
    last = done;
  }
}

/** Null when the cell is to be sent again: its kernel died, or skipped it. */
function endOf(done: RunDone, session: AgentSession, sends: number): CellEnd | null {
  switch (done.status) {
    case 'ok':
      return { ...ended(done, done.leaving ? [LEFT] : [], done.leaving), status: 'complete', exitCode: 0 };
    case 'error':
      return { ...ended(done, [], false), exitCode: exitCodeOf(done), failure: done.error };
    case 'dead':
      return session.closed ? ended(done, [ENDED_BY_OTHERS], true) : null;
    case 'aborted':
      return sends < SENDS_LIMIT ? null : ended(done, [SKIPPED], false);
    case 'cancelled':
      return ended(done, [ENDED_BY_OTHERS], true);
    case 'lost':
      return ended(done, [LOST], false);
  }
}

/** Runs the code once, until its end or, when the call is stopped, until it has been stopped. */
async function send(run: CellRun, kernel: Kernel, note: string | null): Promise<{ done: RunDone; wasStopped: boolean; lines: string[] }> {
  const { index, code, outputs, stop, onRunning } = run;
  const runId = randomUUID();
  const interrupt = new RunInterrupt(() => {});
  outputs.begin(index, kernel, runId, note);
  const handle: RunHandle = startRun(
    kernel,
    {
      runId,
      areaId: runId,
      code,
      silent: false,
      storeHistory: true,
      allowStdin: true,
      stopOnError: true,
      artifactFolder: null,
      untold: true,
    },
    {
      started: (executionCount) => {
        onRunning(executionCount);
        if (executionCount !== null) interrupt.begun();
      },
      // Nobody is there to type; the output says so.
      input: () => void handle.inputNothing().catch(() => {}),
    },
  );
  onRunning(null);
  try {
    const done = await Promise.race([handle.done, stopped(stop)]);
    return done ? { done, wasStopped: false, lines: [] } : { ...(await end(run, kernel, handle, interrupt)), wasStopped: true };
  } finally {
    interrupt.ended();
  }
}

/** Interrupts the code, and ends its kernel when that has no effect. */
async function end(
  { session, graceMs }: CellRun,
  kernel: Kernel,
  handle: RunHandle,
  interrupt: RunInterrupt,
): Promise<{ done: RunDone; lines: string[] }> {
  for (const share of INTERRUPTS) {
    // One that can't be sent has no effect either.
    interrupt.send(kernel).catch(() => {});
    const done = await within(graceMs * share, handle.done);
    if (done) return { done, lines: [] };
  }
  const lines: string[] = [];
  if (session.plan.mode === 'per-call') await session.close();
  else {
    try {
      await session.restart();
      lines.push('The code went on in spite of the interrupt, so the kernel was restarted. Its variables are gone.');
    } catch (error) {
      lines.push(`The code went on in spite of the interrupt, and the kernel could not be restarted: ${messageOf(error)}`);
    }
  }
  return { done: await handle.done, lines };
}

async function within<T>(limitMs: number, promise: Promise<T>): Promise<T | null> {
  let limit: NodeJS.Timeout | undefined;
  const over = new Promise<null>((resolve) => {
    limit = setTimeout(() => resolve(null), limitMs);
  });
  return Promise.race([promise, over]).finally(() => clearTimeout(limit));
}

function stopped({ signal }: Stop): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function ended({ durationMs, executionCount }: RunDone, lines: string[], stateLost: boolean): CellEnd {
  return { status: 'error', durationMs, executionCount, exitCode: null, lines, failure: null, stateLost };
}

/** 1 for an exception; what `sys.exit` was given. */
function exitCodeOf({ error }: RunDone): number {
  return error?.ename === 'SystemExit' && /^\d{1,3}$/.test(error.evalue) ? Number(error.evalue) : 1;
}

function restartNote({ why }: Restarted, again: boolean): string {
  const what = again ? 'It was restarted, and the cell was run again' : 'A fresh kernel was started';
  return `[${why} ${what}; variables from before are gone.]`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
