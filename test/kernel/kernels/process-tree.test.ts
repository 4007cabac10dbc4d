/**
 * Real trees of processes are ended whole: children that left the group, that ignore SIGTERM, that fork on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { listProcesses, processStart } from '../../../main/kernels/direct/process-table.ts';
import { endTree, readTree } from '../../../main/kernels/direct/process-tree.ts';
import { Watchdog } from '../../../main/kernels/direct/watchdog.ts';
import { eventually, isAlive } from './kernel-fixture.ts';

let roots: ChildProcess[] = [];

afterEach(() => {
  for (const root of roots) {
    try {
      process.kill(-(root.pid as number), 'SIGKILL');
    } catch {
      // Ended as it should.
    }
  }
  roots = [];
});

/** A shell script as a group leader, like a kernel. */
async function start(script: string, processes: number): Promise<{ pid: number; exited: Promise<unknown>; tree: number[] }> {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
  roots.push(child);
  const pid = child.pid as number;
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  let tree: number[] = [];
  await eventually(async () => {
    tree = await readTree(pid);
    return tree.length === processes;
  });
  return { pid, exited, tree };
}

test('SIGTERM is enough for those that obey it', async () => {
  const { pid, exited, tree } = await start('sleep 1000 & sleep 1000 & wait', 3);
  expect(await endTree(pid, 'SIGTERM')).toEqual([]);
  expect(await exited).toBe('SIGTERM');
  expect(tree.some(isAlive)).toBe(false);
});

test('those that ignore SIGTERM are killed', async () => {
  const { pid, exited, tree } = await start("trap '' TERM; sleep 1000 & while :; do sleep 1000; done", 3);
  expect(await endTree(pid, 'SIGTERM')).toEqual([]);
  expect(await exited).toBe('SIGKILL');
  expect(tree.some(isAlive)).toBe(false);
});

test('children in sessions of their own belong to the tree', async () => {
  const { pid, tree } = await start("setsid sleep 1000 & setsid sh -c 'sleep 1000 & wait' & wait", 4);
  expect(await endTree(pid, 'SIGKILL')).toEqual([]);
  await eventually(() => !tree.some(isAlive));
});

test('children that were seen are ended after their parent is gone', async () => {
  const { pid, exited, tree } = await start('setsid sleep 1000 & wait', 2);
  process.kill(pid, 'SIGKILL');
  await exited;
  expect(tree.filter(isAlive)).toHaveLength(1);
  expect(await endTree(pid, 'SIGTERM', tree)).toEqual([]);
  await eventually(() => !tree.some(isAlive));
});

test('members of the group are found when its leader is gone', async () => {
  const { pid, exited, tree } = await start('sleep 1000 & sleep 1000 & wait', 3);
  process.kill(pid, 'SIGKILL');
  await exited;
  expect(await readTree(pid)).toHaveLength(2);
  expect(await endTree(pid, 'SIGKILL')).toEqual([]);
  await eventually(() => !tree.some(isAlive));
});

test('a tree that is gone is no error', async () => {
  const { pid } = await start('exec sleep 1000', 1);
  await endTree(pid, 'SIGKILL');
  expect(await endTree(pid, 'SIGTERM')).toEqual([]);
});

test('this process is in the table, with a start that stays the same', async () => {
  const own = (await listProcesses()).find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parent: process.ppid, zombie: false });
  const start = await processStart(process.pid);
  await delay(20);
  expect(await processStart(process.pid)).toBe(start);
  expect(await processStart(2 ** 22 + 1)).toBeNull();
});

test('the watchdog ends the groups that it was not told to forget', async () => {
  const [kept, forgotten, other] = [
    await start('exec sleep 1000', 1),
    await start('exec sleep 1000', 1),
    await start('exec sleep 1000', 1),
  ];
  const watchdog = new Watchdog();
  watchdog.add(kept.pid);
  watchdog.add(forgotten.pid);
  watchdog.add(other.pid);
  watchdog.remove(forgotten.pid);
  watchdog.close();
  await Promise.all([kept.exited, other.exited]);
  expect(isAlive(forgotten.pid)).toBe(true);
});

test('what names no group is refused: for the system it would mean every process', async () => {
  const watchdog = new Watchdog();
  for (const group of [1, 0, -1, Number.NaN]) {
    expect(() => watchdog.add(group)).toThrow(RangeError);
    await expect(endTree(group, 'SIGKILL')).rejects.toThrow(RangeError);
  }
  watchdog.close();
});
