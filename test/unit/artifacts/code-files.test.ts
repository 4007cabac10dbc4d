/** Files that code puts into its artifact folder: each version gets one id, with the cell that made it; the store's own files get none. */
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { CodeFiles } from '../../../main/artifacts/code-files.ts';

let folder: string;
let store: ArtifactStore;
let files: CodeFiles;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-code-files-'));
  store = new ArtifactStore(folder);
  files = new CodeFiles(store);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Written at this time, in milliseconds since the epoch. */
async function put(name: string, text: string, at: number): Promise<void> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  await utimes(file, at / 1000, at / 1000);
}

it('get an id with cell, time, type and size', async () => {
  files.began('first', 1_000_000);
  await put('table.csv', 'a,b', 1_500_000);
  files.began('second', 2_000_000);
  await put('plots/figure.png', 'png', 2_500_000);
  await put('mystery', '?', 2_600_000);
  const made = await files.look();
  expect(made.map(({ id, source, mime, bytes, kind, createdAt }) => [id, source, mime, bytes, kind, createdAt])).toEqual([
    ['0', { areaId: 'second', name: 'mystery' }, 'application/octet-stream', 1, 'file', 2_600_000],
    ['1', { areaId: 'second', name: 'figure.png' }, 'image/png', 3, 'file', 2_500_000],
    ['2', { areaId: 'first', name: 'table.csv' }, 'text/csv', 3, 'file', 1_500_000],
  ]);
  expect((await store.resolve('1'))?.file).toBe(path.join(folder, 'plots', 'figure.png'));
});

it('get it once, also after a restart, and another one when they change', async () => {
  files.began('cell', 1_000_000);
  await put('a.txt', 'one', 1_100_000);
  expect(await files.look()).toHaveLength(1);
  expect(await files.look()).toEqual([]);
  expect(await new CodeFiles(new ArtifactStore(folder)).look()).toEqual([]);
  await put('a.txt', 'two!', 1_200_000);
  expect((await files.look()).map(({ id, bytes }) => [id, bytes])).toEqual([['1', 4]]);
  // The first version is gone, and its id never means another.
  expect(await store.resolve('0')).toBeNull();
  expect((await store.list()).map(({ id }) => id)).toEqual(['1']);
});

it('are told from the store’s own and from what is hidden', async () => {
  const { file } = await store.allocate('stream', 'txt', { mime: 'text/plain', source: { areaId: 'cell' } });
  await writeFile(file, 'a stream');
  await put('.working.tmp', 'x', 1_000);
  await put('0.csv', 'named like an id', 1_000);
  await put('7.csv', 'named like an id that is not there yet', 1_000);
  expect((await files.look()).map(({ source }) => source.name)).toEqual(['0.csv', '7.csv']);
  const { file: later } = await store.allocate('payload', 'png', { mime: 'image/png', source: {} });
  await writeFile(later, 'png');
  expect(await files.look()).toEqual([]);
  expect((await store.list()).map(({ kind }) => kind)).toEqual(['stream', 'file', 'file', 'payload']);
});

it('may be JSON that is named like a note', async () => {
  await store.allocate('stream', 'txt', { mime: 'text/plain', source: {} });
  await put('2024.json', '{"sales": 1}', 1_000);
  // A note that another process is about to write.
  await put('2025.json', '', 1_000);
  expect((await files.look()).map(({ source, mime }) => [source.name, mime])).toEqual([['2024.json', 'application/json']]);
  expect(await files.look()).toEqual([]);
});

it('lead nowhere else: no link is taken, and no note can name a path outside', async () => {
  const outside = await mkdtemp(path.join(os.tmpdir(), 'cellwright-outside-'));
  await writeFile(path.join(outside, 'secret.txt'), 'x');
  await symlink(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'));
  await symlink(outside, path.join(folder, 'linked'));
  expect(await files.look()).toEqual([]);
  const { size: bytes, mtimeMs: modifiedAt } = await (await import('node:fs/promises')).stat(path.join(outside, 'secret.txt'));
  for (const file of ['linked/secret.txt', 'link.txt', path.relative(folder, path.join(outside, 'secret.txt'))]) {
    const id = await store.adopt(file, { mime: 'text/plain', source: {}, createdAt: 0, version: { bytes, modifiedAt } });
    expect(await store.resolve(id)).toBeNull();
  }
  await rm(outside, { recursive: true });
});

it('are found by overlapping looks once', async () => {
  for (let count = 0; count < 20; count += 1) await put(`f${count}.txt`, 'x', 1_000);
  const all = await Promise.all(Array.from({ length: 5 }, () => files.look()));
  expect(new Set(all.flat().map(({ id }) => id)).size).toBe(20);
  expect(await store.list()).toHaveLength(20);
});

it('need no folder', async () => {
  expect(await new CodeFiles(new ArtifactStore(path.join(folder, 'none'))).look()).toEqual([]);
});
