/** The counts behind the last line of `npm test`, from a real vitest run over tests of every kind and files that are broken. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repository } from '../../../scripts/setup/paths.mjs';

let folder: string;

beforeAll(async () => {
  // Inside the repository, because the tests in it import vitest.
  await mkdir(path.join(repository, '.cache'), { recursive: true });
  folder = await mkdtemp(path.join(repository, '.cache', 'count-'));
  await writeFile(path.join(folder, 'vitest.config.mjs'), 'export default {};');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function countOf(name: string, source: string): Promise<unknown> {
  await writeFile(path.join(folder, `${name}.test.mjs`), `import { describe, expect, it } from 'vitest';\n${source}`);
  const counts = path.join(folder, `${name}.json`);
  const vitest = path.join(repository, 'node_modules/vitest/vitest.mjs');
  const reporter = path.join(repository, 'scripts/count-reporter.mjs');
  const { VITEST, VITEST_WORKER_ID, VITEST_POOL_ID, ...env } = process.env;
  spawnSync(process.execPath, [vitest, 'run', '--root', folder, `--reporter=${reporter}`, name], {
    env: { ...env, CELLWRIGHT_TEST_COUNTS: counts },
  });
  return JSON.parse(await readFile(counts, 'utf8'));
}

it('counts passed, failed and skipped tests, with the reasons', async () => {
  const source = `
    it('passes', () => expect(1).toBe(1));
    it.each([1, 2])('passes %s', () => {});
    it('fails', () => expect(1).toBe(2));
    it('is skipped', (context) => context.skip('no network here'));
    describe('group', () => it.skip('is left out', () => {}));`;
  expect(await countOf('kinds', source)).toEqual({
    passed: 3,
    failed: 1,
    skipped: [
      { name: 'kinds.test.mjs > is skipped', reason: 'no network here' },
      { name: 'kinds.test.mjs > group > is left out', reason: 'no reason given' },
    ],
    retried: [],
  });
}, 60_000);

it('names a test that passed only at a second try, with what was wrong at the first', async () => {
  const source = `
    let tries = 0;
    it('passes later', { retry: 1 }, () => expect((tries += 1), 'too early\\nby far').toBe(2));
    it('never passes', { retry: 1 }, () => expect(1).toBe(2));`;
  expect(await countOf('retried', source)).toEqual({
    passed: 1,
    failed: 1,
    skipped: [],
    retried: [{ name: 'retried.test.mjs > passes later', error: 'too early' }],
  });
}, 60_000);

it('counts a file that does not load', async () => {
  expect(await countOf('unloadable', "import './nowhere.mjs';")).toMatchObject({ passed: 0, failed: 1 });
}, 60_000);

it('counts an error that belongs to no test', async () => {
  const source =
    "it('passes', async () => { setTimeout(() => { throw new Error('late'); }, 1); await new Promise((done) => setTimeout(done, 50)); });";
  expect(await countOf('late', source)).toMatchObject({ passed: 1, failed: 1 });
}, 60_000);
