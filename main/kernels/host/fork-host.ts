/**
 * The kernel host as a forked Node process: for the command line, the MCP server and tests. Its stdout goes to our stderr, because our
 * stdout may carry a protocol of its own.
 */
import { fork } from 'node:child_process';
import type { HostProcess } from './host-process.ts';

const STDERR = 2;

/**
 * For glibc's allocator: blocks this large are given back as soon as they are free. By default it keeps them for next time after the first large
 * message, so that a flood's memory never comes back. Without meaning elsewhere; Electron has an allocator of its own.
 */
const MEMORY = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** Starts `entry` (a bundled JavaScript file). A failure to start shows as the carrier's close. */
export function forkHost(entry: string): HostProcess {
  // Advanced serialization carries Uint8Array and undefined as they are; JSON would turn buffers into objects of numbers.
  const env = { ...MEMORY, ...process.env };
  const child = fork(entry, [], { serialization: 'advanced', execArgv: [], stdio: ['ignore', STDERR, STDERR, 'ipc'], env });
  const closeListeners = new Set<(reason: string) => void>();
  const closed = (reason: string): void => {
    for (const listener of [...closeListeners]) listener(reason);
    closeListeners.clear();
  };
  child.on('exit', (code, signal) => closed(signal ? `killed by ${signal}` : `ended with code ${code}`));
  child.on('error', (error) => closed(error.message));
  // Without its channel the host is of no use, and two hosts at one kernel's sockets would both answer its input requests. The exit follows.
  child.on('disconnect', () => child.kill('SIGKILL'));
  return {
    carrier: {
      // The callback takes the error of a channel that closed meanwhile; the close itself is what fails the open calls.
      post: (message) => void (child.connected && child.send(message as object, () => {})),
      onMessage: (listener) => void child.on('message', listener),
      onClose: (listener) => void closeListeners.add(listener),
    },
    get pid() {
      return child.exitCode === null && child.signalCode === null ? (child.pid ?? null) : null;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
