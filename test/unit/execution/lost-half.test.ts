/** One half of a run's end is lost: the kernel is asked, soon for a reply and with patience for an idle that a flood may hold up. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KernelRuns } from '../../../main/execution/kernel-runs.ts';
import type { RunDone } from '../../../main/execution/run-protocol.ts';
import type { KernelConnection } from '../../../main/kernels/connection.ts';
import { type RpcCarrier, RpcEndpoint } from '../../../main/kernels/host/rpc.ts';
import type { JupyterMessage, OutgoingMessage } from '../../../main/kernels/messages.ts';
import { silentLog } from '../../../main/log/log.ts';
import { message } from './messages.ts';

const busy = message('run', 'status', { execution_state: 'busy' });
const idle = message('run', 'status', { execution_state: 'idle' });
const reply = message('run', 'execute_reply', { status: 'ok', execution_count: 1 });

let sent: OutgoingMessage[];
let give: (given: JupyterMessage) => void;
let ended: Promise<RunDone>;

beforeEach(async () => {
  vi.useFakeTimers();
  sent = [];
  const carrier: RpcCarrier = { post: () => {}, onMessage: () => {}, onClose: () => {} };
  const runs = new KernelRuns('kernel', new RpcEndpoint(carrier), { take: () => {}, missed: () => {}, tell: () => {} }, silentLog);
  const connection = {
    kernelId: 'kernel',
    send: async (one: OutgoingMessage) => {
      sent.push(one);
      return 'id';
    },
    onMessage: (listener: (given: JupyterMessage) => void) => {
      give = listener;
      return () => {};
    },
  } as unknown as KernelConnection;
  runs.connected(connection);
  const request = { kernelId: 'kernel', runId: 'run', areaId: 'area', code: '', silent: false, storeHistory: true, allowStdin: false };
  ended = runs.run({ ...request, stopOnError: true, artifactFolder: null }, connection);
  await vi.advanceTimersByTimeAsync(0);
  give(busy);
});

afterEach(() => {
  vi.useRealTimers();
});

const questions = (): OutgoingMessage[] => sent.filter(({ type }) => type === 'kernel_info_request');

it('a reply that is lost after idle is asked for while an interrupt still waits for its effect', async () => {
  give(idle);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(questions()).toHaveLength(1);
  give({ ...message(questions()[0]!.messageId!, 'kernel_info_reply', {}), channel: 'shell' });
  expect((await ended).status).toBe('ok');
});

it('an idle that is late in a flood is waited for longer', async () => {
  give(reply);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(questions()).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(questions()).toHaveLength(1);
  give(idle);
  expect((await ended).status).toBe('ok');
});

it('nothing is asked of a run whose halves both come', async () => {
  give(idle);
  await vi.advanceTimersByTimeAsync(1_000);
  give(reply);
  expect((await ended).status).toBe('ok');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(questions()).toEqual([]);
});
