/**
 * Interrupt, by message or by signal. One SIGINT to the group is right for almost everything. IPython's `!command` takes it for itself: it ends the command
 * and goes on with the cell, or drops it while it clears up after one, so a loop over commands never ends. A new command after the signal is
 * the sign of that, and only then two signals are sent, the second while IPython still deals with the first. A signal too many hits the
 * kernel itself and costs the cell its reply, or ends commands with which code clears up after its interrupt.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { KernelInterruptError, KernelTimeoutError } from '../errors.ts';
import type { OutgoingMessage } from '../messages.ts';
import { endTree, signalGroup } from './process-tree.ts';
import { isPending, LOOK_MS, type ShellCommand, secondsNow, shellCommands } from './shell-commands.ts';

/** Earlier than this IPython (pexpect) may not know its child yet: the cell would end, and the command live on. */
const FIRST_AFTER_MS = 20;

/**
 * After the kernel has taken the first. IPython (pexpect) waits 50 ms before it ends a command, and what it drops it has dropped by then, with the next
 * command not begun.
 */
const SECOND_AFTER_MS = 3;

/** For the kernel to take a signal. */
const TAKE_LIMIT_MS = 1_000;

/** A command that began this shortly before a signal may still have been on its way into the world. */
const YOUNG_S = 0.03;

/** By then IPython has ended such a command, if it knows of the signal. */
const SPARE_MS = 300;

/** IPython gives a command five seconds to end. What comes later has nothing to do with the signal before. */
const LOOK_LIMIT_MS = 6_000;

/** Signals that met the kernel at a bad moment: the loop goes on once more for each. One in twenty loops outlives ten. */
const PAIRS = 40;

/** For the reply to an interrupt by message; not every kernel gives one. */
const REPLY_LIMIT_MS = 2_000;

export interface Interruptible {
  pid: number;
  /** Whether its kernel is IPython's, whose `!` is meant. */
  isIPython: boolean;
  /** False once what was running at the time of the interrupt has ended, or is interrupted anew. */
  stillWorks(): boolean;
}

type Request = (message: OutgoingMessage, timeoutMs: number) => Promise<Record<string, unknown>>;
type Look = typeof shellCommands;

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

/** Resolves when the signal is sent; a loop of shell commands is followed up in the background. `look` tells the commands that run. */
export async function interruptBySignal(kernel: Interruptible, look: Look = shellCommands): Promise<void> {
  const before = kernel.isIPython ? await look(kernel.pid) : [];
  const sentAt = secondsNow();
  signalGroup(kernel.pid, 'SIGINT');
  if (kernel.isIPython) void endLoop(kernel, before, sentAt, look);
}

async function endLoop(kernel: Interruptible, before: readonly ShellCommand[], sentAt: number, look: Look): Promise<void> {
  const spareUntil = performance.now() + SPARE_MS;
  const waitedUntil = await taken(kernel.pid, sentAt);
  const met = commandsMet(before, sentAt, await look(kernel.pid), waitedUntil);
  const known = new Set(met.all);
  // When none met the signal, a new one may be what code does after KeyboardInterrupt. A second one is a loop that went on.
  let toSpare = known.size > 0 ? 0 : 1;
  const signalled: number[] = [];
  let end = performance.now() + LOOK_LIMIT_MS;
  for (let pairs = 0; pairs < PAIRS && performance.now() < end && kernel.stillWorks(); ) {
    await delay(LOOK_MS, undefined, { ref: false });
    if (performance.now() > spareUntil) for (const pid of met.young) if (!signalled.includes(pid)) known.delete(pid);
    const next = (await look(kernel.pid)).find(({ pid }) => !known.has(pid));
    if (next === undefined) continue;
    known.add(next.pid);
    if (toSpare > 0) {
      toSpare -= 1;
      continue;
    }
    pairs += 1;
    signalled.push(next.pid);
    await signalTwice(kernel);
    end = performance.now() + LOOK_LIMIT_MS;
  }
  // IPython ends none that it does not know yet, and none that it was ending when the second signal came.
  const lost = [...signalled, ...met.young];
  for (const { pid } of await look(kernel.pid)) if (lost.includes(pid)) await endTree(pid, 'SIGTERM');
}

/**
 * Pids of the commands that ran when the signal came, those included that live on although their cell has ended. The young ones may not have
 * had it: Python drops an interrupt that comes while it forks. A command of the very moment, which the clock can't place, counts as later.
 */
function commandsMet(
  before: readonly ShellCommand[],
  sentAt: number,
  after: readonly ShellCommand[],
  waitedUntil: number,
): { all: number[]; young: number[] } {
  const all = new Set(before.map(({ pid }) => pid));
  const young: number[] = [];
  for (const { pid, startedAt } of after) {
    if (startedAt === null ? !all.has(pid) : startedAt >= sentAt - YOUNG_S && startedAt < waitedUntil) young.push(pid);
    if (startedAt === null || startedAt < waitedUntil) all.add(pid);
  }
  return { all: [...all], young };
}

async function signalTwice(kernel: Interruptible): Promise<void> {
  await delay(FIRST_AFTER_MS);
  if (!kernel.stillWorks()) return;
  signalGroup(kernel.pid, 'SIGINT');
  await taken(kernel.pid, secondsNow());
  await delay(SECOND_AFTER_MS);
  if (kernel.stillWorks()) signalGroup(kernel.pid, 'SIGINT');
}

/**
 * Waits until the kernel has taken a signal: on a loaded machine it may not even run yet when the next one comes, and would see both as one. The answer is
 * until when it had not for sure: what begins later may be the work of the code that the signal has reached, however late this side looks.
 */
async function taken(pid: number, sentAt: number): Promise<number> {
  let waitedUntil = sentAt;
  for (const limit = performance.now() + TAKE_LIMIT_MS; (await isPending(pid)) && performance.now() < limit; ) {
    waitedUntil = secondsNow();
    await delay(LOOK_MS);
  }
  return waitedUntil;
}
