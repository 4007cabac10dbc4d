/**
 * The kernel host as Electron's utility process: what `forkHost` is in plain Node. Killing it is clean however many sockets it holds, and
 * its death closes the carrier, upon which main starts another.
 */
import { utilityProcess } from 'electron';
import type { HostProcess } from '../kernels/host/host-process.ts';
import type { Log } from '../log/log.ts';

/** Starts `entry` (a bundled CommonJS file). */
export function startUtilityHost(entry: string, log: Log): HostProcess {
  const child = utilityProcess.fork(entry, [], { serviceName: 'Cellwright kernel host', stdio: 'inherit' });
  let ended: string | null = null;
  const listeners = new Set<(reason: string) => void>();
  child.on('spawn', () => log.info('host.started', { pid: child.pid }));
  child.on('exit', (code) => {
    ended = `ended with code ${code}`;
    log.info('host.ended', { code });
    for (const listener of [...listeners]) listener(ended);
  });
  return {
    carrier: {
      post: (message) => {
        if (ended === null) child.postMessage(message);
      },
      onMessage: (listener) => void child.on('message', listener),
      onClose: (listener) => void listeners.add(listener),
    },
    get pid() {
      return ended === null ? (child.pid ?? null) : null;
    },
    kill: () => void child.kill(),
  };
}
