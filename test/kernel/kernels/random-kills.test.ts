/**
 * Kernels and their host are killed at random moments of a life of starting, running, restarting and ending. Whatever the moment, every call
 * settles with a value or a typed error, and nothing is left over. A failure names its seed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KernelDeadError, KernelStartError } from '../../../main/kernels/errors.ts';
import { HostGoneError } from '../../../main/kernels/host/rpc.ts';
import { type Bench, connectionFiles, eventually, isAlive, openBench, pythonSpec, run, startRun } from './kernel-fixture.ts';

const LIVES = 12;

/** Longer than a life takes, so that some kills come after its end. */
const LATEST_KILL_MS = 2_500;

let bench: Bench;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(async () => {
  await bench.close();
});

/** A small generator with a seed (xorshift), so that a run can be repeated. */
function random(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

test(`${LIVES} kernels killed at random`, async () => {
  const seed = Date.now() & 0xffff;
  const next = random(seed);
  const pids = new Set<number>();
  const outcomes: string[] = [];

  const life = async (ending: 'restart' | 'shutdown'): Promise<void> => {
    const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
    if (kernel.pid) pids.add(kernel.pid);
    // The run itself may lose its reply with the kernel or the host; how that ends is told above this layer.
    startRun(kernel, 'import time; time.sleep(.2)');
    await delay(50);
    if (ending === 'restart') await kernel.restart();
    if (kernel.pid) pids.add(kernel.pid);
    await kernel.shutdown();
    expect(kernel.state).toBe('dead');
  };

  const kill = async (what: 'kernel' | 'host'): Promise<void> => {
    await delay(next() * LATEST_KILL_MS);
    const pid = what === 'host' ? bench.hosts.at(-1)?.pid : [...bench.manager.kernels.values()].at(-1)?.pid;
    if (pid) process.kill(pid, 'SIGKILL');
  };

  for (let number = 0; number < LIVES; number += 1) {
    const ended = life(next() < 0.5 ? 'restart' : 'shutdown').then(
      () => 'fine',
      (error: unknown) => {
        const isTyped = error instanceof KernelStartError || error instanceof KernelDeadError || error instanceof HostGoneError;
        if (!isTyped) throw new Error(`Seed ${seed}, life ${number} ended in an error without a type.`, { cause: error });
        return error.name;
      },
    );
    const [outcome] = await Promise.all([ended, kill(next() < 0.5 ? 'kernel' : 'host')]);
    outcomes.push(outcome);
  }

  expect(outcomes).toHaveLength(LIVES);
  // The manager is as good as new.
  const kernel = await bench.manager.start({ spec: pythonSpec(), cwd: bench.runtimeFolder });
  expect((await run(kernel, '1 + 1')).result).toBe('2');
  await bench.manager.shutdownAll();
  await eventually(() => ![...pids].some(isAlive));
  expect(await connectionFiles(bench)).toEqual([]);
  expect(bench.manager.kernels.size).toBe(0);
});
