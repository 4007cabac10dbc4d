/**
 * How a kernel ended, in one sentence for the person. Pure.
 */
import type { ProcessExit } from './launch.ts';

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

export function exitMessage({ code, signal }: ProcessExit, why: 'unexpected' | 'shutdown' | 'restart'): string {
  if (why === 'shutdown') return 'The kernel was shut down.';
  if (why === 'restart') return 'The kernel was restarted.';
  if (signal) return `The kernel ended: ${SIGNALS[signal] ?? `killed by ${signal}`}.`;
  if (code === 0) return 'The kernel ended by itself, without an error.';
  return `The kernel ended: ${WINDOWS_CODES[code ?? 0] ?? `it left with code ${code}`}.`;
}
