/**
 * Waiting for a kernel that was just started. Whatever comes first counts: it is ready, its process ends, it says that it can't listen, the
 * caller gives up, or the time is over. ipykernel may hang after a bind that failed, so its word has to be enough.
 */
import { KernelDeadError, KernelStartError, KernelTimeoutError } from '../errors.ts';
import type { InfoReply } from '../messages.ts';
import { failedStart, type RunningKernel } from './running-kernel.ts';

/** `attach` connects and shakes hands. Throws KernelStartError, or the signal's reason. */
export async function firstContact(running: RunningKernel, attach: () => Promise<InfoReply>, signal: AbortSignal): Promise<InfoReply> {
  signal.throwIfAborted();
  const { exited, said } = running.process;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  const died = exited.then((exit) => Promise.reject(failedStart(running, exit)));
  const refused = said(bindFailure(running)).then(() => Promise.reject(failedStart(running, null)));
  try {
    return await Promise.race([attach(), died, refused, aborted]);
  } catch (error) {
    throw await startFailure(running, error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The kernel's own report that one of its ports was taken meanwhile. */
function bindFailure({ connection }: RunningKernel): RegExp {
  const { shell_port, iopub_port, stdin_port, control_port, hb_port } = connection;
  return new RegExp(`Address already in use.*:(${[shell_port, iopub_port, stdin_port, control_port, hb_port].join('|')})\\b`);
}

async function startFailure(running: RunningKernel, error: unknown): Promise<unknown> {
  const { exited, exit, stderrTail } = running.process;
  // The end of the process showed at the connection first.
  if (error instanceof KernelDeadError && exit) return failedStart(running, await exited);
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EMFILE' || code === 'ENFILE') return failedStart(running, null, code);
  if (!(error instanceof KernelTimeoutError)) return error;
  const known = failedStart(running, null);
  if (known.failure !== 'unknown') return known;
  const hint = 'Start it again, or choose another kernel; its own output may say more.';
  return new KernelStartError('no-answer', error.message, hint, stderrTail(), { cause: error });
}
