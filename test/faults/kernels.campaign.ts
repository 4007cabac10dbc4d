/**
 * Faults of kernels and of their host, hundreds of times at random instants. Each try ends in a right result or in an exact error within its
 * time, and nothing is left over: `npm run campaign -- kernels --seed n`. `--only words` takes the kinds whose name has them, `--tries n` that many of each.
 */
import { parseArgs } from 'node:util';
import { printTable } from '../bench/table.ts';
import { setup as ownIPython } from '../support/ipython.ts';
import { KINDS } from './kernels/kinds.ts';
import { isClean, type Tally, tryKind } from './kernels/tries.ts';

/** Sessions at a time: faults are to meet each other's load. */
const LANES = 3;

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, only: { type: 'string', default: '' }, tries: { type: 'string' } },
  strict: false,
});
const seed = Number(values.seed);
// Killed kernels leave a shared history database broken, and the next ones say so in the middle of their output.
const removeIPython = await ownIPython();
const kinds = KINDS.filter(({ name }) => name.includes(String(values.only)));
const tallies: Tally[] = [];
for (const kind of kinds) {
  const lacks = kind.lacks?.() ?? null;
  if (lacks !== null) {
    console.log(`skipped: ${kind.name} (${lacks})`);
    continue;
  }
  const tally = await tryKind(kind, values.tries ? Number(values.tries) : kind.tries, seed, LANES, true);
  tallies.push(tally);
  for (const { seed: trySeed, error } of tally.wrong) console.error(`${kind.name}, seed ${trySeed}:`, error);
  console.log(`${isClean(tally) ? 'ok    ' : 'FAILED'} ${kind.name}`);
}

const numbers = (tally: Tally): number[] => {
  const { tries, right, errors, hung, wrong, left } = tally;
  return [tries, right, errors, wrong.length - hung, hung, left.processes, left.files, left.descriptors];
};
const sums = tallies.map(numbers).reduce((sum, row) => sum.map((number, column) => number + row[column]!), new Array<number>(8).fill(0));
printTable(
  ['fault', 'tries', 'right result', 'exact error', 'wrong', 'hung', 'processes left', 'files left', 'descriptors left'],
  [...tallies.map((tally) => [tally.kind, ...numbers(tally).map(String)]), ['all', ...sums.map(String)]],
);
await removeIPython();
if (!tallies.every(isClean)) process.exitCode = 1;
