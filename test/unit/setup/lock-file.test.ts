/** One owner at a time, and a killed owner holds nobody up. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeLock } from '../../../main/kernels/discovery/lock-file.mjs';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-lock-'));
  file = path.join(folder, 'lock');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

it('lets one in at a time and leaves nothing behind', async () => {
  let inside = 0;
  let most = 0;
  const turns = Array.from({ length: 5 }, async () => {
    const release = await takeLock(file);
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 10));
    inside -= 1;
    await release?.();
  });
  await Promise.all(turns);
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

it('takes over from an owner that was killed', async () => {
  const owner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(owner, 'spawn');
  await writeFile(file, String(owner.pid));
  let waited = 0;
  expect(await takeLock(file, { timeoutMs: 1, onWait: () => (waited += 1) })).toBeNull();
  expect(waited).toBe(1);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const release = await takeLock(file, { timeoutMs: 1 });
  expect(release).toBeTypeOf('function');
});

it('takes over a lock that names nobody', async () => {
  await writeFile(file, 'not a number');
  expect(await takeLock(file, { timeoutMs: 1 })).toBeTypeOf('function');
});

it('stops waiting when asked to', async () => {
  await writeFile(file, String(process.pid));
  const controller = new AbortController();
  const waiting = takeLock(file, { signal: controller.signal, onWait: () => controller.abort() });
  await expect(waiting).rejects.toThrow('abort');
  expect(await readdir(folder)).toEqual(['lock']);
});
