/**
 * The `!` commands of an IPython kernel that run now: children in a session and on a terminal of their own. A command of a fast loop lives for a
 * few milliseconds, so on Linux only the kernel's own children are looked at, and their start says on which side of a signal they began.
 */
import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { listProcesses, type ProcessEntry, parseStat } from './process-table.ts';

export interface ShellCommand {
  pid: number;
  /** Seconds since boot, in the steps of `secondsNow`; null where the system does not say. */
  startedAt: number | null;
}

/** Between looks for a new command. Elsewhere than on Linux one look is a process of its own. */
export const LOOK_MS = process.platform === 'linux' ? 2 : 50;

/** Linux counts the start of processes in hundredths of a second, whatever its own clock. */
const TICKS_PER_SECOND = 100;

/** Bit of SIGINT in the masks of /proc. */
const SIGINT_BIT = 2n;

/** The clock of `startedAt`. */
export function secondsNow(): number {
  return Math.floor(uptime() * TICKS_PER_SECOND) / TICKS_PER_SECOND;
}

/** Empty when the kernel is gone or the system has no descriptor left to tell. */
export async function shellCommands(kernel: number): Promise<ShellCommand[]> {
  const children = await childrenOf(kernel);
  if (children) return (await Promise.all(children.map((pid) => commandOf(pid, kernel)))).flat();
  const table = await listProcesses().catch(() => []);
  return table.filter((entry) => isCommand(entry, kernel)).map(({ pid }) => ({ pid, startedAt: null }));
}

/** Whether a SIGINT is still to be delivered to the process. False where the system does not say. */
export async function isPending(pid: number): Promise<boolean> {
  const status = process.platform === 'linux' ? await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '') : '';
  const mask = /^ShdPnd:\s*([0-9a-f]+)/m.exec(status)?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & SIGINT_BIT) !== 0n;
}

/** What its main thread has forked, which is the thread that a signal interrupts. Null where the system does not say. */
async function childrenOf(kernel: number): Promise<number[] | null> {
  if (process.platform !== 'linux') return null;
  const text = await readFile(`/proc/${kernel}/task/${kernel}/children`, 'utf8').catch(() => null);
  return text === null ? null : text.split(' ').filter(Boolean).map(Number);
}

async function commandOf(pid: number, kernel: number): Promise<ShellCommand[]> {
  const stat = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
  return stat && isCommand(stat.entry, kernel) ? [{ pid, startedAt: Number(stat.start) / TICKS_PER_SECOND }] : [];
}

function isCommand({ pid, parent, group, terminal }: ProcessEntry, kernel: number): boolean {
  return parent === kernel && group === pid && terminal;
}
