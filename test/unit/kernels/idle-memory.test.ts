/** When the memory of a flood is given back: once, after it, and not while anything comes. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IdleMemory } from '../../../main/kernels/direct/idle-memory.ts';

const MIB = 2 ** 20;
const collect = vi.fn();
let memory: IdleMemory;

beforeEach(() => {
  vi.useFakeTimers();
  collect.mockReset();
  memory = new IdleMemory(collect);
});
afterEach(() => {
  vi.useRealTimers();
});

it('is given back once it has been quiet after a flood, once', () => {
  for (let count = 0; count < 200; count += 1) memory.used(MIB);
  vi.advanceTimersByTime(900);
  memory.used(1);
  vi.advanceTimersByTime(900);
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

it('is left to itself where little was read', () => {
  for (let count = 0; count < 30; count += 1) memory.used(MIB);
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
});

it('is counted from the last time on', () => {
  memory.used(40 * MIB);
  vi.advanceTimersByTime(5_000);
  memory.used(10 * MIB);
  vi.advanceTimersByTime(5_000);
  expect(collect).toHaveBeenCalledTimes(1);
  memory.used(30 * MIB);
  vi.advanceTimersByTime(5_000);
  expect(collect).toHaveBeenCalledTimes(2);
});

it('really is: garbage that nothing refers to any more is gone', async () => {
  vi.useRealTimers();
  const garbage = (): WeakRef<Uint8Array[]> => new WeakRef(Array.from({ length: 50 }, () => new Uint8Array(MIB)));
  const left = garbage();
  new IdleMemory().used(50 * MIB);
  await vi.waitFor(() => expect(left.deref() === undefined).toBe(true), { timeout: 15_000, interval: 100 });
});
