/**
 * What main says to a kernel host in one go: an attach, and before it has had any effect the end of the kernel. A host that starts finds both in
 * its channel at once. Whatever the order, no connection stays that nobody closes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { AttachParams } from '../../../main/kernels/host/host-protocol.ts';
import { RemoteError, RpcEndpoint } from '../../../main/kernels/host/rpc.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { HOST_SOURCE } from './kernel-fixture.ts';

const LOOK_MS = 20;
const SAME_LOOKS = 5;
const MOST_LOOKS = 250;
const ROUNDS = 100;

let host: HostProcess | null = null;

afterEach(() => host?.kill());

async function startHost(): Promise<RpcEndpoint> {
  host = forkHost(await buildHostEntry(HOST_SOURCE));
  return new RpcEndpoint(host.carrier);
}

/** An attach to ports where nobody listens: it goes on until it is ended, or its time is over. */
function attachment(kernelId: string, timeoutMs = 20_000): AttachParams {
  const connection = {
    ip: '127.0.0.1',
    transport: 'tcp' as const,
    shell_port: 1,
    control_port: 2,
    iopub_port: 3,
    stdin_port: 4,
    hb_port: 5,
    key: 'key',
    signature_scheme: 'hmac-sha256',
  };
  return { kernelId, generation: 0, connection, pid: null, knownInfo: null, timeoutMs };
}

/** Name of the error with which an attach ended. */
function endOf(attach: Promise<unknown>): Promise<string> {
  return attach.then(
    () => 'attached',
    (error: unknown) => (error instanceof RemoteError ? error.kind : String(error)),
  );
}

/** Open descriptors of the host once what stays open for good is open. */
async function usual(endpoint: RpcEndpoint): Promise<number> {
  const none = await endpoint.call<number>('test.descriptors', null);
  const attach = endOf(endpoint.call('kernel.attach', attachment('warm')));
  while ((await endpoint.call<number>('test.descriptors', null)) === none) await delay(LOOK_MS);
  await endpoint.call('kernel.detach', { kernelId: 'warm', reason: 'dead' });
  await attach;
  return settledBelow(endpoint, Number.POSITIVE_INFINITY);
}

/** The number of descriptors once it is no longer above `most`, or after a while whatever it is: sockets are closed behind the call that closes them. */
async function settledBelow(endpoint: RpcEndpoint, most: number): Promise<number> {
  let last = await endpoint.call<number>('test.descriptors', null);
  for (let same = 0, looks = 0; (same < SAME_LOOKS || last > most) && looks < MOST_LOOKS; looks += 1) {
    await delay(LOOK_MS);
    const now = await endpoint.call<number>('test.descriptors', null);
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}

test.runIf(process.platform === 'linux')('a detach right behind its attach ends it, also when the host finds both at once', async () => {
  const endpoint = await startHost();
  // It still starts: both wait in its channel.
  const attach = endOf(endpoint.call('kernel.attach', attachment('kernel')));
  const detach = endpoint.call('kernel.detach', { kernelId: 'kernel', reason: 'dead' });
  expect([await attach, await detach]).toEqual(['ConnectionClosedError', null]);
  const before = await usual(endpoint);
  const calls = Array.from({ length: 5 }, () => {
    const again = endOf(endpoint.call('kernel.attach', attachment('kernel')));
    return [again, endpoint.call('kernel.detach', { kernelId: 'kernel', reason: 'dead' })];
  });
  expect(await Promise.all(calls.map(([again]) => again))).toEqual(Array.from(calls, () => 'ConnectionClosedError'));
  await Promise.all(calls.flat());
  expect(await settledBelow(endpoint, before)).toBeLessThanOrEqual(before);
});

test.runIf(process.platform === 'linux')('of attaches to one kernel that overlap only the last one goes on', async () => {
  const endpoint = await startHost();
  const before = await usual(endpoint);
  const attaches = Array.from({ length: 4 }, () => endOf(endpoint.call('kernel.attach', attachment('kernel'))));
  const last = attaches.pop()!;
  expect(await Promise.all(attaches)).toEqual(attaches.map(() => 'ConnectionClosedError'));
  await endpoint.call('kernel.detach', { kernelId: 'kernel', reason: 'dead' });
  expect(await last).toBe('ConnectionClosedError');
  expect(await settledBelow(endpoint, before)).toBeLessThanOrEqual(before);
});

test.runIf(process.platform === 'linux')('a kernel that never answers costs no socket, however often it is tried', async () => {
  const endpoint = await startHost();
  const before = await usual(endpoint);
  for (let round = 0; round < ROUNDS; round += 1)
    expect(await endOf(endpoint.call('kernel.attach', attachment(`kernel-${round % 3}`, 10)))).toBe('KernelTimeoutError');
  expect(await settledBelow(endpoint, before)).toBeLessThanOrEqual(before);
});
