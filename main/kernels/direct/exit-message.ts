/**
 * How a kernel ended, in one sentence for the person, with what was ended after it: workers that would keep their memory for ever. Pure.
 */
import type { ProcessExit } from './launch.ts';
import { type NamedProcess, processNames } from './process-names.ts';

/** What the usual signals mean for someone who looks at a notebook. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGKILL: 'killed by signal 9, perhaps out of memory',
  SIGSEGV: 'it crashed in native code (signal 11, segmentation fault)',
  SIGBUS: 'it crashed in native code (signal 7, bus error)',
  SIGABRT: 'it aborted in native code (signal 6)',
  SIGFPE: 'it crashed in native code (signal 8, arithmetic error)',
  SIGILL: 'it used an instruction that this processor does not have (signal 4)',
  SIGTERM: 'another program asked it to end (signal 15)',
  SIGHUP: 'its terminal was closed (signal 1)',
};

/** Windows' codes for an access violation and a stack overflow. */
const WINDOWS_CODES: Readonly<Record<number, string>> = {
  3221225477: 'it crashed in native code (access violation)',
  3221225725: 'it crashed in native code (stack overflow)',
};

/** With less than this memory was hardly the reason. */
const NOTABLE_BYTES = 256e6;

/** What is known of a kernel's last moments. */
interface LastMoments {
  /** Processes that it had started, which were running after its end and were ended for that. */
  left?: readonly NamedProcess[];
  /** The most memory it was seen with, in bytes. */
  peakBytes?: number | null;
}

export function exitMessage(
  exit: ProcessExit,
  why: 'unexpected' | 'shutdown' | 'restart',
  { left = [], peakBytes = null }: LastMoments = {},
): string {
  if (why === 'shutdown') return 'The kernel was shut down.';
  if (why === 'restart') return 'The kernel was restarted.';
  return `${endOf(exit)}${memoryOf(exit, peakBytes)}${afterIt(left)}.`;
}

function endOf({ code, signal }: ProcessExit): string {
  if (signal) return `The kernel ended: ${SIGNALS[signal] ?? `killed by ${signal}`}`;
  if (code === 0) return 'The kernel ended by itself, without an error';
  return `The kernel ended: ${WINDOWS_CODES[code ?? 0] ?? `it left with code ${code}`}`;
}

/** As in `; its memory had reached 1.9 GB`. */
function memoryOf({ signal }: ProcessExit, bytes: number | null): string {
  if (signal !== 'SIGKILL' || bytes === null || bytes < NOTABLE_BYTES) return '';
  return `; its memory had reached ${bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`}`;
}

/** As in `; 3 processes that it had started were ended after it (python 12, 13; sleep 14)`. */
function afterIt(left: readonly NamedProcess[]): string {
  if (left.length === 0) return '';
  const what = left.length === 1 ? '1 process that it had started was' : `${left.length} processes that it had started were`;
  return `; ${what} ended after it (${processNames(left)})`;
}
