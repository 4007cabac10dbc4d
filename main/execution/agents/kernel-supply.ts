/**
 * Where agents' kernels come from: the spare one, or a new one on this machine or a gateway. When descriptors have run out, what is idle here is
 * the first to go.
 */
import os from 'node:os';
import type { Kernel, KernelSpec, LaunchOptions } from '../../kernels/kernel.ts';
import type { KernelManager } from '../../kernels/kernel-manager.ts';
import type { Log } from '../../log/log.ts';
import { SpareKernel } from './spare-kernel.ts';

export interface KernelSource {
  kernels: Pick<KernelManager, 'start' | 'withRoom' | 'onShortage'>;
  /** The Jupyter server that runs the kernels, instead of this machine. */
  gateway?: LaunchOptions['gateway'];
  /** Keeps one kernel of this kind ready. */
  spare?: () => Promise<KernelSpec>;
}

export class KernelSupply {
  readonly #source: KernelSource;
  readonly #spare: SpareKernel | null;
  readonly #stopListening: () => void;

  /** `endIdle` ends every session that nothing needs now. */
  constructor(source: KernelSource, endIdle: () => Promise<void>, log: Log) {
    this.#source = source;
    this.#spare = source.spare
      ? new SpareKernel({ start: (options) => this.#start(options), spec: source.spare, cwd: os.tmpdir(), log })
      : null;
    // From then on a spare would only be in the way.
    this.#stopListening = source.kernels.onShortage(() => Promise.all([endIdle(), this.#spare?.close()]));
  }

  /** A kernel of the session's own from now on. `hasHelpers` when the prelude is in it. Throws KernelStartError, or the signal's reason. */
  async get(options: LaunchOptions): Promise<{ kernel: Kernel; hasHelpers: boolean }> {
    const spare = this.#spare?.take(options.spec);
    return spare ? { kernel: spare, hasHelpers: true } : { kernel: await this.#start(options), hasHelpers: false };
  }

  /** Tries, and once more with room when descriptors had run out. Throws TooManyFilesError when that was not enough. */
  withRoom<T>(attempt: () => Promise<T>): Promise<T> {
    return this.#source.kernels.withRoom(attempt);
  }

  /** Makes the spare kernel when there is to be one and there is none. */
  async warm(): Promise<void> {
    await this.#spare?.warm();
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#spare?.close();
  }

  #start(options: LaunchOptions): Promise<Kernel> {
    const { kernels, gateway } = this.#source;
    return kernels.start(gateway ? { ...options, gateway } : options);
  }
}
