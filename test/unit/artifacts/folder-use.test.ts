/** Several users of one artifact folder in one process: the mark is there while any of them uses it. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimFolder, claimIfThere, isInUse, leaveFolder, ownerOf } from '../../../main/artifacts/folder-use.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'cellwright-use-'));
  folder = path.join(root, 'artifacts');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const [one, other] = [{ name: 'one' }, { name: 'other' }];

it('is in use until the last of its users has left', async () => {
  await claimFolder(folder, '/a.ipynb', one);
  await claimFolder(folder, null, other);
  await claimFolder(folder, null, one);
  await leaveFolder(folder, one);
  expect([await isInUse(folder), await ownerOf(folder)]).toEqual([true, '/a.ipynb']);
  await leaveFolder(folder, other);
  expect(await isInUse(folder)).toBe(false);
  expect((await readdir(folder)).sort()).toEqual(['.notebook']);
});

it('is in use after a claim and a leave that overlap, whichever began first', async () => {
  await claimFolder(folder, null, one);
  await Promise.all([leaveFolder(folder, one), claimFolder(folder, null, other)]);
  expect(await isInUse(folder)).toBe(true);
  await Promise.all([claimFolder(folder, null, one), leaveFolder(folder, other)]);
  expect(await isInUse(folder)).toBe(true);
  await Promise.all([claimFolder(folder, null, other), leaveFolder(folder, other), leaveFolder(folder, one)]);
  expect(await isInUse(folder)).toBe(false);
});

it('a folder that is not there is not made for a look, and one that was never claimed can be left', async () => {
  expect(await claimIfThere(folder, null, one)).toBe(false);
  await leaveFolder(folder, one);
  expect(await readdir(root)).toEqual([]);
  await claimFolder(folder, null, other);
  expect(await claimIfThere(folder, null, one)).toBe(true);
  await leaveFolder(folder, other);
  expect(await isInUse(folder)).toBe(true);
  await leaveFolder(folder, one);
});
