/**
 * Room for another kernel when descriptors have run out: one for all who start kernels in this process, notebooks and agents alike. The hard part is
 * order: what is idle goes first, then every socket is closed, and only then is anything tried again.
 */
import type { Log } from '../log/log.ts';
import { type DescriptorUse, descriptorUse, isNearLimit, openFileLimit } from './direct/descriptors.ts';
import type { RpcEndpoint } from './host/rpc.ts';
import { withRoom } from './room.ts';

export class DescriptorRoom {
  readonly #host: () => Promise<RpcEndpoint>;
  readonly #log: Log;
  readonly #enders = new Set<() => Promise<unknown>>();
  #clearing: Promise<void> | null = null;

  /** `host` gives the living kernel host. */
  constructor(host: () => Promise<RpcEndpoint>, log: Log) {
    this.#host = host;
    this.#log = log;
  }

  /** `end` ends kernels that nothing needs now; it is called when descriptors have run out. Returns the function that takes it out again. */
  onShortage(end: () => Promise<unknown>): () => void {
    this.#enders.add(end);
    return () => this.#enders.delete(end);
  }

  /** Tries, and once more with room when descriptors had run out. Throws TooManyFilesError when that was not enough. */
  with<T>(attempt: () => Promise<T>, closeSockets: () => Promise<void>): Promise<T> {
    return withRoom(attempt, { make: () => this.#make(closeSockets), isScarce: () => this.#isScarce(), limit: openFileLimit });
  }

  /** Those that run out at the same time share one clearing. */
  #make(closeSockets: () => Promise<void>): Promise<void> {
    this.#clearing ??= this.#clear(closeSockets).finally(() => {
      this.#clearing = null;
    });
    return this.#clearing;
  }

  async #clear(closeSockets: () => Promise<void>): Promise<void> {
    this.#log.warn('kernels.descriptors-exhausted');
    await Promise.all([...this.#enders].map((end) => end()));
    await closeSockets();
  }

  async #isScarce(): Promise<boolean> {
    if (isNearLimit(await descriptorUse())) return true;
    const host = await this.#host();
    return isNearLimit(await host.call<DescriptorUse | null>('host.descriptors', null).catch(() => null));
  }
}
