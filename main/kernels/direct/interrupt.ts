/**
 * Interrupt, by message or by signal. One SIGINT to the group is right for almost everything. IPython's `!command` takes it for itself: it ends the command
 * and goes on with the cell, so a loop over commands never ends. A new command after the signal is the sign of that, and only then two
 * signals are sent, the second while IPython still ends the command. A signal too many hits the kernel itself and costs the cell its reply.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { KernelInterruptError, KernelTimeoutError } from '../errors.ts';
import type { OutgoingMessage } from '../messages.ts';
import { listProcesses } from './process-table.ts';
import { isRunning, signalGroup } from './process-tree.ts';

/** IPython (pexpect) waits 50 ms before it ends the command. */
const SECOND_AFTER_MS = 15;

/** Between looks for a new command; short, because the command that is found should still run. */
const LOOK_MS = 50;

/** IPython gives a command five seconds to end. What comes later has nothing to do with this interrupt. */
const LOOK_LIMIT_MS = 6_000;

/** When the kernel saw both signals as one, the loop goes on once more. */
const PAIRS = 5;

/** For the reply to an interrupt by message; not every kernel gives one. */
const REPLY_LIMIT_MS = 2_000;

export interface Interruptible {
  pid: number;
  /** Whether its kernel is IPython's, whose `!` is meant. */
  isIPython: boolean;
  /** False once what was running at the time of the interrupt has ended. */
  stillWorks(): boolean;
}

type Request = (message: OutgoingMessage, timeoutMs: number) => Promise<Record<string, unknown>>;

/** Waits for the reply as far as it comes soon: what is sent after it finds the kernel interrupted. Throws KernelInterruptError. */
export async function interruptByMessage(request: Request): Promise<void> {
  const sent = request({ channel: 'control', type: 'interrupt_request', content: {} }, REPLY_LIMIT_MS);
  const reply: Record<string, unknown> = await sent.catch((error) => {
    if (error instanceof KernelTimeoutError) return {};
    throw error;
  });
  if (reply.status !== 'error') return;
  const reason = typeof reply.evalue === 'string' && reply.evalue !== '' ? `: ${reply.evalue}` : '';
  throw new KernelInterruptError(`The kernel could not be interrupted${reason}. Restart it to stop what runs.`);
}

/** Resolves when the signal is sent; a loop of shell commands is followed up in the background. */
export async function interruptBySignal(kernel: Interruptible): Promise<void> {
  const commands = kernel.isIPython ? await shellCommands(kernel.pid) : [];
  signalGroup(kernel.pid, 'SIGINT');
  if (commands.length > 0) void endLoop(kernel, new Set(commands));
}

/** `known` are the commands that have had their signal, or live on although their cell has ended. */
async function endLoop(kernel: Interruptible, known: Set<number>): Promise<void> {
  const end = performance.now() + LOOK_LIMIT_MS;
  for (let pairs = 0; pairs < PAIRS && performance.now() < end; ) {
    await delay(LOOK_MS, undefined, { ref: false });
    const next = kernel.stillWorks() ? (await shellCommands(kernel.pid)).find((pid) => !known.has(pid)) : undefined;
    if (!kernel.stillWorks()) return;
    if (next === undefined) continue;
    known.add(next);
    pairs += 1;
    signalGroup(kernel.pid, 'SIGINT');
    await delay(SECOND_AFTER_MS);
    if (kernel.stillWorks() && isRunning(next)) signalGroup(kernel.pid, 'SIGINT');
  }
}

/** Children of the kernel in a session of their own and on a terminal of their own, as IPython makes them. */
async function shellCommands(kernel: number): Promise<number[]> {
  const table = await listProcesses();
  return table
    .filter(({ pid, parent, group, terminal, zombie }) => parent === kernel && group === pid && terminal && !zombie)
    .map(({ pid }) => pid);
}
