/**
 * Two hundred kills at random instants of typing, running and saving: the file is whole, what was typed a second before is there, nothing comes
 * back twice; and some more kills of the real app in its window. `npm run campaign -- documents-crash --seed n`; `--only word` takes the kinds with that word (`window` for the
 * real app), `--tries n` that many in all.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, printTable, quantile } from '../bench/table.ts';
import { buildVictim, type TryResult, tryOnce } from './documents-crash/tries.ts';
import { tryWindow } from './documents-crash/window-tries.ts';
import { KINDS } from './documents-crash/work.ts';

/** What a crash may cost, in milliseconds. */
const LOSS_MS = 1_000;
/** Processes at a time. */
const LANES = 2;
/** Kills of the real app: each takes two starts of it. */
const WINDOW_TRIES = 8;

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, only: { type: 'string', default: '' }, tries: { type: 'string', default: '200' } },
  strict: false,
});
const seed = Number(values.seed);
const kinds = KINDS.filter((kind) => kind.includes(String(values.only)));
const tries = Array.from({ length: Number(values.tries) }, (_, index) => ({ kind: kinds[index % kinds.length], seed: seed + index }));
const results = new Map(kinds.map((kind) => [kind, [] as TryResult[]]));
const wrong = new Map(kinds.map((kind) => [kind, 0]));
const withWindow = 'window'.includes(String(values.only));
const folder = await mkdtemp(join(tmpdir(), 'cellwright-victim-'));
try {
  const victim = await buildVictim(folder);
  const waiting = [...tries];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next?.kind; next = waiting.shift()) {
      const { kind, seed: trySeed } = next;
      try {
        results.get(kind)!.push(await tryOnce(victim, kind, trySeed, LOSS_MS));
      } catch (error) {
        wrong.set(kind, wrong.get(kind)! + 1);
        console.error(`${kind}, seed ${trySeed}:`, error);
      }
      const done = tries.length - waiting.length;
      if (done % 50 === 0) console.log(`${done} of ${tries.length}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
} finally {
  await rm(folder, { recursive: true, force: true });
}

const row = (name: string, list: readonly TryResult[], failed: number): string[] => {
  const sum = (part: (result: TryResult) => number): string => String(list.reduce((total, result) => total + part(result), 0));
  const lost = list.map(({ lostMs }) => lostMs);
  return [
    name,
    String(list.length + failed),
    sum(({ kills }) => kills),
    sum(({ states }) => states),
    sum(({ saves }) => saves),
    String(list.filter(({ restored }) => restored).length),
    String(Math.round(median(lost))),
    String(Math.round(quantile(lost, 1))),
    String(failed),
  ];
};
const all = [...results.values()].flat();
const failures = [...wrong.values()].reduce((sum, count) => sum + count, 0);
if (kinds.length > 0)
  printTable(
    ['while', 'tries', 'kills', 'states', 'saves', 'restored', 'lost, median ms', 'lost, most ms', 'wrong'],
    [...[...results].map(([kind, list]) => row(kind, list, wrong.get(kind)!)), row('all', all, failures)],
  );

let windowFailures = 0;
let restoredWindows = 0;
let words = 0;
const windowTries = withWindow ? Math.min(WINDOW_TRIES, tries.length) : 0;
for (let index = 0; index < windowTries; index += 1) {
  try {
    const result = await tryWindow(seed + index, LOSS_MS);
    restoredWindows += result.restored ? 1 : 0;
    words += result.words;
  } catch (error) {
    windowFailures += 1;
    console.error(`window, seed ${seed + index}:`, error);
  }
}
console.log(`the real app: ${windowTries} kills, ${restoredWindows} restored, ${words} words came back, ${windowFailures} wrong`);
if (failures + windowFailures > 0) process.exitCode = 1;
