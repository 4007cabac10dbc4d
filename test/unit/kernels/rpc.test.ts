/**
 * The calls between main and the host, over a real MessageChannel and over a real forked process.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import { HostGoneError, RemoteError, type RpcCarrier, RpcEndpoint } from '../../../main/kernels/host/rpc.ts';
import { buildHostEntry } from '../../support/host-entry.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function carrier(port: MessagePort): RpcCarrier {
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
    onClose: (listener) => void port.on('close', () => listener('closed')),
  };
}

function pair(): { main: RpcEndpoint; host: RpcEndpoint; close: () => void } {
  const { port1, port2 } = new MessageChannel();
  const close = (): void => {
    port1.close();
    port2.close();
  };
  closing.push(close);
  return { main: new RpcEndpoint(carrier(port1)), host: new RpcEndpoint(carrier(port2)), close };
}

test('a call is answered with its value, bytes included', async () => {
  const { main, host } = pair();
  host.handle('echo', (value) => value);
  const value = { text: 'ü', bytes: new Uint8Array([1, 2, 255]), nothing: undefined, number: Number.NaN };
  expect(await main.call('echo', value)).toEqual(value);
});

test('calls go both ways and answers find their call', async () => {
  const { main, host } = pair();
  main.handle('double', (n: number) => n * 2);
  host.handle('slow', async (n: number) => {
    await new Promise((resolve) => setTimeout(resolve, 20 - n));
    return host.call<number>('double', n);
  });
  expect(await Promise.all([1, 5, 10].map((n) => main.call<number>('slow', n)))).toEqual([2, 10, 20]);
});

test('an error comes over with its kind and code', async () => {
  const { main, host } = pair();
  host.handle('fail', () => {
    throw Object.assign(new TypeError('wrong'), { code: 'EMFILE' });
  });
  const error = await main.call('fail', null).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RemoteError);
  expect(error).toMatchObject({ message: 'wrong', kind: 'TypeError', code: 'EMFILE' });
});

test('what nobody handles, and what can’t be cloned, is an error and not silence', async () => {
  const { main, host } = pair();
  host.handle('function', () => () => {});
  await expect(main.call('unknown', null)).rejects.toThrow('Nobody answers unknown');
  await expect(main.call('function', null)).rejects.toMatchObject({ kind: 'DataCloneError' });
  await expect(main.call('function', () => {})).rejects.toThrow();
  host.handle('fine', () => 1);
  expect(await main.call('fine', null)).toBe(1);
});

test('what can’t be cloned holds up nothing that was said in the same turn', async () => {
  const { main, host } = pair();
  host.handle('echo', (value) => value);
  const calls = [main.call('echo', 1), main.call('echo', () => {}), main.call('echo', 2)];
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('what is said in one turn is one message for the carrier, in the order in which it was said', async () => {
  const posted: unknown[] = [];
  const endpoint = new RpcEndpoint({ post: (message) => posted.push(message), onMessage: () => {}, onClose: () => {} });
  endpoint.emit('first', 1);
  void endpoint.call('second', 2);
  await Promise.resolve();
  endpoint.emit('third', 3);
  expect(posted).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(posted).toMatchObject([[{ name: 'first' }, { method: 'second' }, { name: 'third' }]]);
});

test('a process that is about to end says its last at once', () => {
  const posted: unknown[] = [];
  const endpoint = new RpcEndpoint({ post: (message) => posted.push(message), onMessage: () => {}, onClose: () => {} });
  endpoint.emit('last', 1);
  endpoint.flush();
  expect(posted).toMatchObject([[{ name: 'last' }]]);
});

test('events before an answer arrive before it', async () => {
  const { main, host } = pair();
  const seen: unknown[] = [];
  main.on('step', (step) => seen.push(step));
  host.handle('work', () => {
    for (let step = 0; step < 100; step += 1) host.emit('step', step);
  });
  await main.call('work', null);
  expect(seen).toEqual(Array.from({ length: 100 }, (_, step) => step));
});

test('a listener that was taken away hears nothing more', async () => {
  const { main, host } = pair();
  const seen: unknown[] = [];
  const stop = main.on('step', (step) => seen.push(step));
  host.handle('say', (step) => host.emit('step', step));
  await main.call('say', 1);
  stop();
  await main.call('say', 2);
  expect(seen).toEqual([1]);
});

test('the end of the other side fails open calls and later ones', async () => {
  const { main, host, close } = pair();
  host.handle('wait', () => new Promise(() => {}));
  const reasons: string[] = [];
  main.onGone((reason) => reasons.push(reason));
  const waiting = main.call('wait', null);
  close();
  await expect(waiting).rejects.toThrow(HostGoneError);
  await expect(main.call('wait', null)).rejects.toThrow(HostGoneError);
  expect(main.gone).toBe('closed');
  main.onGone((reason) => reasons.push(reason));
  expect(reasons).toEqual(['closed', 'closed']);
  main.emit('into the void', 1);
});

function forked(entry: string): { host: HostProcess; endpoint: RpcEndpoint } {
  const host = forkHost(entry);
  closing.push(() => host.kill());
  return { host, endpoint: new RpcEndpoint(host.carrier) };
}

test('a forked host answers, and its death fails what is open', async () => {
  const { host, endpoint } = forked(await buildHostEntry('test/support/kernel-host.ts'));
  expect(await endpoint.call<number>('test.descriptors', null)).not.toBe(0);
  expect(host.pid).toBeGreaterThan(1);
  const gone = new Promise((resolve) => endpoint.onGone(resolve));
  host.kill();
  await gone;
  await expect(endpoint.call('test.descriptors', null)).rejects.toThrow(HostGoneError);
  expect(host.pid).toBeNull();
});

test('a host that can’t be started is gone', async () => {
  const { endpoint } = forked('/nowhere/host.cjs');
  await expect(endpoint.call('anything', null)).rejects.toThrow(HostGoneError);
});
