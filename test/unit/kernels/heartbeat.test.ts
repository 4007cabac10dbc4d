import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchHeartbeat } from '../../../main/kernels/direct/heartbeat.ts';

test('one warning for a row of misses, and one all-clear', async () => {
  const beats = [true, true, false, false, false, true, true, false];
  const changes: boolean[] = [];
  let beaten = 0;
  let atOnce = 0;
  const stop = watchHeartbeat(
    async () => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      await delay(1);
      atOnce -= 1;
      return beats[beaten++] ?? false;
    },
    (beating) => changes.push(beating),
    { intervalMs: 2, timeoutMs: 1 },
  );
  while (beaten < beats.length + 2) await delay(5);
  stop();
  expect(changes).toEqual([false, true, false]);
});

test('nothing is said after the stop, also when a beat was on its way', async () => {
  const changes: boolean[] = [];
  let answer: (beating: boolean) => void = () => {};
  let asked = 0;
  const stop = watchHeartbeat(
    () => {
      asked += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    (beating) => changes.push(beating),
    { intervalMs: 1 },
  );
  while (asked === 0) await delay(1);
  stop();
  answer(false);
  await delay(20);
  expect(changes).toEqual([]);
  expect(asked).toBe(1);
});
