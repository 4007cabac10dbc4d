/** The one end that a whole call may meet from outside: its time is over or somebody cancelled it, whichever comes first. */

export type StopReason = 'timeout' | 'cancelled';

/** What a wait throws that the end of the call cut short. */
export class Stopped extends Error {
  override name = 'Stopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(reason === 'timeout' ? 'The time of the call is over.' : 'The call was cancelled.');
    this.reason = reason;
  }
}

export interface Stop {
  readonly signal: AbortSignal;
  /** Null as long as nothing has stopped the call. */
  readonly reason: StopReason | null;
  /** What is said about it; empty as long as nothing has stopped the call. */
  readonly line: string;
  /** The call is over: lets its timer go. */
  end(): void;
}

export function startStop(timeoutSeconds: number, cancel?: AbortSignal): Stop {
  const controller = new AbortController();
  let reason: StopReason | null = null;
  const stop = (why: StopReason): void => {
    reason ??= why;
    controller.abort(new Stopped(reason));
  };
  const cancelled = (): void => stop('cancelled');
  const timer = setTimeout(() => stop('timeout'), timeoutSeconds * 1000);
  if (cancel?.aborted) cancelled();
  cancel?.addEventListener('abort', cancelled, { once: true });
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    get line() {
      if (reason === null) return '';
      return reason === 'timeout' ? `Command timed out after ${timeoutSeconds} seconds` : 'Cancelled.';
    },
    end: () => {
      clearTimeout(timer);
      cancel?.removeEventListener('abort', cancelled);
    },
  };
}

/** The promise's outcome, or Stopped as soon as the call is stopped; the promise then goes on by itself. */
export function unlessStopped<T>(promise: Promise<T>, { signal }: Stop): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stopped = (): void => reject(signal.reason);
    if (signal.aborted) stopped();
    signal.addEventListener('abort', stopped, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopped));
  });
}
