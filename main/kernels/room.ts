/**
 * When descriptors run out while a kernel is started (SPEC section 4): make room, try once more, then say which limit it is. The hard part is to know
 * it: the error may carry its code, only name it in words, or be a kernel that is never heard of; then the count of descriptors decides.
 */
import { KernelNotFoundError, KernelStartError, KernelTimeoutError } from './errors.ts';

const WORDS = /\b(?:EMFILE|ENFILE)\b|too many open files/i;
/** Causes are followed this far; a circle of them must not be followed for ever. */
const CAUSES = 8;

/** A kernel could not be started for want of descriptors, also after idle ones were ended. */
export class TooManyFilesError extends Error {
  override name = 'TooManyFilesError';
  /** The limit of this process; null where the system doesn't say. */
  readonly limit: number | null;
  constructor(limit: number | null, options?: ErrorOptions) {
    super(
      `Too many open files: the limit is ${limit ?? 'not known'} (\`ulimit -n\`), and ending idle kernels did not make enough room for another one. ` +
        'Shut down kernels and notebooks that are not needed, or raise the limit before Cellwright is started (`ulimit -n 4096`; where the ' +
        'system refuses that, the limits of the user or the service have to be raised first).',
      options,
    );
    this.limit = limit;
  }
}

/** Whether an error says that descriptors have run out. */
export function saysExhausted(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < CAUSES && current instanceof Error; depth += 1) {
    const { code } = current as NodeJS.ErrnoException;
    if (code === 'EMFILE' || code === 'ENFILE' || WORDS.test(current.message)) return true;
    if (current instanceof KernelStartError && (current.failure === 'too-many-files' || WORDS.test(current.stderrTail))) return true;
    current = current.cause;
  }
  return false;
}

/** Whether an error may come from it without saying so: a silent wait, or a search for interpreters that could open nothing. */
export function mayBeExhausted(error: unknown): boolean {
  if (error instanceof KernelStartError) return error.failure === 'no-answer' || error.failure === 'unknown';
  return error instanceof KernelTimeoutError || error instanceof KernelNotFoundError;
}

export interface Room {
  /** Ends what is idle and closes what can be closed. Overlapping calls may join. */
  make(): Promise<void>;
  /** Whether this process or the kernel host is at its limit now. */
  isScarce(): Promise<boolean>;
  limit(): Promise<number | null>;
}

/** Tries, and once more after making room when descriptors had run out. Throws TooManyFilesError, or whatever `attempt` throws else. */
export async function withRoom<T>(attempt: () => Promise<T>, room: Room): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(await isExhausted(error, room))) throw error;
  }
  await room.make();
  try {
    return await attempt();
  } catch (error) {
    if (namesProcesses(error) || !(await isExhausted(error, room))) throw error;
    throw new TooManyFilesError(await room.limit(), { cause: error });
  }
}

/** The limit of processes shows as a spawn that fails, like that of files; its own error says what to do. */
function namesProcesses(error: unknown): boolean {
  return error instanceof Error && /\bEAGAIN\b/.test(error.message);
}

async function isExhausted(error: unknown, room: Room): Promise<boolean> {
  // Said by an attempt that made room itself: there is no more.
  if (error instanceof TooManyFilesError) return false;
  return saysExhausted(error) || (mayBeExhausted(error) && (await room.isScarce()));
}
