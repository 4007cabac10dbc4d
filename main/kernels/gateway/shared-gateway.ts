/**
 * This process's part in the shared gateway: finds the one that runs or starts it, is one of its users, and leaves it. Which of two that are started
 * at once stays is decided by a lock that the gateways hold themselves; whoever started the other one finds the first.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log, silentLog } from '../../log/log.ts';
import { descriptorUse, isNearLimit } from '../direct/descriptors.ts';
import { kernelEnvironment } from '../direct/kernel-environment.ts';
import { environmentOf } from '../direct/launch.ts';
import { endTree, readTree } from '../direct/process-tree.ts';
import { jupyterRuntimeFolder } from '../discovery/jupyter-paths.ts';
import { KernelStartError } from '../errors.ts';
import { GatewayApi } from './gateway-api.ts';
import type { GatewayServer, GatewayTarget, KernelLedger } from './gateway-server.ts';
import { offerSpec } from './offered-specs.ts';
import source from './shared_gateway.py';
import { type GatewayState, isRunning, SharedFiles } from './shared-files.ts';

/** A cold start of Python with all that a server imports. */
const START_LIMIT_MS = 110_000;

/** One that runs and does not answer for this long is ended and replaced. */
const ANSWER_LIMIT_MS = 10_000;

/** While another is being started or ended. */
const LOOK_AGAIN_MS = 100;

/** It looks for its users twice a second and gives its kernels a moment. */
const END_LIMIT_MS = 10_000;

const LOG_TAIL_CHARACTERS = 8 * 1024;

/** Exit codes of the gateway's program. */
const NO_SERVER = 3;
const ANOTHER_RUNS = 4;

export interface SharedGatewayOptions {
  /** The Python that has Kernel Gateway or Jupyter Server; asked for by whoever starts the gateway. */
  python: string | (() => Promise<string>);
  /** For its files; the platform's Jupyter runtime folder when it is not given. */
  runtimeFolder?: string;
  log?: Log;
}

export class SharedGateway {
  readonly #python: () => Promise<string>;
  readonly #files: SharedFiles;
  readonly #log: Log;
  readonly #kernels = new Set<string>();
  /** Changes of our own file, one after the other. */
  #writing: Promise<void> = Promise.resolve();
  #finding: Promise<GatewayTarget> | null = null;
  #entered = false;

  constructor({ python, runtimeFolder = jupyterRuntimeFolder(), log = silentLog }: SharedGatewayOptions) {
    this.#python = async () => (typeof python === 'string' ? python : python());
    this.#files = new SharedFiles(runtimeFolder);
    this.#log = log;
  }

