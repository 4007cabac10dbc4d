/** The waiter: reply and idle in any order and any surroundings, and everything else that can end a run. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newRun, nextRun, type RunEvent, type RunState, runDone } from '../../../main/execution/run.ts';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';
import { message } from './messages.ts';

const RUN = 'run-1';

function of(parent: string, type: string, content: Record<string, unknown>, date?: string): RunEvent {
  return { type: 'message', message: message(parent, type, content, date), now: 5_000 };
}

const busy = of(RUN, 'status', { execution_state: 'busy' }, '2024-01-01T00:00:00.000Z');
const idle = of(RUN, 'status', { execution_state: 'idle' }, '2024-01-01T00:00:00.250Z');
const input = of(RUN, 'execute_input', { code: 'x', execution_count: 7 });
const ok = of(RUN, 'execute_reply', { status: 'ok', execution_count: 7 });
const failed = of(RUN, 'execute_reply', { status: 'error', execution_count: 7, ename: 'E', evalue: 'v', traceback: ['t'] });
const aborted = of(RUN, 'execute_reply', { status: 'aborted' });

function runAfter(...events: RunEvent[]): RunState {
  return events.reduce(nextRun, newRun(RUN, 'cell', 1_000));
}

describe('the two halves', () => {
  it.each<[string, RunEvent[], string | null]>([
    ['reply alone', [busy, input, ok], null],
    ['idle alone', [busy, input, idle], null],
    ['reply, then idle', [busy, input, ok, idle], 'ok'],
    ['idle, then reply', [busy, input, idle, ok], 'ok'],
    ['an error', [busy, input, failed, idle], 'error'],
    ['idle twice and no reply', [busy, idle, idle], null],
    ['reply twice and no idle', [busy, ok, failed], null],
    ['the first reply counts', [busy, ok, failed, idle], 'ok'],
    ['nothing after the end counts', [busy, ok, idle, failed, { type: 'ended', status: 'dead', now: 1 }], 'ok'],
    ['aborted needs no idle', [aborted], 'aborted'],
    ['death at any time', [busy, ok, { type: 'ended', status: 'dead', now: 9 }], 'dead'],
    ['death before all', [{ type: 'ended', status: 'dead', now: 9 }], 'dead'],
  ])('%s', (_name, events, status) => {
    expect(runAfter(...events).status).toBe(status);
  });

  it('end a run in every order and among foreign messages, and only then', () => {
    const foreign = fc.constantFrom<RunEvent>(
      of('other', 'status', { execution_state: 'idle' }),
      of('other', 'execute_reply', { status: 'error' }),
      of(RUN, 'stream', { name: 'stdout', text: 'x' }),
      of(RUN, 'status', { execution_state: 'starting' }),
      of('', 'status', { execution_state: 'idle' }),
    );
    const own = fc.shuffledSubarray([busy, input, ok, idle], { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(own, fc.array(fc.tuple(fc.nat({ max: 4 }), foreign), { maxLength: 12 }), (order, others) => {
        const events: RunEvent[] = [...order];
        for (const [place, event] of others) events.splice(place, 0, event);
        let run = newRun(RUN, 'cell', 0);
        let halves = 0;
        for (const event of events) {
          run = nextRun(run, event);
          if (event === ok || event === idle) halves += 1;
          expect(run.status).toBe(halves === 2 ? 'ok' : null);
        }
      }),
    );
  });
});

describe('a half that never comes', () => {
  it('is given up when the kernel answers something newer on that channel', () => {
    expect(runAfter(busy, failed, { type: 'passed', channel: 'iopub', now: 1 }).status).toBe('error');
    expect(runAfter(busy, idle, { type: 'passed', channel: 'shell', now: 1 }).status).toBe('ok');
  });

  it('is waited for when the answer came on the other channel, or before the first half', () => {
    expect(runAfter(busy, failed, { type: 'passed', channel: 'shell', now: 1 }).status).toBeNull();
    expect(runAfter(busy, idle, { type: 'passed', channel: 'iopub', now: 1 }).status).toBeNull();
    expect(runAfter(busy, { type: 'passed', channel: 'shell', now: 1 }).status).toBeNull();
  });
});

describe('what is told', () => {
  it('is the time by the kernel’s clock, the count and the error', () => {
    expect(runDone('kernel', runAfter(busy, input, failed, idle))).toEqual({
      kernelId: 'kernel',
      runId: RUN,
      areaId: 'cell',
      status: 'error',
      executionCount: 7,
      error: { ename: 'E', evalue: 'v', traceback: ['t'] },
      durationMs: 250,
      leaving: false,
    });
  });

  it('is the time by our clock where the kernel’s is missing', () => {
    expect(runDone('k', runAfter(aborted)).durationMs).toBe(4_000);
    expect(runDone('k', runAfter(of(RUN, 'status', { execution_state: 'busy' }, 'nonsense'), ok, idle)).durationMs).toBe(4_000);
  });

  it('is the error that the cell shows where the reply names none', () => {
    const shown = of(RUN, 'error', { ename: 'RuntimeError', evalue: 'repr', traceback: ['t'] });
    const error = { ename: 'RuntimeError', evalue: 'repr', traceback: ['t'] };
    for (const content of [{ ename: 'NoneType', evalue: 'None', traceback: ['NoneType: None'] }, { ename: '' }]) {
      const unnamed = of(RUN, 'execute_reply', { status: 'error', ...content });
      expect(runDone('k', runAfter(busy, shown, unnamed, idle)).error).toEqual(error);
      expect(runDone('k', runAfter(busy, unnamed, idle)).error?.ename).toBe(content.ename);
    }
    expect(runDone('k', runAfter(busy, shown, failed, idle)).error?.ename).toBe('E');
  });

  it('is that the code asked the kernel to end', () => {
    const leaving = of(RUN, 'execute_reply', { status: 'ok', payload: [{ source: 'ask_exit', keepkernel: false }] });
    expect(runDone('k', runAfter(leaving, idle)).leaving).toBe(true);
  });

  it('stands also when a kernel leaves out every field', () => {
    const bare = (type: string): JupyterMessage => message(RUN, type, {});
    const run = [bare('status'), bare('execute_input'), bare('execute_reply')].reduce<RunState>(
      (state, item) => nextRun(state, { type: 'message', message: item, now: 1 }),
      newRun(RUN, 'cell', 0),
    );
    expect(run.reply?.status).toBe('ok');
    expect(nextRun(run, idle).status).toBe('ok');
  });
});
