/**
 * `npm run bench [-- words]`: sets up, then runs the benchmarks whose path has one of the words, or all.
 * Each prints its rows; none decides whether a change is good. The exit code says only whether they ran.
 */
import { startDisplay } from './display.mjs';
import { prepare } from './setup/prepare.mjs';
import { main, SetupError } from './setup/step.mjs';
import { findScripts, runScripts } from './typescript-scripts.mjs';

await main(async () => {
  const { python, electron } = await prepare({ needsXvfb: true, forTests: true });
  const files = await findScripts('test/bench', '.bench.ts', process.argv.slice(2));
  if (files.length === 0) throw new SetupError('No benchmark matches. They are test/bench/*.bench.ts.');
  const display = process.platform === 'linux' ? await startDisplay() : undefined;
  try {
    const env = { ...process.env, CELLWRIGHT_TEST_PYTHON: python, ...(display ? { DISPLAY: display.display } : {}) };
    console.log(`Node ${process.version}, Electron ${electron.version}`);
    const failed = await runScripts(files, [], env);
    if (failed.length > 0) console.error(`\nDid not finish: ${failed.join(', ')}`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await display?.stop();
  }
});