  /**
   * Where kernels are started: the gateway that runs, or a new one. From then on this process is a user, until `leave`. For
   * `LaunchOptions.gateway`, as a function. Throws KernelStartError.
   */
  target(): Promise<GatewayTarget> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  /** Uses it no more. The last user's leaving ends it, with all that is in it; resolves when that is done. */
  async leave(): Promise<void> {
    await this.#finding?.catch(() => {});
    if (!this.#entered) return;
    this.#entered = false;
    this.#kernels.clear();
    await this.#write(() => this.#files.leave());
    const state = await this.#files.running();
    const end = performance.now() + END_LIMIT_MS;
    while (state && (await isRunning(state)) && !(await this.#files.hasOthers())) {
      if (performance.now() > end) return this.#end(state);
      await delay(LOOK_AGAIN_MS);
    }
  }

  /** What runs now, without using it; null when there is none. */
  async running(): Promise<(GatewayServer & { pid: number }) | null> {
    const state = await this.#files.running();
    return state && { url: addressOf(state.port), token: state.token, pid: state.pid };
  }

  /** Whether it is at its own limit of open files, as far as the system says. */
  async isFull(): Promise<boolean> {
    const state = await this.#files.running();
    return state !== null && isNearLimit(await descriptorUse(state.pid));
  }

  /** Ends it at once, whoever uses it: for when descriptors or memory have run out. The next `target` starts another. */
  async stop(): Promise<void> {
    const state = await this.#files.running();
    if (state) await this.#end(state);
  }

  async #find(): Promise<GatewayTarget> {
    await this.#files.make();
    // Before anything is looked for: from here on one that runs is not about to end.
    if (!this.#entered) await this.#write(() => this.#files.enter([...this.#kernels]));
    this.#entered = true;
    for (const end = performance.now() + START_LIMIT_MS; ; ) {
      const state = await this.#files.running();
      if (state && (await this.#answers(state))) return this.#targetOf(state);
      if (performance.now() > end) throw await this.#failed(`The shared gateway did not start within ${START_LIMIT_MS / 1000} seconds.`);
      if (!state && !(await this.#start())) await delay(LOOK_AGAIN_MS);
    }
  }

  #targetOf({ pid, start, port, token }: GatewayState): GatewayTarget {
    return {
      url: addressOf(port),
      token,
      rootFolder: rootFolder(),
      process: { pid, start },
      ledger: this.#ledger,
      offer: async (launch) => {
        const from = await this.#files.logLength();
        const name = await offerSpec(this.#files.kernelspecs, launch);
        return { name, said: () => this.#files.logTail(LOG_TAIL_CHARACTERS, from) };
      },
    };
  }

  readonly #ledger: KernelLedger = {
    add: (id) => {
      this.#kernels.add(id);
      return this.#write(() => this.#files.enter([...this.#kernels]));
    },
    remove: async (id) => {
      if (this.#kernels.delete(id) && this.#entered) await this.#write(() => this.#files.enter([...this.#kernels]));
    },
  };

  #write(change: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(change);
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Asked until it answers: an error while it is busy with a kernel of somebody else's is no reason to end what all use. */
  async #answers(state: GatewayState): Promise<boolean> {
    const api = new GatewayApi({ url: addressOf(state.port), token: state.token });
    // Between the asks there are timers that keep this process alive: a command may have nothing else that does.
    for (const end = performance.now() + ANSWER_LIMIT_MS; await isRunning(state); await delay(LOOK_AGAIN_MS)) {
      try {
        await api.version();
        return true;
      } catch (error) {
        // One that is just ending does not answer either; it is gone at the next look.
        this.#log.warn('shared-gateway.silent', { pid: state.pid, ...errorFields(error) });
      }
      if (performance.now() < end) continue;
      await this.#end(state);
      break;
    }
    return false;
  }

  /** False when another one has the lock. Throws KernelStartError when it can't run at all. */
  async #start(): Promise<boolean> {
    const python = await this.#python();
    const log = await open(this.#files.logFile, 'a', 0o600);
    const { folder } = this.#files;
    const child = spawn(python, ['-c', source, folder, rootFolder()], {
      cwd: folder,
      env: await gatewayEnvironment(python),
      // A group of its own: it outlives us when others use it.
      detached: true,
      stdio: ['ignore', 'pipe', log.fd],
      windowsHide: true,
    });
    try {
      const outcome = await started(child);
      if (outcome === 'ready') {
        this.#log.info('shared-gateway.started', { pid: child.pid });
        child.unref();
        return true;
      }
      if (outcome === ANOTHER_RUNS) return false;
      if (outcome === NO_SERVER) throw notInstalled(python);
      if ((outcome as NodeJS.ErrnoException | null)?.code === 'ENOENT')
        throw new KernelStartError('no-program', `There is no Python at ${python}.`, 'Choose another one for the shared gateway.');
      throw await this.#failed('The shared gateway could not be started.', outcome instanceof Error ? outcome : undefined);
    } finally {
      await log.close();
    }
  }

  async #failed(message: string, cause?: Error): Promise<KernelStartError> {
    const tail = await this.#files.logTail(LOG_TAIL_CHARACTERS);
    const hint = `Its own output may say why; it is in ${this.#files.logFile}.`;
    return new KernelStartError('gateway', message, hint, tail, { cause });
  }

  /** With its kernels, which have sessions of their own and are found by their descent while it lives. */
  async #end({ pid }: GatewayState): Promise<void> {
    const left = await endTree(pid, 'SIGTERM', await readTree(pid));
    this.#log.info('shared-gateway.ended', { pid, left: left.length });
  }
}

function notInstalled(python: string): KernelStartError {
  const message = `${python} has no Jupyter server, which the shared gateway needs.`;
  return new KernelStartError('gateway', message, `Run \`${python} -m pip install jupyter_server\` and try again.`);
}

function addressOf(port: number): string {
  return `http://127.0.0.1:${port}/`;
}

/** Resolves with `ready`, the exit code, or the error that kept it from running. */
function started(child: ChildProcess): Promise<'ready' | number | null | Error> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      resolve(new Error('It took too long.'));
    }, START_LIMIT_MS);
    const end = (outcome: 'ready' | number | null | Error): void => {
      clearTimeout(limit);
      child.stdout?.destroy();
      resolve(outcome);
    };
    child.once('error', end);
    child.once('exit', (code) => end(code));
    child.stdout?.once('data', () => end('ready'));
  });
}

/** Kernels inherit it from the gateway, so it is a kernel's. */
async function gatewayEnvironment(python: string): Promise<Record<string, string>> {
  const { JPY_PARENT_PID: _ours, ...env } = kernelEnvironment({
    host: process.env,
    spec: {
      name: '',
      displayName: '',
      language: 'python',
      argv: [],
      env: {},
      interruptMode: 'signal',
      resourceDir: null,
      source: 'managed',
    },
    active: await environmentOf(python),
    extra: {},
    parentPid: process.pid,
    platform: process.platform,
  });
  return env;
}

/** Every folder is below it, so a kernel can start in its notebook's; on Windows those of the person's own drive. */
function rootFolder(): string {
  return path.parse(homedir()).root;
}
