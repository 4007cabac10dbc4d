/**
 * Kernels and kernel hosts killed at random instants of calls: while they start, run, idle and restart. Every call ends in its right result or in
 * an error that says what happened, the session can be used after it, and nothing is left over.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MISSED } from '../../../main/execution/untold-outputs.ts';
import { isAlive, openPool, type PoolFixture } from './pool-fixture.ts';

const ROUNDS = 14;

/** About as long as a start and the cells together, so that some kills meet each of them. */
const LATEST_KILL_MS = 1_500;

/** What is there of a cell's output: all of it at its end, or, where the kernel host was killed, the word that some may be missing. */
function isWholeOrToldMissing(output: string, end: string, killsHost: boolean): boolean {
  return output.endsWith(end) || (killsHost && output.split('\n').includes(MISSED));
}

/** What a call may say instead of its result. */
const TOLD =
  /Python kernel restarted too many times in this session|The connection to the kernel broke|The kernel ended while its session was set up|The kernel was killed by SIGKILL while it started/;

let fixture: PoolFixture;

beforeAll(async () => {
  fixture = await openPool();
});
afterAll(() => fixture.close());

test(`${ROUNDS} calls end well or say why they did not`, async () => {
  const pids = new Set<number>();
  const outcomes = { whole: 0, ranAgain: 0, told: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const killsHost = round % 4 === 3;
    // Every third call has to start its kernel.
    if (round % 3 === 1) for (const { key } of fixture.pool.list()) await fixture.pool.shutdown(key);
    const kill = setTimeout(() => {
      const pid = killsHost ? fixture.hosts.at(-1)?.pid : [...fixture.manager.kernels.values()].at(-1)?.pid;
      if (pid) process.kill(pid, 'SIGKILL');
    }, Math.random() * LATEST_KILL_MS);
    const { text, isError, structuredContent } = await fixture.python([
      'import time, os\nfor i in range(10): print(i, flush=True); time.sleep(.05)',
      'time.sleep(.3) if "time" in globals() else None\nprint("end")',
    ]);
    clearTimeout(kill);
    for (const kernel of fixture.manager.kernels.values()) if (kernel.pid) pids.add(kernel.pid);
    const ranAgain = structuredContent.statusEvents.some(({ op }) => op === 'kernel-restart');
    if (isError) {
      expect(text).toMatch(TOLD);
      outcomes.told += 1;
    } else {
      expect(structuredContent.cells.map(({ status }) => status)).toEqual(['complete', 'complete']);
      expect(structuredContent.cells[0]!.output).toSatisfy((output: string) => isWholeOrToldMissing(output, '8\n9\n', killsHost));
      expect(structuredContent.cells[1]!.output).toSatisfy((output: string) => isWholeOrToldMissing(output, 'end\n', killsHost));
      outcomes[ranAgain ? 'ranAgain' : 'whole'] += 1;
    }
    const next = await fixture.python('40 + 2', { reset: true });
    expect(next.text).toBe('42');
  }
  console.log(`random kills: ${JSON.stringify(outcomes)}`);
  await fixture.pool.close();
  expect(fixture.manager.kernels.size).toBe(0);
  expect([...pids].filter(isAlive)).toEqual([]);
});
