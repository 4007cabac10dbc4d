/**
 * The way to kernels that the settings name, in place of the kernel manager for all who start kernels: this machine's own processes, or the
 * shared gateway. Kernels of a named server come with their spec and pass through. The hard thing is a gateway without descriptors: it is
 * ended with all that is in it, for whoever uses it, before a start is tried once more (SPEC section 4).
 */
import { KernelStartError } from '../kernels/errors.ts';
import { gatewayPython } from '../kernels/gateway/gateway-python.ts';
import { SharedGateway } from '../kernels/gateway/shared-gateway.ts';
import type { RpcEndpoint } from '../kernels/host/rpc.ts';
import type { Kernel, LaunchOptions } from '../kernels/kernel.ts';
import type { KernelManager } from '../kernels/kernel-manager.ts';
import type { Log } from '../log/log.ts';

export interface KernelTransportOptions {
  manager: KernelManager;
  /** Asked before each start: a change of the settings counts from the next kernel on. */
  isShared: () => boolean;
  /** The Python of the shared gateway that the settings name, or null. */
  python: () => string | null;
  /** For the shared gateway's files; the platform's Jupyter runtime folder when it is not given. */
  runtimeFolder?: string;
  log?: Log;
}

export class KernelTransport {
  readonly #manager: KernelManager;
  readonly #isShared: () => boolean;
  readonly #shared: SharedGateway;

  constructor({ manager, isShared, python, runtimeFolder, log }: KernelTransportOptions) {
    this.#manager = manager;
    this.#isShared = isShared;
    this.#shared = new SharedGateway({ python: () => gatewayPython(python()), runtimeFolder, log });
  }

  /** As the manager does it. Throws KernelStartError, or the signal's reason. */
  start(options: LaunchOptions): Promise<Kernel> {
    const gateway = options.gateway ?? options.spec.gateway;
    if (gateway) return this.#manager.start({ ...options, gateway });
    if (!this.#isShared()) return this.#manager.start(options);
    return this.#startShared(options);
  }

  /** As the manager does it; the shared gateway is ended where that is the way. */
  withRoom<T>(attempt: () => Promise<T>): Promise<T> {
    return this.#manager.withRoom(attempt, () => (this.#isShared() ? this.#shared.stop() : this.#manager.restartHost()));
  }

  onShortage(end: () => Promise<unknown>): () => void {
    return this.#manager.onShortage(end);
  }

  host(): Promise<RpcEndpoint> {
    return this.#manager.host();
  }

  /** Ends every kernel and leaves the gateway, which ends with its last user. */
  async close(): Promise<void> {
    await this.#manager.close();
    await this.#shared.leave();
  }

  /** A gateway at its limit answers with anything or nothing; what it has open tells. */
  async #startShared(options: LaunchOptions): Promise<Kernel> {
    try {
      return await this.#manager.start({ ...options, gateway: () => this.#shared.target() });
    } catch (cause) {
      options.signal?.throwIfAborted();
      if (!(await this.#shared.isFull())) throw cause;
      throw new KernelStartError('too-many-files', 'The shared gateway has too many files open.', 'Shut down kernels.', '', { cause });
    }
  }
}
