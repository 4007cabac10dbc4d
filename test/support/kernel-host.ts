/**
 * A kernel host with connections alone, for tests of the kernel layer: they are not to depend on what runs above it. Calls that only tests
 * make are at the end.
 */
import { readdirSync } from 'node:fs';
import { startHost } from '../../main/kernels/host/start-host.ts';
import type { JupyterMessage } from '../../main/kernels/messages.ts';

const { endpoint, kernels } = startHost();

/** Passes every message on to the test, which in the app is the run service's to read. */
kernels.onConnection((connection) => {
  connection.onMessage((message) => endpoint.emit('test.message', { kernelId: connection.kernelId, message } satisfies TestMessage));
});

export interface TestMessage {
  kernelId: string;
  message: JupyterMessage;
}

/** Open descriptors of this process; -1 where the system does not tell. */
endpoint.handle('test.descriptors', () => {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return -1;
  }
});

endpoint.handle('test.throw', () => {
  setTimeout(() => {
    throw new Error('thrown by a test');
  });
  return null;
});
