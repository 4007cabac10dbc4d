/**
 * Getting a kernel from a Jupyter server and giving it back. The hard thing is what nobody hears: a start that is given up while its answer is
 * on the way has still made a kernel, which is ended when the answer comes.
 */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log } from '../../log/log.ts';
import { KernelDeadError, KernelStartError, KernelTimeoutError } from '../errors.ts';
import type { LaunchOptions } from '../kernel.ts';
import { GatewayApi } from './gateway-api.ts';
import { GatewayError } from './gateway-errors.ts';
import type { GatewayTarget } from './gateway-server.ts';

/** While a kernel comes up: how often its server is asked for it. */
const LOOK_MS = 300;

const RESTART_ATTEMPTS = 3;
const RESTART_PAUSE_MS = 1_000;

/** For a kernel that could not be restarted: another takes its place meanwhile. */
const GIVE_BACK_LIMIT_MS = 5_000;

export interface GatewayLaunch extends LaunchOptions {
  gateway: GatewayTarget | (() => Promise<GatewayTarget>);
}

/** A kernel that we have on a server. */
export interface ServerKernel {
  readonly target: GatewayTarget;
  readonly api: GatewayApi;
  /** The server's id. */
  readonly id: string;
  /** Started by us; one that was there before is left running at the end. */
  readonly ours: boolean;
  /** It worked on something when it was found. */
  readonly busy: boolean;
  /** What was written to stderr since it was started, where that is known. */
  readonly said: (() => Promise<string>) | null;
}

export interface ProvideOptions {
  launch: GatewayLaunch;
  /** What we had until now, for a restart. */
  before: ServerKernel | null;
  timeoutMs: number;
  signal: AbortSignal;
  log: Log;
}

/** A kernel without variables: a new one, or the same one restarted; or, the first time, the running one that was asked for. */
export async function provideKernel(options: ProvideOptions): Promise<ServerKernel> {
  const { launch, before, signal } = options;
  const target = typeof launch.gateway === 'function' ? await launch.gateway() : launch.gateway;
  signal.throwIfAborted();
  const api = new GatewayApi(target);
  if (before?.target.url === target.url) {
    const same = { ...before, target, api, busy: false };
    if (await restarted(same, options)) return same;
    await giveBack(same, GIVE_BACK_LIMIT_MS, options.log);
  }
  if (target.kernelId === undefined || before) return startKernel(api, target, options);
  const kernel = await api.kernel(target.kernelId, signal);
  if (!kernel) throw new GatewayError('not-found', `The server at ${target.url} has no kernel ${target.kernelId}.`, 'Choose another one.');
  return { target, api, id: kernel.id, ours: false, busy: kernel.state === 'busy', said: null };
}

/** Ends the kernel on the server when we started it. Failures are logged: a server that is out of reach can't be helped. */
export async function giveBack({ api, id, ours, target }: ServerKernel, timeoutMs: number, log: Log): Promise<void> {
  if (!ours) return;
  try {
    await api.shutdown(id, timeoutMs);
    await target.ledger?.remove(id);
  } catch (error) {
    log.warn('gateway.not-shut-down', { server: target.url, ...errorFields(error) });
  }
}

/**
 * Rejects when a server of our own has lost the kernel, which it notices at once; never settles otherwise. Other servers start a dead kernel
 * again and again, and are waited for.
 */
export async function whenLost({ target, api, id }: ServerKernel, signal: AbortSignal): Promise<never> {
  while (target.process && !signal.aborted) {
    await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    const kernel = signal.aborted ? undefined : await api.kernel(id, signal).catch(() => undefined);
    if (kernel === null || kernel?.state === 'dead') throw new KernelDeadError('The kernel ended while it started.');
  }
  return new Promise(() => {});
}

/** What went wrong at a start, as the error that every start throws. */
export function startError(error: unknown): KernelStartError {
  if (error instanceof KernelStartError) return error;
  if (error instanceof GatewayError) return new KernelStartError('gateway', error.what, error.hint, '', { cause: error });
  const hint = 'Look at the log of the server, and start it again.';
  if (error instanceof KernelTimeoutError) return new KernelStartError('no-answer', error.message, hint, '', { cause: error });
  const message = error instanceof KernelDeadError ? 'The kernel ended while it started.' : `The kernel could not be started: ${error}.`;
  return new KernelStartError('unknown', message, hint, '', { cause: error });
}

async function startKernel(
  api: GatewayApi,
  target: GatewayTarget,
  { launch, timeoutMs, signal, log }: ProvideOptions,
): Promise<ServerKernel> {
  const { spec, cwd, env } = launch;
  const offered = await target.offer?.({ spec, env });
  const request = { name: offered?.name ?? spec.name, path: serverPath(target, cwd), env, timeoutMs };
  const started = api.start(request).then(async ({ id }): Promise<ServerKernel> => {
    // Without its entry it still ends with the server.
    await target.ledger?.add(id).catch((error: unknown) => log.warn('gateway.not-entered', errorFields(error)));
    return { target, api, id, ours: true, busy: false, said: offered?.said ?? null };
  });
  try {
    return await orAborted(started, signal);
  } catch (error) {
    if (signal.aborted) {
      started.then(
        (kernel) => giveBack(kernel, timeoutMs, log),
        () => {},
      );
    }
    throw error;
  }
}

/**
 * False when the server has the kernel no more, or can't restart it. One that is just bringing a dead kernel back by itself trips over a
 * second restart, and can do it a moment later.
 */
async function restarted({ api, id, ours }: ServerKernel, { timeoutMs, signal }: ProvideOptions): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await api.restart(id, timeoutMs, signal);
      return true;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (error.fault === 'not-found') return false;
      if (error.fault !== 'server-error') throw error;
      if (attempt === RESTART_ATTEMPTS && !ours) throw error;
      if (attempt === RESTART_ATTEMPTS) return false;
      await delay(RESTART_PAUSE_MS * attempt, undefined, { signal });
    }
  }
}

/** The promise, or the signal's reason as soon as it is aborted. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The folder as the server names it; undefined when it is not below the server's root, or nobody knows where that is. */
export function serverPath({ rootFolder }: GatewayTarget, folder: string): string | undefined {
  if (rootFolder === undefined) return undefined;
  const relative = path.relative(rootFolder, folder);
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) return undefined;
  return relative.split(path.sep).join('/');
}
