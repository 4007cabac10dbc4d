/**
 * How a kernel on a server ends, seen from its connection: only by what the server says, or no longer says. Pure.
 */
import type { JupyterMessage } from '../messages.ts';

/**
 * `restarted`: it died and the server started another. `restarted-by-other`: somebody else restarted it. `dead`: the server could not start it
 * again. `gone`: the server does not have it any more. `refused`: the server has it but no longer lets us in.
 */
export type KernelEnd = 'restarted' | 'restarted-by-other' | 'dead' | 'gone' | 'refused';

const MESSAGES: Readonly<Record<KernelEnd, string>> = {
  restarted: 'The kernel ended, and the server started another in its place.',
  'restarted-by-other': 'The kernel was restarted on the server.',
  dead: 'The kernel ended, and the server could not start it again.',
  gone: 'The kernel is no longer on the server: it was shut down there, or the server was restarted.',
  refused: 'The server no longer accepts the token.',
};

export function endMessage(end: KernelEnd): string {
  return MESSAGES[end];
}

/** What a message says about the kernel's end. `kernelSession` names the kernel's process, as far as it is known; `ourSession` is our own. */
export function endIn(message: JupyterMessage, kernelSession: string | null, ourSession: string): KernelEnd | null {
  const { channel, header, content } = message;
  const type: string = header.msg_type;
  // Only the server says these states, in messages of its own.
  if (channel === 'iopub' && type === 'status' && content.execution_state === 'restarting') return 'restarted';
  if (channel === 'iopub' && type === 'status' && content.execution_state === 'dead') return 'dead';
  // A kernel that is asked to end tells everybody. We never ask while we listen.
  if (channel === 'iopub' && type === 'shutdown_reply') return content.restart === true ? 'restarted-by-other' : 'gone';
  const session = sessionOf(message, ourSession);
  return session !== null && kernelSession !== null && session !== kernelSession ? 'restarted-by-other' : null;
}

/** The session id that a kernel's process gives itself, from an answer to us; null for other messages and for kernels that repeat ours. */
export function sessionOf({ channel, header, parent_header }: JupyterMessage, ourSession: string): string | null {
  if (channel === 'iopub' || parent_header.session !== ourSession || !header.session || header.session === ourSession) return null;
  return header.session;
}
