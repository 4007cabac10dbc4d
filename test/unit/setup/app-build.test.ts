/** When the app is built again: for another content or name of a source, never for another time. */
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildApp, sourceHash } from '../../../scripts/setup/app-build.mjs';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-build-'));
  await mkdir(path.join(folder, 'main', 'kernels'), { recursive: true });
  await mkdir(path.join(folder, 'test'));
  await writeFile(path.join(folder, 'main', 'main.ts'), 'export {};');
  await writeFile(path.join(folder, 'main', 'kernels', 'kernel.ts'), 'export const a = 1;');
  await writeFile(path.join(folder, 'package-lock.json'), '{}');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

it('is the same after a checkout gave every file a new time', async () => {
  const before = await sourceHash(folder);
  await utimes(path.join(folder, 'main', 'main.ts'), new Date(), new Date(0));
  expect(await sourceHash(folder)).toBe(before);
});

it.each([
  ['a source is edited', () => writeFile(path.join(folder, 'main', 'kernels', 'kernel.ts'), 'export const a = 2;')],
  ['a source is renamed', () => rename(path.join(folder, 'main', 'main.ts'), path.join(folder, 'main', 'start.ts'))],
  ['a source is added', () => writeFile(path.join(folder, 'main', 'new.ts'), '')],
  ['a source is deleted', () => rm(path.join(folder, 'main', 'main.ts'))],
  ['a package changes', () => writeFile(path.join(folder, 'package-lock.json'), '{ }')],
])('differs when %s', async (_case, change) => {
  const before = await sourceHash(folder);
  await change();
  expect(await sourceHash(folder)).not.toBe(before);
});

it('is built once by several at once, and the others wait', async () => {
  await mkdir(path.join(folder, 'scripts'));
  // As the real build, it minds another beside it.
  const build = `import { mkdirSync, rmSync } from 'node:fs';
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
setTimeout(() => mkdirSync('dist/done'), 300);`;
  await writeFile(path.join(folder, 'scripts', 'build.mjs'), build);
  const said: string[] = [];
  const all = await Promise.all([1, 2, 3].map(() => buildApp(folder, (words) => said.push(words))));
  expect(all.sort()).toEqual(['built', 'up to date', 'up to date']);
  expect(said.sort()).toEqual(['building', ...Array(2).fill('waiting for another build of the same folder')]);
});

it('does not depend on the tests', async () => {
  const before = await sourceHash(folder);
  await writeFile(path.join(folder, 'test', 'a.test.ts'), 'export {};');
  expect(await sourceHash(folder)).toBe(before);
});
