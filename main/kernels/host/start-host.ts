/**
 * What the host process does for its own life: finds its channel to main, logs through it, and ends with main. The hard thing is main's
 * SIGKILL: only the closed channel tells of it, and the kernels attached here must go before this process does.
 */
import { errorFields, type Log, type LogLevel } from '../../log/log.ts';
import { endTree } from '../direct/process-tree.ts';
import { KernelService } from './kernel-service.ts';
import { type RpcCarrier, RpcEndpoint } from './rpc.ts';

/** Electron's side of a utility process; not typed by Node. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  on(event: 'close', listener: () => void): void;
}

export interface Host {
  endpoint: RpcEndpoint;
  kernels: KernelService;
  log: Log;
}

/** To be called once, first thing in the host process. */
export function startHost(): Host {
  const endpoint = new RpcEndpoint(parentCarrier());
  const log = hostLog(endpoint);
  const kernels = new KernelService(endpoint, log);
  logConsole(log);
  // Ctrl-C and a closing terminal reach the whole process group; main decides what they mean and still needs its host for it.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  // Node prints the error to stderr and ends the process, which is right: main starts another host. The log gets it as well.
  process.on('uncaughtExceptionMonitor', (error) => {
    log.error('host.crashed', errorFields(error));
    endpoint.flush();
  });
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
  endpoint.onGone(() => void endWithMain(kernels));
  return { endpoint, kernels, log };
}

/** Libraries talk to the console, which here is the terminal of whoever started the app. */
function logConsole(log: Log): void {
  for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
    console[level] = (text: unknown) => log.debug('host.console', { text: String(text) });
  }
}

async function endWithMain(kernels: KernelService): Promise<void> {
  const pids = kernels.pids();
  await Promise.allSettled([kernels.close(), ...pids.map((pid) => endTree(pid, 'SIGKILL'))]);
  process.exit(0);
}

function parentCarrier(): RpcCarrier {
  const { parentPort } = process as unknown as { parentPort?: ParentPort };
  if (parentPort) {
    return {
      post: (message) => parentPort.postMessage(message),
      onMessage: (listener) => parentPort.on('message', ({ data }) => listener(data)),
      onClose: (listener) => parentPort.on('close', () => listener('main is gone')),
    };
  }
  if (!process.send) throw new Error('The kernel host is started by Cellwright, not by hand.');
  return {
    post: (message) => void (process.connected && process.send?.(message, undefined, undefined, () => {})),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.on('disconnect', () => listener('main is gone')),
  };
}

function hostLog(endpoint: RpcEndpoint): Log {
  const at =
    (level: LogLevel): Log['info'] =>
    (event, fields = {}) =>
      endpoint.emit('host.log', { level, event, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
