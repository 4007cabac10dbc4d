/**
 * Ends a kernel's process and everything it started. The hard thing is children that left the kernel's process group (IPython gives every
 * `!` command a session of its own): they are found by descent while their parents live, so the tree is read before the first signal.
 */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { listProcesses, type ProcessEntry } from './process-table.ts';

/** Between looks at whether the tree is gone. */
const POLL_MS = 20;

/** After SIGKILL only a process in an uninterruptible system call is left, and waiting longer does not help. */
const KILL_LIMIT_MS = 2_000;

/** Kernel and children get this long to end by themselves after SIGTERM. */
const TERM_LIMIT_MS = 1_000;

/** Throws for 0, 1 and the like: as a group these mean our own, or every process of the system. */
export function mustBeGroup(group: number): void {
  if (!Number.isInteger(group) || group <= 1) throw new RangeError(`${group} is no process group to be ended.`);
}

/** Pids of the tree in `table`: the kernel, its group and session, and all that descend from them. Pure. */
export function treeOf(table: readonly ProcessEntry[], root: number): number[] {
  const members = new Set<number>();
  for (const { pid, group, session } of table) if (pid === root || group === root || session === root) members.add(pid);
  for (let size = -1; size !== members.size; ) {
    size = members.size;
    for (const { pid, parent } of table) if (members.has(parent)) members.add(pid);
  }
  const zombies = new Set(table.filter((entry) => entry.zombie).map((entry) => entry.pid));
  return [...members].filter((pid) => !zombies.has(pid) && pid !== process.pid);
}

/** Signals everything in the tree of `root`, which must be a group leader; returns the pids. Never throws for a process that is gone. */
export async function signalTree(root: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<number[]> {
  mustBeGroup(root);
  if (process.platform === 'win32') {
    await taskkill(root);
    return [];
  }
  const pids = await readTree(root);
  // The group first and at once: it also reaches what was forked since the table was read.
  send(-root, signal);
  for (const pid of pids) send(pid, signal);
  return pids;
}

/** Whether there is such a process. One that has ended but was not reaped still counts. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Sends a signal to the kernel's whole group, as a terminal's Ctrl-C does. Returns false when there is nobody. */
export function signalGroup(root: number, signal: NodeJS.Signals): boolean {
  mustBeGroup(root);
  return send(process.platform === 'win32' ? root : -root, signal);
}

/** What runs of the tree now, its root included. */
export async function treeEntries(root: number): Promise<ProcessEntry[]> {
  const table = await listProcesses();
  const members = new Set(treeOf(table, root));
  return table.filter(({ pid }) => members.has(pid));
}

/** Pids of the tree as it is now. What is found while the kernel lives can be ended also after its own end has cut the descent. */
export async function readTree(root: number): Promise<number[]> {
  return treeOf(await listProcesses(), root);
}

/**
 * Ends the tree: with SIGTERM first and SIGKILL for what is left, or with SIGKILL at once. `seen` are pids read before. Resolves when
 * nothing of it runs any more, with the pids that could not be ended.
 */
export async function endTree(root: number, first: 'SIGTERM' | 'SIGKILL', seen: Iterable<number> = []): Promise<number[]> {
  mustBeGroup(root);
  const known = new Set(seen);
  const signalAll = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    for (const pid of known) send(pid, signal);
    for (const pid of await signalTree(root, signal)) known.add(pid);
  };
  if (first === 'SIGTERM') {
    await signalAll('SIGTERM');
    if ((await gone(root, known, TERM_LIMIT_MS)).length === 0) return [];
  }
  await signalAll('SIGKILL');
  return gone(root, known, KILL_LIMIT_MS);
}

/** Waits for the end of everything in the tree and of what is known of it; gives what is left when the time is over. */
async function gone(root: number, known: ReadonlySet<number>, limitMs: number): Promise<number[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const table = await listProcesses();
    const running = new Set(table.filter((entry) => !entry.zombie).map((entry) => entry.pid));
    const left = new Set([...treeOf(table, root), ...[...known].filter((pid) => running.has(pid))]);
    if (left.size === 0 || performance.now() > end) return [...left];
    await delay(POLL_MS);
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // ESRCH: it ended. EPERM: it took on another user's rights, and is not ours to end.
    return false;
  }
}

function taskkill(root: number): Promise<void> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/pid', String(root), '/T', '/F'], { windowsHide: true }, () => resolve());
  });
}
