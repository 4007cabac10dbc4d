/** Paths that agents give, on real folders and links: what is meant, and that nothing outside of the folders is reached. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { absolutePath, liesIn, notebookPath, PathError, pathWithin, type Reach } from '../../../main/agents/paths.ts';

let root: string;
let reach: Reach;

beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cellwright-paths-')));
  for (const folder of ['given/sub', 'given-not', 'outside']) await mkdir(path.join(root, folder), { recursive: true });
  for (const file of ['given/a.ipynb', 'given/plain.txt', 'outside/secret.ipynb', 'given-not/b.ipynb'])
    await writeFile(path.join(root, file), '');
  await symlink(path.join(root, 'outside'), path.join(root, 'given/way-out'));
  await symlink(path.join(root, 'outside/secret.ipynb'), path.join(root, 'given/link.ipynb'));
  await symlink(path.join(root, 'given/a.ipynb'), path.join(root, 'given/inner.ipynb'));
  reach = { cwd: path.join(root, 'given'), folders: [path.join(root, 'given')], home: path.join(root, 'given') };
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('a notebook', () => {
  test('is found by each way to write its path', async () => {
    const file = path.join(root, 'given/a.ipynb');
    for (const given of ['a.ipynb', './sub/../a.ipynb', file, '~/a.ipynb', pathToFileURL(file).href, 'inner.ipynb'])
      expect(await notebookPath(given, reach)).toBe(file);
  });

  test('need not be there yet', async () => {
    expect(await notebookPath('sub/new.ipynb', reach)).toBe(path.join(root, 'given/sub/new.ipynb'));
  });

  test.each(['../outside/secret.ipynb', 'way-out/secret.ipynb', 'way-out/new.ipynb', 'link.ipynb', '../given-not/b.ipynb', '/etc/x.ipynb'])(
    'outside of the folders is refused: %s',
    async (given) => {
      await expect(notebookPath(given, reach)).rejects.toThrow(/outside of the folders/);
    },
  );

  test.each(['plain.txt', 'sub', 'a.ipynb.bak', 'a.ipynb\0.txt', 'file://%'])('is no other file: %s', async (given) => {
    await expect(notebookPath(given, reach)).rejects.toThrow(PathError);
  });
});

test('without folders nothing is reached', async () => {
  await expect(pathWithin('a.ipynb', { ...reach, folders: [] })).rejects.toThrow(/none/);
});

test('a folder that is a link itself is followed', async () => {
  const linked = path.join(root, 'linked');
  await symlink(path.join(root, 'given'), linked);
  expect(await notebookPath(path.join(linked, 'a.ipynb'), { ...reach, folders: [linked] })).toBe(path.join(root, 'given/a.ipynb'));
});

test('a tilde within a name is no home', () => {
  expect(absolutePath('~backup', { cwd: '/c', home: '/h' })).toBe(path.resolve('/c/~backup'));
});

test('what begins with two dots may still lie inside', () => {
  expect(liesIn('/a/..b', '/a')).toBe(true);
  expect(liesIn('/a', '/a')).toBe(true);
  expect(liesIn('/ab', '/a')).toBe(false);
});
