/**
 * Which server `cellwright mcp` talks to: the running app's, that of another `cellwright mcp`, or one in this process. The hard thing is several
 * that start at once without an app: a lock lets one of them serve, and the others find it.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentService } from '../agents/agent-service.ts';
import { type Endpoint, endpointFile, readEndpoint } from '../agents/endpoint-file.ts';
import { AgentHttpServer } from '../agents/http-server.ts';
import { isThere } from '../agents/server-link.ts';
import { WindowlessNotebooks } from '../agents/windowless-notebooks.ts';
import { DocumentStore } from '../documents/document-store.ts';
import { DiskWatch } from '../documents/outside/disk-watch.ts';
import { OPEN_FOLDER, OpenElsewhere } from '../documents/outside/open-elsewhere.ts';
import { Validation } from '../documents/validation.ts';
import { KernelTransport } from '../execution/kernel-transport.ts';
import { defaultKernel } from '../kernels/default-kernel.ts';
import { jupyterRuntimeFolder } from '../kernels/discovery/jupyter-paths.ts';
import { takeLock } from '../kernels/discovery/lock-file.mjs';
import { ShellEnvironment } from '../kernels/discovery/shell-environment.ts';
import { configuredGateway, transportOf } from '../kernels/gateway/configured-gateway.ts';
import { forkHost } from '../kernels/host/fork-host.ts';
import { KernelManager } from '../kernels/kernel-manager.ts';
import { errorFields } from '../log/log.ts';
import type { LogFile } from '../log/log-file.ts';
import { unseenWidgets } from '../widgets/unseen-widgets.ts';
import { presentSettings } from './profile-findings.ts';

export interface McpServersOptions {
  /** The app's folder, which has the built kernel host. */
  root: string;
  profile: string;
  /** What an agent may reach that joins and names no folders. */
  defaultFolders: string[];
  log: LogFile;
}

/** A restarted app is there again within this. */
const RESTART_MS = 10_000;
const POLL_MS = 250;
const LOCK_LIMIT_MS = 30_000;
/** Between two looks whether an app has come up beside a server of our own. */
const HANDOVER_MS = 1_000;

interface OwnServer {
  endpoint: Endpoint;
  close(): Promise<void>;
}

export class McpServers {
  readonly #options: McpServersOptions;
  #own: Promise<OwnServer> | null = null;
  /** Searches under way: each may yet start a server. */
  readonly #searches = new Set<Promise<Endpoint>>();
  #closed = false;

  constructor(options: McpServersOptions) {
    this.#options = options;
  }

  /** A server that is there now. `lost` was there before: it may be starting again. */
  locate(lost: Endpoint | null): Promise<Endpoint> {
    const search = this.#find(lost);
    this.#searches.add(search);
    const over = (): void => void this.#searches.delete(search);
    search.then(over, over);
    return search;
  }

  async #find(lost: Endpoint | null): Promise<Endpoint> {
    if (this.#own) return (await this.#own).endpoint;
    const file = endpointFile(this.#options.profile);
    const end = performance.now() + (lost === null ? 0 : RESTART_MS);
    do {
      const endpoint = await readEndpoint(file);
      if (endpoint && (await isThere(endpoint))) return endpoint;
      if (performance.now() < end) await delay(POLL_MS);
    } while (performance.now() < end);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const release = await takeLock(path.join(path.dirname(file), 'start.lock'), { timeoutMs: LOCK_LIMIT_MS });
    try {
      const endpoint = await readEndpoint(file);
      if (endpoint && (await isThere(endpoint))) return endpoint;
      if (this.#closed) throw new Error('The client has gone.');
      this.#own ??= this.#serve();
      return (await this.#own).endpoint;
    } finally {
      await release?.();
    }
  }

  /** Also ends a server that is only starting: a client may be gone before it was answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#searches);
    await (await this.#own)?.close();
  }

  async #serve(): Promise<OwnServer> {
    const { root, profile, defaultFolders, log } = this.#options;
    const settings = await presentSettings();
    const manager = new KernelManager({ spawnHost: () => forkHost(path.join(root, 'dist', 'main', 'host.cjs')), log });
    const kernels = new KernelTransport({
      manager,
      isShared: () => transportOf(settings) === 'shared-gateway',
      python: () => settings.sharedGatewayPython,
      log,
    });
    const environment = new ShellEnvironment({ ask: settings.shellEnvironment, env: process.env, platform: process.platform, log });
    const sources = { environment, gateway: () => configuredGateway(settings) };
    const owner = new WindowlessNotebooks({
      store: new DocumentStore({
        log,
        disk: new DiskWatch((error) => log.warn('disk.look-failed', errorFields(error))),
        elsewhere: new OpenElsewhere({ folder: path.join(jupyterRuntimeFolder(), OPEN_FOLDER), by: 'agents', log }),
        validation: new Validation({ worker: path.join(root, 'dist', 'main', 'validation-worker.cjs'), log }),
      }),
      kernels,
      artifactsFolder: path.join(profile, 'artifacts'),
      ...sources,
      widgets: (document, place) => unseenWidgets(document, place, log),
      log,
    });
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
    const service = await AgentService.open({
      profile,
      owner,
      kernels,
      chooseSpec: (folder) => defaultKernel(sources, folder),
      keepsSpare: () => settings.spareKernel === 'agents' && transportOf(settings) === 'direct',
      pythonKernel: () => settings.pythonKernel,
      hasWindow: false,
      home: homedir(),
      version,
      viewer: null,
      imageWorker: path.join(root, 'dist', 'main', 'image-worker.cjs'),
      log,
    });
    const http = await AgentHttpServer.start({ profile, service, defaultFolders: () => defaultFolders, window: false, version, log });
    log.info('mcp.serving', { version });
    const close = async (): Promise<void> => {
      clearInterval(timer);
      await http.close();
      await service.close();
      await kernels.close();
    };
    const timer = setInterval(() => {
      const handOver = service.quiet ? this.#handOver(http.endpoint, close) : null;
      handOver?.catch((error: unknown) => log.warn('mcp.not-handed-over', errorFields(error)));
    }, HANDOVER_MS);
    timer.unref();
    return { endpoint: http.endpoint, close };
  }

  /** Gives way to an app that was started since: two owners of one notebook would write over each other. */
  async #handOver(own: Endpoint, close: () => Promise<void>): Promise<void> {
    const other = await readEndpoint(endpointFile(this.#options.profile));
    if (!other || other.url === own.url || !(await isThere(other)) || this.#own === null) return;
    this.#own = null;
    this.#options.log.info('mcp.handed-over');
    await close();
  }
}
