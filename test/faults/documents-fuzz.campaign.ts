/**
 * A hundred thousand damaged files, each opened as a person would: no crash, no changed byte, words for every refusal. Prints the seed of a
 * file that breaks this, from which the same file can be made again: `npm run campaign -- documents-fuzz --seed n`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { damaged, openDamaged } from '../unit/documents/damaged-files.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '100000' } },
  strict: false,
});
const first = Number(values.seed);
const count = Number(values.count);
const notebooks = readdirSync('test/fixtures/nbformat')
  .filter((name) => name.endsWith('.ipynb'))
  .map((name) => readFileSync(join('test/fixtures/nbformat', name)));
const folder = mkdtempSync(join(tmpdir(), 'cellwright-fuzz-'));
const outcomes = new Map<string, number>();

try {
  for (let seed = first; seed < first + count; seed += 1) {
    try {
      const outcome = await openDamaged(join(folder, 'damaged.ipynb'), damaged(notebooks, seed));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      console.error(`File of seed ${seed}:`, error);
      process.exitCode = 1;
      break;
    }
    if ((seed - first + 1) % 10_000 === 0) console.log(`${seed - first + 1} of ${count} files`);
  }
  for (const [outcome, files] of [...outcomes].sort(([, a], [, b]) => b - a)) console.log(`${String(files).padStart(8)} ${outcome}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
