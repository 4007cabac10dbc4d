/**
 * Main's thread to one kernel's connection in the kernel host. The host may die and be replaced at any moment: whoever attaches goes
 * through as many hosts as it takes, and whoever only asks gets the error of the host that died.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fromHost, isHostGone, KernelDeadError } from '../errors.ts';
import type { AttachParams, DetachReason, HostCalls } from '../host/host-protocol.ts';
import type { RpcEndpoint } from '../host/rpc.ts';
import type { InfoReply, OutgoingMessage } from '../messages.ts';

/** The host drains a dead kernel's sockets first, for up to ten seconds after a flood. A host that dies meanwhile fails the call at once. */
const DETACH_LIMIT_MS = 12_000;

export interface Hosts {
  /** The living kernel host; waits while another is being started. */
  host(): Promise<RpcEndpoint>;
  /** The kernel host that lives now, without starting one. */
  liveHost(): RpcEndpoint | null;
}

export class HostLink {
  readonly #kernelId: string;
  readonly #hosts: Hosts;
  #host: RpcEndpoint | null = null;

  constructor(kernelId: string, hosts: Hosts) {
    this.#kernelId = kernelId;
    this.#hosts = hosts;
  }

  /** The host that holds the connection, or held it until it died. */
  get host(): RpcEndpoint {
    if (!this.#host) throw new KernelDeadError('The kernel has not been started.');
    return this.#host;
  }

  /**
   * Attaches through the host that lives; when that dies meanwhile, through the next, as long as `alive` says that it makes sense. `onHost` is
   * called with each before it is asked.
   */
  async attach(
    params: Omit<AttachParams, 'kernelId'>,
    alive: () => boolean,
    onHost: (host: RpcEndpoint) => void = () => {},
  ): Promise<InfoReply> {
    for (;;) {
      const host = await this.#hosts.host();
      if (!alive()) throw new KernelDeadError('The kernel ended.');
      onHost(host);
      try {
        const info = await host.call<InfoReply>('kernel.attach', { ...params, kernelId: this.#kernelId });
        if (alive()) this.#host = host;
        return info;
      } catch (error) {
        if (!isHostGone(error)) throw fromHost(error);
      }
    }
  }

  /** Closes the connection. Without a living host there is none left to close. */
  async detach(reason: DetachReason): Promise<void> {
    const call = this.#hosts.liveHost()?.call('kernel.detach', { kernelId: this.#kernelId, reason });
    await Promise.race([call?.catch(() => {}), delay(DETACH_LIMIT_MS, undefined, { ref: false })]);
  }

  async send(message: OutgoingMessage): Promise<void> {
    await this.#call('kernel.send', { kernelId: this.#kernelId, message });
  }

  request(message: OutgoingMessage, timeoutMs: number): Promise<Record<string, unknown>> {
    return this.#call('kernel.request', { kernelId: this.#kernelId, message, timeoutMs });
  }

  #call<M extends keyof HostCalls>(method: M, params: HostCalls[M]['params']): Promise<HostCalls[M]['result']> {
    return this.host.call<HostCalls[M]['result']>(method, params).catch((error) => {
      throw fromHost(error);
    });
  }
}
