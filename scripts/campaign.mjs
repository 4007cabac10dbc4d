/**
 * `npm run campaign [-- words] [--seed n] [--only kind] [--tries n]`: sets up, then runs the fault campaigns. They try random orders of faults for longer than a test may.
 * The seed is printed first: the same seed gives the same faults in the same order.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startDisplay } from './display.mjs';
import { prepare } from './setup/prepare.mjs';
import { main, SetupError } from './setup/step.mjs';
import { findScripts, runScripts } from './typescript-scripts.mjs';

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: 'string' }, only: { type: 'string' }, tries: { type: 'string' } },
  });
  const seed = values.seed ?? String(randomInt(2 ** 31));
  if (!/^\d{1,10}$/.test(seed)) throw new SetupError(`--seed takes a whole number, not ${seed}.`);
  const { python } = await prepare({ needsXvfb: true, forTests: true });
  const files = await findScripts('test/faults', '.campaign.ts', positionals);
  if (files.length === 0) throw new SetupError('No campaign matches. They are test/faults/*.campaign.ts.');
  const display = process.platform === 'linux' ? await startDisplay() : undefined;
  try {
    console.log(`seed ${seed} (again with: npm run campaign -- --seed ${seed})`);
    // What a campaign that has several kinds of fault is narrowed by.
    const narrowing = [values.only && ['--only', values.only], values.tries && ['--tries', values.tries]].flatMap((pair) => pair || []);
    const env = { ...process.env, CELLWRIGHT_TEST_PYTHON: python, ...(display ? { DISPLAY: display.display } : {}) };
    const failed = await runScripts(files, ['--seed', seed, ...narrowing], env);
    console.log(`${files.length - failed.length} passed, ${failed.length} failed`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await display?.stop();
  }
});
