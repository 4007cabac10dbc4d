/**
 * What can go wrong with a kernel, as types. Every message ends in what the user can do. Errors cross the border to the kernel host by
 * name only, so `fromHost` makes the typed error again on main's side.
 */
import { GatewayError, type GatewayFault } from './gateway/gateway-errors.ts';
import { HostGoneError, RemoteError } from './host/rpc.ts';

/** Known reasons for a start that failed; `unknown` leaves the kernel's own stderr to speak. */
export type StartFailure =
  | 'no-program'
  | 'no-folder'
  | 'permission'
  | 'wrong-architecture'
  | 'no-ipykernel'
  | 'missing-module'
  | 'shadowed-module'
  | 'broken-python'
  | 'missing-library'
  | 'port-taken'
  | 'too-many-files'
  | 'no-space'
  | 'killed'
  | 'no-answer'
  | 'gateway'
  | 'unknown';

/** The kernel did not come up. `stderrTail` is the last part of what it said itself, `hint` what to do. */
export class KernelStartError extends Error {
  override name = 'KernelStartError';
  readonly failure: StartFailure;
  readonly stderrTail: string;
  readonly hint: string;
  constructor(failure: StartFailure, message: string, hint: string, stderrTail = '', options?: ErrorOptions) {
    super(hint === '' ? message : `${message} ${hint}`, options);
    this.failure = failure;
    this.hint = hint;
    this.stderrTail = stderrTail;
  }
}

/** The kernel's process is gone; nothing sent to it can be answered. */
export class KernelDeadError extends Error {
  override name = 'KernelDeadError';
}

/** The kernel lives as far as is known, but did not answer in the time given. */
export class KernelTimeoutError extends Error {
  override name = 'KernelTimeoutError';
}

/** The kernel can't be interrupted, or said that it failed to. */
export class KernelInterruptError extends Error {
  override name = 'KernelInterruptError';
}

/** No kernel fits the notebook. `hint` says which command makes one. */
export class KernelNotFoundError extends Error {
  override name = 'KernelNotFoundError';
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(`${message} ${hint}`);
    this.hint = hint;
  }
}

/** The connection was closed on this side: by a detach, a restart or the end of the kernel. */
export class ConnectionClosedError extends Error {
  override name = 'ConnectionClosedError';
}

/** The typed error for one that came from the kernel host; others pass unchanged. A closed connection means the kernel ended. */
export function fromHost(error: unknown): unknown {
  if (!(error instanceof RemoteError)) return error;
  if (error.kind === 'KernelTimeoutError') return new KernelTimeoutError(error.message, { cause: error });
  if (error.kind === 'ConnectionClosedError' || error.kind === 'KernelDeadError')
    return new KernelDeadError(error.message, { cause: error });
  if (error.kind === 'GatewayError') return new GatewayError(error.code as GatewayFault, error.message, '', { cause: error });
  return error;
}

/** Whether an error only says that the host died, which the manager mends by itself. */
export function isHostGone(error: unknown): boolean {
  return error instanceof HostGoneError;
}
