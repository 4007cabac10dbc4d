/**
 * What is waited for in milliseconds is waited for by a clock that only goes forward and stands while the machine sleeps: the time of day may be set
 * back by an hour, and then nothing may wait for that hour.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KernelRuns } from '../../../main/execution/kernel-runs.ts';
import { RunProbe } from '../../../main/execution/run-probe.ts';
import type { KernelConnection } from '../../../main/kernels/connection.ts';
import { type RpcCarrier, RpcEndpoint } from '../../../main/kernels/host/rpc.ts';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';
import { silentLog } from '../../../main/log/log.ts';
import { message } from './messages.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('an output is told soon, though the time of day was set back after the one before', async () => {
  const told: string[] = [];
  const carrier: RpcCarrier = { post: (frames) => told.push(JSON.stringify(frames)), onMessage: () => {}, onClose: () => {} };
  const untold = { take: () => {}, missed: () => {}, tell: () => {} };
  const runs = new KernelRuns('kernel', new RpcEndpoint(carrier), untold, silentLog);
  let give = (_message: JupyterMessage): void => {};
  const connection = {
    kernelId: 'kernel',
    send: async () => 'run',
    onMessage: (listener: (given: JupyterMessage) => void) => {
      give = listener;
      return () => {};
    },
  } as unknown as KernelConnection;
  runs.connected(connection);
  const request = { kernelId: 'kernel', runId: 'run', areaId: 'area', code: '', silent: false, storeHistory: true, allowStdin: false };
  const ended = runs.run({ ...request, stopOnError: true, artifactFolder: null }, connection);
  await vi.advanceTimersByTimeAsync(0);
  give(message('run', 'stream', { name: 'stdout', text: 'before' }));
  await vi.advanceTimersByTimeAsync(1_000);
  vi.setSystemTime(Date.now() - HOUR_MS);
  give(message('run', 'stream', { name: 'stdout', text: 'after' }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told.some((frames) => frames.includes('before'))).toBe(true);
  expect(told.some((frames) => frames.includes('after'))).toBe(true);
  runs.disconnected(connection, 'cancelled');
  expect((await ended).status).toBe('cancelled');
});

it('a kernel is not taken for silent because the machine slept', async () => {
  const silences: number[] = [];
  const publishedAt = performance.now();
  const probe = new RunProbe({ runId: 'run', ask: () => {}, publishedAt: () => publishedAt, onSilence: () => silences.push(1) });
  await vi.advanceTimersByTimeAsync(5_000);
  probe.awaitSilence();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(silences).toEqual([]);
  // Asleep: the time of day goes on, the clock of timers does not.
  vi.setSystemTime(Date.now() + HOUR_MS);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(silences).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(silences).toEqual([1]);
  probe.stop();
});
