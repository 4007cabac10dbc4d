import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StatusTelling } from '../../../main/kernels/host/status-telling.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function telling(): { said: string[]; status: StatusTelling } {
  const said: string[] = [];
  return { said, status: new StatusTelling((word) => said.push(word)) };
}

test('a cell that ends within a frame is told by its end alone', () => {
  const { said, status } = telling();
  status.heard('busy');
  vi.advanceTimersByTime(5);
  status.heard('idle');
  vi.advanceTimersByTime(1000);
  expect(said).toEqual(['idle']);
});

test('a longer one is told as busy once, also when more work comes behind it', () => {
  const { said, status } = telling();
  status.heard('busy');
  vi.advanceTimersByTime(10);
  status.heard('busy');
  vi.advanceTimersByTime(10);
  expect(said).toEqual(['busy']);
  status.heard('idle');
  expect(said).toEqual(['busy', 'idle']);
});

test('every idle is told, since an interrupt waits for the next one', () => {
  const { said, status } = telling();
  status.heard('idle');
  status.heard('idle');
  expect(said).toEqual(['idle', 'idle']);
});

test('nothing is told of a connection that is closed', () => {
  const { said, status } = telling();
  status.heard('busy');
  status.stop();
  vi.advanceTimersByTime(1000);
  expect(said).toEqual([]);
});
