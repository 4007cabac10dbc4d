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
  /**
   * Keeps one kernel of this kind ready; null for none. Asked whenever there may be need of another. `last` is what a session asked for last. Only
   * kernels of this machine are kept: nobody waits at a server's expense.
   */
  spare?: (last: KernelSpec | null) => Promise<KernelSpec | null>;
}

export class KernelSupply {
  readonly #source: KernelSource;
  readonly #spare: SpareKernel | null;
  readonly #stopListening: () => void;
  #last: KernelSpec | null = null;

  /** `endIdle` ends every session that nothing needs now. */
  constructor(source: KernelSource, endIdle: () => Promise<void>, log: Log) {
    this.#source = source;
    const { spare } = source;
    this.#spare = spare
      ? new SpareKernel({ start: (options) => this.#start(options), spec: () => this.#wanted(spare), cwd: os.tmpdir(), log })
      : null;
    // From then on a spare would only be in the way.
    this.#stopListening = source.kernels.onShortage(() => Promise.all([endIdle(), this.#spare?.close()]));
  }

  /** A kernel of the session's own from now on. `hasHelpers` when the prelude is in it. Throws KernelStartError, or the signal's reason. */
  async get(options: LaunchOptions): Promise<{ kernel: Kernel; hasHelpers: boolean }> {
    this.#last = options.spec;
    const spare = await this.#spare?.take(options.spec, options.signal);
    return spare ? { kernel: spare, hasHelpers: true } : { kernel: await this.#start(options), hasHelpers: false };
  }

  /** Tries, and once more with room when descriptors had run out. Throws TooManyFilesError when that was not enough. */
  withRoom<T>(attempt: () => Promise<T>): Promise<T> {
    return this.#source.kernels.withRoom(attempt);
  }

  /** Sees to it that there is the spare kernel that is wanted now, or none. */
  async warm(): Promise<void> {
    await this.#spare?.warm();
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#spare?.close();
  }

  async #wanted(spare: NonNullable<KernelSource['spare']>): Promise<KernelSpec | null> {
    const spec = await spare(this.#last);
    return spec?.gateway || this.#source.gateway ? null : spec;
  }

  #start(options: LaunchOptions): Promise<Kernel> {
    const { kernels, gateway } = this.#source;
    return kernels.start(gateway ? { ...options, gateway } : options);
  }
}
