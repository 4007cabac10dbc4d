/** Which processes a kernel tells of when nothing runs: those that keep a processor busy for a while, and no longer than they do. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LeftAtWork } from '../../../main/kernels/direct/left-at-work.ts';
import type { ProcessEntry } from '../../../main/kernels/direct/process-table.ts';

const LOOK_MS = 5_000;
const KERNEL = 10;

let table: ProcessEntry[];
let looks: number;
let work: LeftAtWork;
let heard: (string | null)[];

const entry = (pid: number, parent: number, name = 'python'): ProcessEntry => ({
  pid,
  parent,
  group: KERNEL,
  session: KERNEL,
  name,
  terminal: false,
  zombie: false,
  cpuMs: 0,
});

beforeEach(() => {
  vi.useFakeTimers();
  table = [entry(KERNEL, 1)];
  looks = 0;
  heard = [];
  work = new LeftAtWork(async () => {
    looks += 1;
    return table.map((one) => ({ ...one }));
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const watch = () => work.of(KERNEL, (message) => heard.push(message));
/** Time passes, in which each process named uses this share of a processor. */
async function pass(times: number, shares: Record<number, number> = {}): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    for (const one of table) one.cpuMs += (shares[one.pid] ?? 0) * LOOK_MS;
    await vi.advanceTimersByTimeAsync(LOOK_MS);
  }
}

it('a process that keeps a processor busy is told of, once, and not any more once it rests', async () => {
  table.push(entry(11, KERNEL));
  watch().working(false);
  await pass(2, { 11: 1 });
  expect(heard).toEqual([]);
  await pass(3, { 11: 1 });
  expect(heard).toEqual(['A process that a cell left behind keeps a processor busy: python 11. A restart of the kernel ends it.']);
  await pass(1);
  expect(heard.slice(1)).toEqual([null]);
});

it('several are named together', async () => {
  table.push(entry(11, KERNEL), entry(12, 11), entry(13, KERNEL, 'sh'));
  watch().working(false);
  await pass(3, { 11: 1, 12: 0.6, 13: 0.3 });
  table.reverse();
  await pass(1, { 11: 1, 12: 0.6, 13: 0.3 });
  expect(heard).toEqual([
    '3 processes that cells left behind keep the processors busy: python 11, 12; sh 13. A restart of the kernel ends them.',
  ]);
});

it.each<[string, Record<number, number>[]]>([
  ['the kernel itself, whose threads go on', [{ 10: 1 }, { 10: 1 }, { 10: 1 }, { 10: 1 }]],
  ['a process that does little', [{ 11: 0.2 }, { 11: 0.2 }, { 11: 0.2 }, { 11: 0.2 }]],
  ['a process that works now and then', [{ 11: 1 }, { 11: 1 }, {}, { 11: 1 }, {}, { 11: 1 }]],
  ['a process of somebody else', [{ 99: 1 }, { 99: 1 }, { 99: 1 }, { 99: 1 }]],
])('%s is not', async (_name, course) => {
  table.push(entry(11, KERNEL), { ...entry(99, 1), group: 99, session: 99 });
  watch().working(false);
  for (const shares of course) await pass(1, shares);
  expect(heard).toEqual([]);
});

it('what a cell that runs has started is not either, and is once the cell has ended', async () => {
  const kernel = watch();
  kernel.working(false);
  table.push(entry(11, KERNEL));
  await pass(2, { 11: 1 });
  kernel.working(true);
  await pass(5, { 11: 1 });
  expect(heard).toEqual([]);
  kernel.working(false);
  await pass(3, { 11: 1 });
  expect(heard).toHaveLength(1);
});

it('one that was told of is followed while a cell runs', async () => {
  table.push(entry(11, KERNEL), entry(12, KERNEL));
  const kernel = watch();
  kernel.working(false);
  await pass(3, { 11: 1 });
  kernel.working(true);
  await pass(3, { 11: 1, 12: 1 });
  expect(heard).toHaveLength(1);
  table = table.filter(({ pid }) => pid !== 11);
  await pass(1, { 12: 1 });
  expect(heard.slice(1)).toEqual([null]);
});

it('it ends with the kernel', async () => {
  table.push(entry(11, KERNEL));
  const kernel = watch();
  kernel.working(false);
  await pass(3, { 11: 1 });
  kernel.end();
  expect(heard.slice(1)).toEqual([null]);
  const before = looks;
  await pass(3, { 11: 1 });
  expect(looks).toBe(before);
});

it('nobody looks while a kernel has started nothing', async () => {
  const kernel = watch();
  kernel.working(false);
  await pass(5);
  expect(looks).toBe(1);
  kernel.working(true);
  await pass(5);
  expect(looks).toBe(1);
});
