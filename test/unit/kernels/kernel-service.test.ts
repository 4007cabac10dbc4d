/** What the host does at a kernel's end for those who keep something of it: they are told, and main hears of the end when they are done. */
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KernelService } from '../../../main/kernels/host/kernel-service.ts';
import { RpcEndpoint } from '../../../main/kernels/host/rpc.ts';
import { silentLog } from '../../../main/log/log.ts';

let channel: MessageChannel;
let main: RpcEndpoint;
let service: KernelService;

beforeEach(() => {
  channel = new MessageChannel();
  const [end, other] = [channel.port1, channel.port2].map(
    (port) =>
      new RpcEndpoint({
        post: (message) => port.postMessage(message),
        onMessage: (listener) => void port.on('message', listener),
        onClose: (listener) => void port.on('close', () => listener('closed')),
      }),
  ) as [RpcEndpoint, RpcEndpoint];
  main = end;
  service = new KernelService(other, silentLog);
});
afterEach(() => channel.port1.close());

const detach = (reason: string) => main.call('kernel.detach', { kernelId: 'k', reason });

it('a kernel that had ended by itself is shut down: all are told, and the last of them is waited for', async () => {
  let done = (): void => {};
  const told: unknown[] = [];
  service.onDisconnection((...end) => {
    told.push(end);
    return new Promise((resolve) => {
      done = resolve;
    });
  });
  service.onDisconnection((kernelId) => void told.push(kernelId));
  let isOver = false;
  const over = detach('shutdown').then(() => {
    isOver = true;
  });
  // Answered after it, were it not waited for.
  await main.call('host.descriptors', null);
  expect(told).toEqual([['k', null, 'shutdown'], 'k']);
  expect(isOver).toBe(false);
  done();
  await over;
});

it('a kernel that had ended and is started again, or ends, is nothing new', async () => {
  const told: unknown[] = [];
  service.onDisconnection((...end) => void told.push(end));
  await detach('restart');
  await detach('dead');
  expect(told).toEqual([]);
});
