/**
 * One kernel that is started before anybody asks, so that the first result needs no start. It counts for nothing, belongs to nobody and is
 * the first to go when descriptors run out; it is made again only after it was taken, never in a loop.
 */
import type { Kernel, KernelSpec, LaunchOptions } from '../../kernels/kernel.ts';
import { errorFields, type Log } from '../../log/log.ts';
import { addHelpers } from './session-start.ts';

export interface SpareKernelOptions {
  start: (options: LaunchOptions) => Promise<Kernel>;
  /** What most sessions will ask for. */
  spec: () => Promise<KernelSpec>;
  /** Where it waits; it changes to the session's folder when it is taken. */
  cwd: string;
  log: Log;
}

export class SpareKernel {
  readonly #options: SpareKernelOptions;
  #kernel: Kernel | null = null;
  #warming: Promise<void> | null = null;
  readonly #over = new AbortController();

  constructor(options: SpareKernelOptions) {
    this.#options = options;
  }

  /** Starts one when there is none. Resolves when it is ready or could not be started: a session then starts its own and says why. */
  warm(): Promise<void> {
    if (this.#over.signal.aborted || (this.#kernel && this.#kernel.state !== 'dead')) return Promise.resolve();
    this.#warming ??= this.#warm()
      .catch((error: unknown) => this.#options.log.warn('session.no-spare', errorFields(error)))
      .finally(() => {
        this.#warming = null;
      });
    return this.#warming;
  }

  /** The kernel with the helpers in it, when it is what the session would start; it is the session's from now on. */
  take(spec: KernelSpec): Kernel | null {
    const kernel = this.#kernel;
    if (kernel?.state !== 'idle' || !isSame(kernel.spec, spec)) return null;
    this.#kernel = null;
    return kernel;
  }

  /** Ends it; there will be no other. */
  async close(): Promise<void> {
    this.#over.abort(new DOMException('No spare kernel is wanted any more.', 'AbortError'));
    await this.#warming;
    const kernel = this.#kernel;
    this.#kernel = null;
    await kernel?.shutdown();
  }

  async #warm(): Promise<void> {
    await this.#kernel?.shutdown();
    this.#kernel = null;
    const { start, spec, cwd, log } = this.#options;
    const kernel = await start({ spec: await spec(), cwd, signal: this.#over.signal });
    try {
      await addHelpers(kernel, log);
    } catch (error) {
      await kernel.shutdown();
      throw error;
    }
    this.#kernel = kernel;
  }
}

function isSame(one: KernelSpec, other: KernelSpec): boolean {
  return JSON.stringify([one.argv, one.env, one.interruptMode]) === JSON.stringify([other.argv, other.env, other.interruptMode]);
}
