/**
 * Where agents' kernels come from: the spare one, or a new one on this machine or a gateway; and room for another when descriptors have run out.
 * The hard part of the room is order: what is idle goes first, then every socket is closed, and only then is anything tried again.
 */
import os from 'node:os';
import { type DescriptorUse, descriptorUse, isNearLimit, openFileLimit } from '../../kernels/direct/descriptors.ts';
import type { Kernel, KernelSpec, LaunchOptions } from '../../kernels/kernel.ts';
import type { KernelManager } from '../../kernels/kernel-manager.ts';
import type { Log } from '../../log/log.ts';
import { type Room, withRoom } from './exhaustion.ts';
import { SpareKernel } from './spare-kernel.ts';

export interface KernelSource {
  kernels: Pick<KernelManager, 'start' | 'restartHost' | 'host'>;
  /** The Jupyter server that runs the kernels, instead of this machine. */
  gateway?: LaunchOptions['gateway'];
  /** With a gateway of our own: ends it when descriptors have run out, in place of restarting the kernel host. */
  endGateway?: () => Promise<void>;
  /** Keeps one kernel of this kind ready. */
  spare?: () => Promise<KernelSpec>;
}

export class KernelSupply {
  readonly #source: KernelSource;
  readonly #log: Log;
  readonly #endIdle: () => Promise<void>;
  readonly #spare: SpareKernel | null;
  readonly #room: Room;
  #clearing: Promise<void> | null = null;

  /** `endIdle` ends every session that nothing needs now. */
  constructor(source: KernelSource, endIdle: () => Promise<void>, log: Log) {
    this.#source = source;
    this.#log = log;
    this.#endIdle = endIdle;
    this.#spare = source.spare
      ? new SpareKernel({ start: (options) => this.#start(options), spec: source.spare, cwd: os.tmpdir(), log })
      : null;
    this.#room = { make: () => this.#makeRoom(), isScarce: () => this.#isScarce(), limit: openFileLimit };
  }

  /** A kernel of the session's own from now on. `hasHelpers` when the prelude is in it. Throws KernelStartError, or the signal's reason. */
  async get(options: LaunchOptions): Promise<{ kernel: Kernel; hasHelpers: boolean }> {
    const spare = this.#spare?.take(options.spec);
    return spare ? { kernel: spare, hasHelpers: true } : { kernel: await this.#start(options), hasHelpers: false };
  }

  /** Tries, and once more with room when descriptors had run out. Throws TooManyFilesError when that was not enough. */
  withRoom<T>(attempt: () => Promise<T>): Promise<T> {
    return withRoom(attempt, this.#room);
  }

  /** Makes the spare kernel when there is to be one and there is none. */
  async warm(): Promise<void> {
    await this.#spare?.warm();
  }

  async close(): Promise<void> {
    await this.#spare?.close();
  }

  #start(options: LaunchOptions): Promise<Kernel> {
    const { kernels, gateway } = this.#source;
    return kernels.start(gateway ? { ...options, gateway } : options);
  }

  /** Sessions that run out at the same time share one clearing. */
  #makeRoom(): Promise<void> {
    this.#clearing ??= this.#clear().finally(() => {
      this.#clearing = null;
    });
    return this.#clearing;
  }

  async #clear(): Promise<void> {
    this.#log.warn('session.descriptors-exhausted');
    // From now on a spare would only be in the way.
    await Promise.all([this.#endIdle(), this.#spare?.close()]);
    await (this.#source.endGateway?.() ?? this.#source.kernels.restartHost());
  }

  async #isScarce(): Promise<boolean> {
    if (isNearLimit(await descriptorUse())) return true;
    const host = await this.#source.kernels.host();
    return isNearLimit(await host.call<DescriptorUse | null>('agent.descriptors', null).catch(() => null));
  }
}
