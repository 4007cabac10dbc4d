/**
 * All kernels of this process and the one host that holds their connections. The hard thing is the host's death: kernels live on, so
 * another host is started and every kernel attaches to it again. A host that keeps dying is started ever more slowly, never given up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Log, silentLog } from '../log/log.ts';
import { DescriptorRoom } from './descriptor-room.ts';
import { DirectKernel, type KernelSurroundings } from './direct/direct-kernel.ts';
import { LeftAtWork } from './direct/left-at-work.ts';
import { endLeftovers, LeftoverRegistry } from './direct/leftovers.ts';
import { PortPool } from './direct/ports.ts';
import { Watchdog } from './direct/watchdog.ts';
import { jupyterRuntimeFolder } from './discovery/jupyter-paths.ts';
import { KernelDeadError } from './errors.ts';
import { GatewayKernel } from './gateway/gateway-kernel.ts';
import type { HostProcess } from './host/host-process.ts';
import type { HostEvents } from './host/host-protocol.ts';
import { RpcEndpoint } from './host/rpc.ts';
import type { Kernel, LaunchOptions } from './kernel.ts';

/** A host that lived longer was a good one; the death of a younger one belongs to a row. */
const GOOD_LIFE_MS = 2_000;

/** The first deaths of a row cost nothing; from then on each waits longer, up to the limit. */
const FREE_DEATHS = 3;
const DEATH_PAUSE_MS = 250;
const MAX_DEATH_PAUSE_MS = 5_000;

/** For a host that is asked to close its sockets before it is killed. */
const CLOSE_LIMIT_MS = 1_000;

export interface KernelManagerOptions {
  spawnHost: () => HostProcess;
  log?: Log;
  /** For connection files; the platform's Jupyter runtime folder when it is not given. */
  runtimeFolder?: string;
}

