/**
 * Set-up of everything that starts kernels, projects of tests and campaigns: an IPython folder of this run's own, without a history database.
 * Kernels of one user share that database, and one that finds it locked by another says so on stderr, in the middle of the output
 * a test looks at.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cellwright-ipython-'));
  await mkdir(path.join(folder, 'profile_default'));
  await writeFile(path.join(folder, 'profile_default', 'ipython_config.py'), 'c.HistoryManager.enabled = False\n');
  process.env.IPYTHONDIR = folder;
  // A kernel that is just ending may still write into its folder.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
