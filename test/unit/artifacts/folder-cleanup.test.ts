/** Which artifact folders go and which stay: the decision as a table, and the cleaning on real folders with real times and processes. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactFolder } from '../../../main/artifacts/artifact-folder.ts';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { cleanArtifacts, type FolderFacts, foldersToRemove } from '../../../main/artifacts/folder-cleanup.ts';
import { claimFolder, leaveFolder } from '../../../main/artifacts/folder-use.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1_000 * DAY;

function facts(name: string, days: number, bytes: number, more: Partial<FolderFacts> = {}): FolderFacts {
  return { name, bytes, usedAt: NOW - days * DAY, inUse: false, referenced: false, ...more };
}

describe('what goes', () => {
  it.each([
    ['what is old and nothing refers to', [facts('a', 31, 1), facts('b', 29, 1)], ['a']],
    ['not what a notebook refers to', [facts('a', 300, 1, { referenced: true })], []],
    ['not what is in use', [facts('a', 300, 1, { inUse: true })], []],
    ['what was used longest ago, until the rest fits', [facts('a', 3, 60), facts('b', 5, 60), facts('c', 4, 60)], ['b', 'c']],
    ['what nothing refers to before the rest', [facts('a', 20, 60, { referenced: true }), facts('b', 5, 60)], ['b']],
    ['also what is referred to when there is too much', [facts('a', 20, 600, { referenced: true })], ['a']],
    ['never what was used today', [facts('a', 0.5, 600)], []],
    ['never what is in use, however large', [facts('a', 20, 600, { inUse: true }), facts('b', 2, 10)], ['b']],
  ])('%s', (_, folders, expected) => {
    expect(foldersToRemove(folders, { maxDays: 30, maxBytes: 100 }, NOW)).toEqual(expected);
  });

  it('is nothing when both limits are off', () => {
    expect(foldersToRemove([facts('a', 999, 1e12)], { maxDays: 0, maxBytes: 0 }, NOW)).toEqual([]);
  });
});

describe('the folder of all artifacts', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'cellwright-cleanup-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const limits = { maxDays: 30, maxBytes: 1_000_000_000 };

  /** A folder with one artifact, last used so many days ago. */
  async function made(identity: string, days: number, notebook: string | null): Promise<string> {
    const folder = artifactFolder(path.join(root, 'artifacts'), identity);
    await claimFolder(folder, notebook, limits);
    const { file } = await new ArtifactStore(folder).allocate('stream', 'txt', { mime: 'text/plain', source: {} });
    await writeFile(file, 'text');
    await leaveFolder(folder, limits);
    const then = new Date(Date.now() - days * DAY);
    for (const name of await readdir(folder)) await utimes(path.join(folder, name), then, then);
    await utimes(folder, then, then);
    return folder;
  }

  it('keeps what notebooks refer to and loses what is old, with all that is in it', async () => {
    const [named, silent] = ['named.ipynb', 'silent.ipynb'].map((name) => path.join(root, name)) as [string, string];
    await writeFile(named, `{"text": "${'x'.repeat(100_000)} Full output: artifact://0"}`);
    await writeFile(silent, '{"cells": []}');
    const kept = [await made('named', 90, named), await made('young', 3, null)];
    for (const [identity, notebook] of [
      ['silent', silent],
      ['deleted', path.join(root, 'deleted.ipynb')],
      ['nobody', null],
    ] as const)
      await made(identity, 90, notebook);
    await mkdir(path.join(root, 'artifacts', 'something else'));
    expect(await cleanArtifacts(path.join(root, 'artifacts'), limits)).toHaveLength(3);
    expect((await readdir(path.join(root, 'artifacts'))).sort()).toEqual(
      [...kept.map((each) => path.basename(each)), 'something else'].sort(),
    );
  });

  it('never gives an id again that a notebook still names, also when its artifact had to go', async () => {
    const notebook = path.join(root, 'named.ipynb');
    await writeFile(notebook, '{"text": "Full output: artifact://0"}');
    const folder = await made('named', 90, notebook);
    expect(await cleanArtifacts(path.join(root, 'artifacts'), { maxDays: 30, maxBytes: 1 })).toHaveLength(1);
    const store = new ArtifactStore(folder);
    expect(await store.list()).toEqual([]);
    expect((await store.allocate('stream', 'txt', { mime: 'text/plain', source: {} })).id).toBe('1');
    expect(await store.resolve('0')).toBeNull();
  });

  it('never loses what another process uses, and loses it after that was killed', async () => {
    const folder = await made('used', 90, null);
    const user = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const mark = path.join(folder, `.used-by-${user.pid}`);
    await writeFile(mark, '');
    const then = new Date(Date.now() - 90 * DAY);
    for (const file of [mark, folder]) await utimes(file, then, then);
    expect(await cleanArtifacts(path.join(root, 'artifacts'), limits)).toEqual([]);
    const ended = new Promise((resolve) => user.once('exit', resolve));
    user.kill('SIGKILL');
    await ended;
    expect(await cleanArtifacts(path.join(root, 'artifacts'), limits)).toHaveLength(1);
  });

  it('follows no link, and finishes a removal that was cut off', async () => {
    const elsewhere = path.join(root, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(path.join(elsewhere, 'precious.txt'), 'x');
    const folder = await made('linked', 90, null);
    await symlink(elsewhere, path.join(folder, 'link'));
    const then = new Date(Date.now() - 90 * DAY);
    await utimes(folder, then, then);
    await mkdir(path.join(root, 'artifacts', `${'0'.repeat(24)}.removed`));
    await symlink(elsewhere, path.join(root, 'artifacts', 'f'.repeat(24)));
    await cleanArtifacts(path.join(root, 'artifacts'), limits, Date.now() + 60 * DAY);
    expect(await readdir(elsewhere)).toEqual(['precious.txt']);
    expect(await readdir(path.join(root, 'artifacts'))).toEqual(['f'.repeat(24)]);
  });

  it('need not be there', async () => {
    expect(await cleanArtifacts(path.join(root, 'none'), limits)).toEqual([]);
  });
});
