/**
 * What has to hold after a fault: the cell's result is whole, or its output is the beginning of it and the words say why; and the session goes
 * on as if nothing had been.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunSummary } from '../../../main/execution/run-queue.ts';
import type { Kernel } from '../../../main/kernels/kernel.ts';
import type { Ground, Scene } from './ground.ts';
import type { Outcome } from './tries.ts';

export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Polls; the limit of the try ends it otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

/** The pid of the scene's kernel while it starts: the session knows its kernel only once it is ready. */
export async function startingPid({ manager }: Ground): Promise<{ kernel: Kernel; pid: number }> {
  for (;;) {
    for (const kernel of manager.kernels.values())
      if (kernel.state === 'starting' && kernel.pid !== null) return { kernel, pid: kernel.pid };
    await delay(2);
  }
}

export function kill(pid: number | null | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (!pid) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A kill that comes after the end of a run is not known of yet: what is run next would meet it. */
export async function deathKnown({ session: { kernel } }: Scene, pid: number | null | undefined): Promise<void> {
  await until(() => kernel === null || kernel.state === 'dead' || (kernel.pid !== null && kernel.pid !== pid));
}

/** Numbers on lines of their own, each flushed: what has come of them shows where they were cut. */
export function counting(count: number, pauseSeconds = 0.002): { code: string; text: string } {
  return {
    code: `import time\nfor n in range(${count}):\n  print(n, flush=True)\n  time.sleep(${pauseSeconds})`,
    text: Array.from({ length: count }, (_, n) => `${n}\n`).join(''),
  };
}

export interface Expected {
  key: string;
  /** The whole output. */
  text: string;
  /** What the session's words may be when the result is not whole. */
  words: RegExp;
  /** Some of the output may be missing, in one place, when it says so. */
  mayMiss?: boolean;
}

/** What a cell says in place of what is missing. */
const MISSING = '[The connection to the kernel broke while this ran. Output of that moment may be missing.]\n';

/** Judges one cell's run. Throws when it is neither right nor told exactly. */
export function judge({ session, notebook }: Scene, summary: RunSummary, { key, text, words, mayMiss = false }: Expected): Outcome {
  const told = notebook.text(key);
  const shown = mayMiss ? told.replaceAll(MISSING, '') : told;
  const { state, message, queued } = session.kernelView();
  if (summary.status === 'ok') {
    const says = told !== shown;
    must(says ? isPart(shown, text) : shown === text, `The run is ok, but its output is ${quoted(told)}.`);
    return says ? 'error' : 'right';
  }
  must(text.startsWith(shown) || /^[0-9\n]*$/.test(shown), `The output ${quoted(shown)} is not the beginning of ${quoted(text)}.`);
  must(words.test(message ?? ''), `The words are ${quoted(message ?? '')}, the run ended ${summary.status}, the kernel is ${state}.`);
  must(queued === 0, `${queued} cells are still queued.`);
  return 'error';
}

/** Whether `shown` is `text` without some of its lines. */
function isPart(shown: string, text: string): boolean {
  const whole = text.split('\n');
  let next = 0;
  return shown.split('\n').every((line) => {
    next = whole.indexOf(line, next) + 1;
    return next > 0;
  });
}

/** The session runs code as ever, in a new kernel where the old one is gone. */
export async function stillWorks({ session, notebook }: Scene): Promise<void> {
  const key = notebook.code('print(6 * 7)');
  const { status } = await session.runCells([key]);
  must(status === 'ok', `The next run ended ${status}: ${session.kernelView().message}`);
  must(notebook.text(key) === '42\n', `The next run gave ${quoted(notebook.text(key))}.`);
  must(session.kernelView().message === null, `There are still words: ${session.kernelView().message}`);
}

/** Runs one cell to its end and gives its text. */
export async function output(
  { session, notebook }: Scene,
  code: string,
): Promise<{ status: RunSummary['status']; text: string; key: string }> {
  const key = notebook.code(code);
  const { status } = await session.runCells([key]);
  return { status, text: notebook.text(key), key };
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 200)} … ${text.slice(-80)}` : text);
}
