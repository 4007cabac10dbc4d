/**
 * The restart that a Jupyter server makes by itself when a kernel ends. The hard thing is that it says so before it does it: a restart that is asked
 * for meanwhile makes a second process, and both want the same ports. So ours waits for the server's, and takes what it started.
 */
import { errorFields, type Log } from '../../log/log.ts';
import { KernelDeadError } from '../errors.ts';
import type { InfoReply } from '../messages.ts';
import type { KernelEnd } from './kernel-end.ts';

/** A server tries again when its own restart fails: after this many times without a kernel it is left to a restart of ours. */
const ATTEMPTS = 3;

/** Later somebody else may have run code in what the server started. */
const FRESH_MS = 10_000;

interface TakeOptions {
  /** Connects to the kernel; throws KernelDeadError when it ended again. */
  attach: () => Promise<InfoReply>;
  signal: AbortSignal;
  log: Log;
}

export class ServerRestart {
  #saidAt: number | null = null;

  /** Whether the server said that it starts another process, and nobody has taken it yet. */
  get isExpected(): boolean {
    return this.#saidAt !== null;
  }

  heard(end: KernelEnd): void {
    this.#saidAt = end === 'restarted' ? performance.now() : null;
  }

  /** Waits until the server's restart is over. Null when it brought no kernel, or one that may have variables. Throws the signal's reason. */
  async take(ours: boolean, { attach, signal, log }: TakeOptions): Promise<InfoReply | null> {
    const isFresh = ours && this.#saidAt !== null && performance.now() - this.#saidAt < FRESH_MS;
    this.#saidAt = null;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        const info = await attach();
        return isFresh ? info : null;
      } catch (error) {
        signal.throwIfAborted();
        log.info('gateway.no-replacement', { attempt, ...errorFields(error) });
        if (!(error instanceof KernelDeadError)) break;
      }
    }
    return null;
  }
}
