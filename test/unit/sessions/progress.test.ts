/** The pace of progress, on a clock that the test moves. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PROGRESS_MS, Progress } from '../../../main/execution/agents/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Watched {
  state: { value: number };
  progress: Progress<number>;
  told: { at: number; value: number }[];
}

function watch(): Watched {
  const state = { value: 0 };
  const told: Watched['told'] = [];
  const start = performance.now();
  const progress = new Progress(
    () => state.value,
    (value) => told.push({ at: performance.now() - start, value }),
  );
  return { state, progress, told };
}

function gaps(told: Watched['told']): number[] {
  return told.slice(1).map(({ at }, index) => at - told[index]!.at);
}

it('says at most one word in an interval, and each is up to date', async () => {
  const { state, progress, told } = watch();
  for (let step = 1; step <= 100; step += 1) {
    state.value = step;
    progress.changed();
    await vi.advanceTimersByTimeAsync(7);
  }
  const ended = progress.end();
  await vi.advanceTimersByTimeAsync(PROGRESS_MS);
  await ended;
  expect(told.length).toBeGreaterThan(5);
  expect(gaps(told).every((gap) => gap >= PROGRESS_MS)).toBe(true);
  expect(told[told.length - 1]!.value).toBe(100);
});

it('never drops the last word, and waits for it where it has to', async () => {
  const { state, progress, told } = watch();
  progress.changed();
  await vi.advanceTimersByTimeAsync(PROGRESS_MS + 10);
  state.value = 1;
  progress.changed();
  let isOver = false;
  const ended = progress.end().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(PROGRESS_MS - 20);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  await ended;
  expect(told.map(({ value }) => value)).toEqual([0, 1]);
  expect(gaps(told)[0]).toBeGreaterThanOrEqual(PROGRESS_MS);
});

it('says one word at the end of a short call, without a pause', async () => {
  const { state, progress, told } = watch();
  progress.changed();
  state.value = 5;
  await progress.end();
  expect(told).toEqual([{ at: 0, value: 5 }]);
  await vi.advanceTimersByTimeAsync(10 * PROGRESS_MS);
  expect(told.length).toBe(1);
});

it('says nothing when nothing changed', async () => {
  const { progress, told } = watch();
  await progress.end();
  expect(told).toEqual([]);
});
