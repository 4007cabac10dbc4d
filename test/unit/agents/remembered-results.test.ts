/** Results under keys: given again in the same start and after it, never for another call, and never made twice when the first try was cut off. */
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RememberedResults } from '../../../main/agents/remembered-results.ts';
import { silentLog } from '../../../main/log/log.ts';

let place: string;
let folder: string;

beforeEach(async () => {
  place = await mkdtemp(path.join(os.tmpdir(), 'cellwright-results-'));
  folder = path.join(place, 'results');
});
afterEach(() => rm(place, { recursive: true, force: true }));

/** As a new start of the program has it. */
function started(): RememberedResults {
  return new RememberedResults(folder, silentLog);
}

function counted(): { work: () => Promise<number>; calls: () => number } {
  let calls = 0;
  return {
    work: async () => {
      calls += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return calls;
    },
    calls: () => calls,
  };
}

test('are given again, also while the first call runs, and never for another call', async () => {
  const results = started();
  const { work, calls } = counted();
  const both = await Promise.all([results.once('k', [1], work), results.once('k', [1], work)]);
  expect(both).toEqual([1, 1]);
  await results.settled();
  expect(await results.once('k', [1], work)).toBe(1);
  expect(calls()).toBe(1);
  expect(await results.once(null, [1], work)).toBe(2);
  await expect(results.once('k', [2], work)).rejects.toThrow(/used for another call/);
});

test('outlive the program, in files of the owner alone', async () => {
  const first = started();
  const big = { text: 'x'.repeat(1_000_000), structured: { deep: [1, { a: null }] } };
  await first.once('../../up', ['tool'], async () => big);
  await first.settled();
  const names = await readdir(folder);
  expect(names.length).toBe(1);
  expect(names[0]).toMatch(/^[0-9a-f]{40}\.json$/);
  if (process.platform !== 'win32') expect((await stat(path.join(folder, names[0]!))).mode & 0o777).toBe(0o600);
  const { work, calls } = counted();
  expect(await started().once('../../up', ['tool'], work as () => Promise<unknown>)).toEqual(big);
  await expect(started().once('../../up', ['other'], work)).rejects.toThrow(/used for another call/);
  expect(calls()).toBe(0);
});

test('a call that the program’s end cut off is not made again, and says so', async () => {
  void started().once('k', [1], () => new Promise(() => {}));
  await expect.poll(async () => (await readdir(folder).catch(() => [])).length).toBe(1);
  const { work, calls } = counted();
  const file = path.join(folder, (await readdir(folder))[0]!);
  await expect.poll(() => readFile(file, 'utf8')).not.toBe('');
  await expect(started().once('k', [1], work)).rejects.toThrow(/under way when Cellwright ended.*another key/);
  await expect(started().once('k', [2], work)).rejects.toThrow(/used for another call/);
  // As a power cut may leave it.
  await writeFile(file, '{"ca');
  await expect(started().once('k', [1], work)).rejects.toThrow(/under way when Cellwright ended/);
  expect(calls()).toBe(0);
});

test('a call that broke may be tried again, also after a restart', async () => {
  await expect(started().once('k', [1], () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
  expect(await started().once('k', [1], async () => 'fine')).toBe('fine');
});

test('without a disk they are kept in memory', async () => {
  await writeFile(folder, 'a file where the folder should be');
  const results = started();
  const { work, calls } = counted();
  expect(await results.once('k', [1], work)).toBe(1);
  await results.settled();
  expect(await results.once('k', [1], work)).toBe(1);
  expect(calls()).toBe(1);
});

test('the oldest go when there are too many', async () => {
  const results = started();
  await results.once('old', [1], async () => 'old');
  await results.settled();
  const old = path.join(folder, (await readdir(folder))[0]!);
  await utimes(old, 1, 1);
  await Promise.all(Array.from({ length: 600 }, (_, index) => results.once(`key ${index}`, [index], async () => index)));
  await results.settled();
  for (let more = 0; more < 50; more += 1) await results.once(`more ${more}`, [more], async () => more);
  await results.settled();
  const names = await readdir(folder);
  expect(names.length).toBeLessThanOrEqual(600);
  expect(names).not.toContain(path.basename(old));
});
