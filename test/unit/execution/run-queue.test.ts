/** The queue and the states of cells, without a kernel. */
import { describe, expect, it } from 'vitest';
import { CellStates, IDLE_CELL, runTags, stateAfter } from '../../../main/execution/cell-states.ts';
import { RunQueue, summaryOf } from '../../../main/execution/run-queue.ts';

const OPTIONS = { allowErrors: false, allowStdin: true };

describe('the queue', () => {
  it('keeps order, and a cell’s first place', () => {
    const queue = new RunQueue();
    const first = queue.add(['a', 'b', 'a'], OPTIONS, null);
    const second = queue.add(['c', 'b'], { ...OPTIONS, allowErrors: true }, null);
    expect(first.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(second[1]).toBe(first[1]);
    expect(second[1]!.allowErrors).toBe(false);
    expect(queue.size).toBe(3);
    expect([queue.next(), queue.next(), queue.next(), queue.next()].map((turn) => turn?.key ?? null)).toEqual(['a', 'b', 'c', null]);
  });

  it('joins the turn that is next but has not begun', () => {
    const queue = new RunQueue();
    queue.add(['a'], OPTIONS, null);
    const taken = queue.next()!;
    expect(queue.add(['a'], OPTIONS, taken)[0]).toBe(taken);
    expect(queue.size).toBe(0);
    expect(queue.add(['a'], OPTIONS, null)[0]).not.toBe(taken);
  });

  it('gives all who wait for a turn the same result', async () => {
    const queue = new RunQueue();
    const turns = queue.add(['a', 'b'], OPTIONS, null);
    const summaries = Promise.all([summaryOf(turns), summaryOf(queue.add(['b'], OPTIONS, null))]);
    turns[0]!.settle({ outcome: 'done', failure: null });
    turns[1]!.settle({ outcome: 'failed', failure: { status: 'dead', error: null } });
    const failure = { key: 'b', status: 'dead', error: null };
    expect(await summaries).toEqual([
      {
        status: 'failed',
        cells: [
          { key: 'a', outcome: 'done' },
          { key: 'b', outcome: 'failed' },
        ],
        failure,
      },
      { status: 'failed', cells: [{ key: 'b', outcome: 'failed' }], failure },
    ]);
  });

  it('sums up what was cancelled and what had nothing to run', async () => {
    const queue = new RunQueue();
    const turns = queue.add(['a', 'b'], OPTIONS, null);
    for (const turn of queue.clear()) turn.settle({ outcome: 'cancelled', failure: null });
    expect(queue.size).toBe(0);
    expect((await summaryOf(turns)).status).toBe('cancelled');
    expect(await summaryOf([])).toEqual({ status: 'ok', cells: [], failure: null });
  });
});

describe('states', () => {
  it('are told once for each change and never changed in place', () => {
    const told: string[][] = [];
    const states = new CellStates((keys) => told.push(keys));
    expect(states.get('a')).toBe(IDLE_CELL);
    states.set(['a', 'b'], { state: 'queued' });
    const before = states.get('a');
    states.set(['a'], { state: 'running', startedAt: 1 });
    states.set([], { state: 'done' });
    states.delete('b');
    states.delete('b');
    expect(before.state).toBe('queued');
    expect(states.get('a')).toMatchObject({ state: 'running', startedAt: 1, input: null });
    expect(told).toEqual([['a', 'b'], ['a'], ['b']]);
  });

  it.each([
    ['ok', false, 'done'],
    ['error', false, 'failed'],
    ['error', true, 'done'],
    ['dead', true, 'failed'],
    ['lost', false, 'failed'],
    ['aborted', false, 'cancelled'],
    ['cancelled', true, 'cancelled'],
  ] as const)('after a run that ended %s (expected: %s) is %s', (status, expected, state) => {
    expect(stateAfter(status, expected)).toBe(state);
  });

  it('read tags, and only tags', () => {
    expect(runTags({ tags: ['raises-exception'] })).toEqual({ skip: false, mayRaise: true });
    expect(runTags({ tags: ['x', 'skip-execution'] })).toEqual({ skip: true, mayRaise: false });
    for (const tags of [undefined, null, 'skip-execution', { 0: 'skip-execution' }])
      expect(runTags({ tags })).toEqual({ skip: false, mayRaise: false });
  });
});