export class KernelManager {
  readonly #options: KernelManagerOptions;
  readonly #log: Log;
  readonly #kernels = new Map<string, DirectKernel | GatewayKernel>();
  readonly #surroundings: KernelSurroundings;
  readonly #room: DescriptorRoom;
  #host: { endpoint: RpcEndpoint; process: HostProcess } | null = null;
  #spawning: Promise<RpcEndpoint> | null = null;
  /** Hosts in a row that died young. */
  #deaths = 0;
  #leftovers: Promise<unknown> | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: KernelManagerOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
    this.#room = new DescriptorRoom(() => this.host(), this.#log);
    const runtimeFolder = options.runtimeFolder ?? jupyterRuntimeFolder();
    this.#surroundings = {
      runtimeFolder,
      log: this.#log,
      ports: new PortPool(),
      leftovers: new LeftoverRegistry(runtimeFolder, this.#log),
      watchdog: new Watchdog(),
      work: new LeftAtWork(),
      host: () => this.host(),
      liveHost: () => this.#live(),
      onShutdown: (kernel) => this.#kernels.delete(kernel.id),
    };
  }

  /** Every kernel that was started and not shut down; those that died by themselves are in it until then. */
  get kernels(): ReadonlyMap<string, Kernel> {
    return this.#kernels;
  }

  /** Starts a kernel; resolves when it is ready. Throws KernelStartError, or the signal's reason. */
  async start(options: LaunchOptions): Promise<Kernel> {
    if (this.#closing) throw new KernelDeadError('Cellwright is closing.');
    // In the background: it concerns other apps' kernels, and this one need not wait.
    this.#leftovers ??= endLeftovers(this.#surroundings.runtimeFolder, this.#log);
    const { gateway } = options;
    const kernel = gateway ? new GatewayKernel({ ...options, gateway }, this.#surroundings) : new DirectKernel(options, this.#surroundings);
    this.#kernels.set(kernel.id, kernel);
    try {
      await kernel.start();
    } catch (error) {
      this.#kernels.delete(kernel.id);
      throw error;
    }
    this.#log.info('kernel.started', { kernelId: kernel.id, pid: kernel.pid, spec: options.spec.name });
    return kernel;
  }

  /**
   * Tries to start or restart a kernel, and once more when descriptors had run out and room was made: `closeSockets` is the last step of that. Throws
   * TooManyFilesError when it was not enough, and whatever `attempt` throws else.
   */
  withRoom<T>(attempt: () => Promise<T>, closeSockets: () => Promise<void> = () => this.restartHost()): Promise<T> {
    return this.#room.with(attempt, closeSockets);
  }

  /** `end` ends kernels that nothing needs now, when descriptors have run out. Returns the function that takes it out again. */
  onShortage(end: () => Promise<unknown>): () => void {
    return this.#room.onShortage(end);
  }

  /** The living kernel host, started when there is none. */
  async host(): Promise<RpcEndpoint> {
    const live = this.#live();
    if (live) return live;
    this.#spawning ??= this.#spawn().finally(() => {
      this.#spawning = null;
    });
    return this.#spawning;
  }

  /** Ends the host, which closes every socket in it; kernels attach again to the next one. For when descriptors have run out. */
  async restartHost(): Promise<void> {
    const host = this.#host;
    if (host) {
      const gone = new Promise((resolve) => host.endpoint.onGone(resolve));
      host.process.kill();
      await gone;
    }
    await this.host();
  }

  /** Shuts every kernel down, those that are still starting too. */
  async shutdownAll(): Promise<void> {
    await Promise.allSettled([...this.#kernels.values()].map((kernel) => kernel.shutdown()));
  }

  /** Shuts everything down and ends the host. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.shutdownAll();
    await this.#leftovers;
    const host = this.#host;
    if (host) {
      const closed = host.endpoint.call('host.close', null).catch(() => {});
      await Promise.race([closed, delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
      host.process.kill();
    }
    this.#surroundings.watchdog.close();
  }

  async #spawn(): Promise<RpcEndpoint> {
    const pause = deathPause(this.#deaths);
    if (pause > 0) await delay(pause);
    const started = performance.now();
    const process = this.#options.spawnHost();
    const endpoint = new RpcEndpoint(process.carrier);
    this.#host = { endpoint, process };
    const to = (id: string): DirectKernel | GatewayKernel | undefined => this.#kernels.get(id);
    endpoint.on<HostEvents['host.log']>('host.log', ({ level, event, fields }) => this.#log[level](event, fields));
    endpoint.on<HostEvents['kernel.status']>('kernel.status', ({ kernelId, generation, status }) =>
      to(kernelId)?.heard(generation, { status }),
    );
    endpoint.on<HostEvents['kernel.heartbeat']>('kernel.heartbeat', ({ kernelId, generation, beating }) =>
      to(kernelId)?.heard(generation, { beating }),
    );
    endpoint.on<HostEvents['kernel.ended']>('kernel.ended', ({ kernelId, generation, end }) => {
      const kernel = to(kernelId);
      if (kernel instanceof GatewayKernel) kernel.ended(generation, end);
    });
    endpoint.onGone((reason) => this.#hostGone(reason, performance.now() - started));
    return endpoint;
  }

  #live(): RpcEndpoint | null {
    return this.#host?.endpoint.gone === null ? this.#host.endpoint : null;
  }

  #hostGone(reason: string, livedMs: number): void {
    if (this.#closing) return;
    this.#log.warn('host.gone', { reason, kernels: this.#kernels.size });
    this.#deaths = livedMs < GOOD_LIFE_MS ? this.#deaths + 1 : 0;
    for (const kernel of this.#kernels.values()) void kernel.hostGone();
  }
}

function deathPause(deaths: number): number {
  return deaths <= FREE_DEATHS ? 0 : Math.min(DEATH_PAUSE_MS * 2 ** (deaths - FREE_DEATHS), MAX_DEATH_PAUSE_MS);
}
