/** A sample of damaged files; `npm run campaign -- documents` tries a hundred thousand. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { damaged, openDamaged } from './damaged-files.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
/** Every save is made durable, which takes long on a busy disk. */
const PATIENCE_MS = 120_000;
const fixtures = fileURLToPath(new URL('../../fixtures/nbformat/', import.meta.url));
const notebooks = readdirSync(fixtures)
  .filter((name) => name.endsWith('.ipynb'))
  .map((name) => readFileSync(fixtures + name));

it(
  'damaged files open or are refused with words, and none is changed',
  async () => {
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= 200; seed += 1) {
      const bytes = damaged(notebooks, seed);
      let outcome: string;
      try {
        outcome = await openDamaged(folder.path('damaged.ipynb'), bytes);
      } catch (error) {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    // The sample reaches every common kind of ending, else it shows nothing.
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['opened', 'opened with notices', 'bad-json', 'not-notebook']));
  },
  PATIENCE_MS,
);
