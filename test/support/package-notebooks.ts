/**
 * Notebooks from other people's hands: those that some Python packages bring along as their own tests. The packages are unpacked into the cache the
 * first time and never imported, so that nothing they need has to be there.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../scripts/setup/cache-folder.mjs';
import { testPython } from './python.ts';

/** Both have their tests in what is installed. Pinned, so that everybody tries the same notebooks. */
const PACKAGES = ['nbdime==4.0.4', 'papermill==2.7.0'];
const LIMIT_MS = 120_000;

/** The folder with the packages. Rejects when they are not in the cache and can't be downloaded. */
export async function packageNotebooks(): Promise<string> {
  const folder = path.join(cacheFolder(), `test-notebooks-${PACKAGES.join('-').replaceAll('==', '-')}`);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  const unpacked = await mkdtemp(`${folder}.`);
  try {
    await unpackInto(unpacked);
    await rename(unpacked, folder);
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true });
    // Another run may have been quicker.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** An environment that uv made has no pip of its own. */
async function unpackInto(target: string): Promise<void> {
  const python = testPython();
  const run = promisify(execFile);
  const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--target', target, ...PACKAGES];
  const hasPip = await run(python, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  );
  if (hasPip) await run(python, ['-m', 'pip', 'install', '--no-compile', ...options], { timeout: LIMIT_MS });
  else await run('uv', ['pip', 'install', '--python', python, ...options], { timeout: LIMIT_MS });
}
