/**
 * One kernel that is started before anybody asks, so that the first result needs no start. It counts for nothing, belongs to nobody and is
 * the first to go when descriptors run out; it is made again only after it was taken or when another kind is wanted, never in a loop.
 */
import type { Kernel, KernelSpec, LaunchOptions } from '../../kernels/kernel.ts';
import { errorFields, type Log } from '../../log/log.ts';
import { addHelpers } from './session-start.ts';

export interface SpareKernelOptions {
  start: (options: LaunchOptions) => Promise<Kernel>;
  /** What most sessions will ask for; null while none is to be kept. */
  spec: () => Promise<KernelSpec | null>;
  /** Where it waits; it changes to the session's folder when it is taken. */
  cwd: string;
  log: Log;
}

export class SpareKernel {
  readonly #options: SpareKernelOptions;
  #kernel: Kernel | null = null;
  #warming: Promise<void> | null = null;
  /** Of the kernel that starts. */
  #starting: KernelSpec | null = null;
  readonly #over = new AbortController();

  constructor(options: SpareKernelOptions) {
    this.#options = options;
  }

  /**
   * Starts one when there is none of the wanted kind, and ends one of another. Resolves when it is ready or could not be started: a session then
   * starts its own and says why.
   */
  warm(): Promise<void> {
    if (this.#over.signal.aborted) return Promise.resolve();
    this.#warming ??= this.#warm()
      .catch((error: unknown) => this.#options.log.warn('session.no-spare', errorFields(error)))
      .finally(() => {
        this.#warming = null;
        this.#starting = null;
      });
    return this.#warming;
  }

  /**
   * The kernel with the helpers in it, when it is what the session would start; it is the session's from now on. One that starts is waited for: a
   * second one would be ready later. Throws the signal's reason.
   */
  async take(spec: KernelSpec, signal?: AbortSignal): Promise<Kernel | null> {
    if (this.#starting && isSame(this.#starting, spec)) await unlessAborted(this.#warming, signal);
    const kernel = this.#kernel;
    if (kernel?.state !== 'idle' || !isSame(kernel.spec, spec)) return null;
    this.#kernel = null;
    return kernel;
  }

  /** Ends it; there will be no other. */
  async close(): Promise<void> {
    this.#over.abort(new DOMException('No spare kernel is wanted any more.', 'AbortError'));
    await this.#warming;
    await this.#end();
  }

  async #warm(): Promise<void> {
    const { start, spec: wanted, cwd, log } = this.#options;
    const spec = await wanted();
    if (spec && this.#kernel && this.#kernel.state !== 'dead' && isSame(this.#kernel.spec, spec)) return;
    await this.#end();
    if (!spec) return;
    this.#starting = spec;
    const kernel = await start({ spec, cwd, signal: this.#over.signal });
    try {
      await addHelpers(kernel, log);
    } catch (error) {
      await kernel.shutdown();
      throw error;
    }
    this.#kernel = kernel;
  }

  async #end(): Promise<void> {
    const kernel = this.#kernel;
    this.#kernel = null;
    await kernel?.shutdown();
  }
}

function isSame(one: KernelSpec, other: KernelSpec): boolean {
  return JSON.stringify([one.argv, one.env, one.interruptMode]) === JSON.stringify([other.argv, other.env, other.interruptMode]);
}

async function unlessAborted(work: Promise<void> | null, signal?: AbortSignal): Promise<void> {
  let stop = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    stop = () => resolve();
    signal?.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, aborted]);
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
}
