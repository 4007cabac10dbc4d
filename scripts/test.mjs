/**
 * `npm test`: sets everything up, then runs the linter, the type checker and all tests. Arguments after `--` go to vitest.
 * The last line is `N passed, N failed`; the linter and the type checker count as one check each. All of them run, whatever fails first.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repository } from './setup/paths.mjs';
import { prepare } from './setup/prepare.mjs';
import { explain, main } from './setup/step.mjs';

await main(async () => {
  const python = await setUp();
  if (!python) return 1;
  const checks = [
    await runTool('@biomejs/biome/bin/biome', ['check']),
    await runTool('typescript/bin/tsc', ['--noEmit', '-p', 'tsconfig.json']),
  ];
  const counts = await runTests({ ...process.env, CELLWRIGHT_TEST_PYTHON: python }, process.argv.slice(2));
  for (const { name, reason } of counts.skipped) console.log(`skipped: ${name} (${reason})`);
  for (const { name, error } of counts.retried) console.log(`passed only at a second try: ${name}: ${error}`);
  const passed = counts.passed + checks.filter((good) => good).length;
  const failed = counts.failed + checks.filter((good) => !good).length;
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

/**
 * Sets up; a failure ends in the line that whoever reads the result looks for.
 * @returns {Promise<string | undefined>} the Python for tests
 */
async function setUp() {
  try {
    return (await prepare({ needsXvfb: true, forTests: true })).python;
  } catch (error) {
    console.error(explain(error));
    console.log('0 passed, 1 failed');
    return undefined;
  }
}

/**
 * Runs vitest with its own output plus the reporter that counts.
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} args
 * @returns {Promise<import('./count-reporter.mjs').Counts>}
 */
async function runTests(env, args) {
  const folder = await mkdtemp(path.join(tmpdir(), 'cellwright-tests-'));
  const file = path.join(folder, 'counts.json');
  try {
    const reporters = ['--reporter=default', '--reporter=./scripts/count-reporter.mjs'];
    const good = await runTool('vitest/vitest.mjs', ['run', ...reporters, ...args], { ...env, CELLWRIGHT_TEST_COUNTS: file });
    if (!existsSync(file)) return { passed: 0, failed: 1, skipped: [], retried: [] };
    /** @type {import('./count-reporter.mjs').Counts} */
    const counts = JSON.parse(await readFile(file, 'utf8'));
    // Vitest can fail for a reason that is no test's, such as a broken global set-up.
    return !good && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a package's program with this Node and shows its output.
 * @param {string} script relative to node_modules
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<boolean>} whether it succeeded
 */
function runTool(script, args, env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(repository, 'node_modules', script), ...args], {
      cwd: repository,
      env,
      stdio: 'inherit',
    });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}
