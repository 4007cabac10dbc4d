/**
 * Real notebooks with random damage: whatever is had back from them is a whole, valid notebook that opens, and the damaged file keeps every
 * byte. Each failure names its seed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NotebookOpenError } from '../../../../main/documents/errors.ts';
import { parseNotebookAtOnce } from '../../../../main/documents/notebook-file.ts';
import { type Choice, type Recovered, recover, repairedText } from '../../../../main/documents/repair/recover.ts';
import { lookAtDamage } from '../../../../main/documents/repair/repair-file.ts';
import { findProblems } from '../../../../main/documents/validate.ts';
import { damaged } from '../damaged-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = temporaryFolder();

const FIXTURES = join(import.meta.dirname, '../../../fixtures/nbformat');
const notebooks = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.ipynb'))
  .map((name) => readFileSync(join(FIXTURES, name)));

/** Problems of the cells' own frame: odd outputs and fields that nobody knows stay as they were. */
async function problemsOf(text: string): Promise<string[]> {
  const { nbformat_minor: minor } = JSON.parse(text) as { nbformat_minor: number };
  const problems = await findProblems(parseNotebookAtOnce(Buffer.from(text)), minor);
  return problems
    .map((problem) => JSON.stringify(problem))
    .filter((problem) => !/outputs|metadata|attachments|is not a field that nbformat knows/.test(problem));
}

function choicesFor({ cells }: Recovered, seed: number): Map<string, Choice> {
  const all: Choice[] = ['ours', 'theirs', 'both', { source: 'edited\n' }];
  return new Map(cells.map(({ key }, place) => [key, all[(seed + place) % all.length]!]));
}

describe('damage', () => {
  it('of any kind leaves a valid notebook or nothing', async () => {
    let found = 0;
    for (let seed = 0; seed < 300; seed += 1) {
      const text = damaged(notebooks, seed).toString('utf8');
      const recovered = recover(text, 'a.ipynb');
      if (!recovered) continue;
      found += 1;
      const written = repairedText(recovered, choicesFor(recovered, seed));
      expect(() => JSON.parse(written), `seed ${seed}`).not.toThrow();
      if (seed % 6 === 0) expect(await problemsOf(written), `seed ${seed}`).toEqual([]);
    }
    expect(found).toBeGreaterThan(100);
  });

  it('never changes a byte of the file that is looked at', async () => {
    for (let seed = 5_000; seed < 5_080; seed += 1) {
      const bytes = damaged(notebooks, seed);
      const path = folder.write('a.ipynb', bytes);
      const outcome = await lookAtDamage(path).catch((error: unknown) => error);
      if (outcome instanceof Error && !(outcome instanceof NotebookOpenError)) throw new Error(`seed ${seed}`, { cause: outcome });
      expect(readFileSync(path).equals(bytes), `seed ${seed}`).toBe(true);
    }
    expect(folder.names()).toEqual(['a.ipynb']);
  });
});
