/** How far a batch of runs has come, from the events that main sends. */
import { describe, expect, it } from 'vitest';
import type { CellRun } from '../../../preload/contract.ts';
import type { RunProgress } from '../../../renderer/kernel/run-progress.ts';
import { noProgress, progressWords, reduceProgress } from '../../../renderer/kernel/run-progress.ts';

const states = (changes: Record<string, CellRun['state']>): Record<string, CellRun> =>
  Object.fromEntries(
    Object.entries(changes).map(([key, state]) => [
      key,
      { state, executionCount: null, startedAt: null, durationMs: null, input: null, stale: null },
    ]),
  );
const play = (...events: Record<string, CellRun['state']>[]): RunProgress =>
  events.reduce((progress, event) => reduceProgress(progress, states(event)), noProgress);

describe('reduceProgress', () => {
  it('counts a batch from queued to done', () => {
    const queued = play({ a: 'queued', b: 'queued', c: 'queued' }, { a: 'running' });
    expect(queued).toMatchObject({ ended: 0, total: 3, running: 'a' });
    expect(progressWords(queued)).toBe('cell 1 of 3');
    const second = play({ a: 'queued', b: 'queued', c: 'queued' }, { a: 'running' }, { a: 'done', b: 'running' });
    expect(second).toMatchObject({ ended: 1, total: 3, running: 'b' });
    expect(progressWords(second)).toBe('cell 2 of 3');
  });

  it('is over when nothing is left, also when the rest was cancelled', () => {
    expect(play({ a: 'queued', b: 'queued' }, { a: 'running' }, { a: 'failed', b: 'cancelled' })).toBe(noProgress);
    expect(play({ a: 'running' }, { a: 'done' })).toBe(noProgress);
  });

  it('grows when cells join, and never goes back', () => {
    const joined = play({ a: 'queued', b: 'queued' }, { a: 'running' }, { a: 'done', b: 'running', c: 'queued' });
    expect(joined).toMatchObject({ ended: 1, total: 3 });
    const again = play({ a: 'queued', b: 'queued' }, { a: 'running' }, { a: 'done', b: 'running' }, { a: 'queued' });
    expect(again).toMatchObject({ ended: 1, total: 3 });
  });

  it('hears of the same state twice without counting twice', () => {
    expect(play({ a: 'queued' }, { a: 'queued' }, { a: 'running' }, { a: 'running' })).toMatchObject({ ended: 0, total: 1 });
  });

  it('is not moved by cells that only became stale', () => {
    expect(play({ a: 'idle', b: 'done' })).toBe(noProgress);
    expect(play({ a: 'running' }, { z: 'done' })).toMatchObject({ ended: 0, total: 1, running: 'a' });
  });
});
