/**
 * Kernels of other languages, real ones: bash_kernel, in Python but with a shell behind it, and Deno, a program of its own that shares no code
 * with ipykernel. Both come from PyPI into one environment of the cache, and their own installers write the kernelspecs.
 */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureManagedEnvironment } from '../../main/kernels/discovery/managed-environment.mjs';
import { cacheFolder } from '../../scripts/setup/cache-folder.mjs';
import { testPython } from './python.ts';

const run = promisify(execFile);

/** The value for JUPYTER_PATH under which the kernels `bash` and `deno` are found. Takes a network and a minute the first time. */
export async function otherLanguages(): Promise<string> {
  const folder = path.join(cacheFolder(), 'test-other-languages');
  const python = await ensureManagedEnvironment({ folder, packages: ['bash_kernel', 'deno'], basePython: testPython() });
  const data = path.join(folder, 'share', 'jupyter');
  if (!(await exists(path.join(data, 'kernels', 'bash', 'kernel.json'))))
    await run(python, ['-m', 'bash_kernel.install', '--prefix', folder]);
  if (!(await exists(path.join(data, 'kernels', 'deno', 'kernel.json')))) {
    // It installs into the person's own data folder, and knows no other way to another one.
    const env = { ...process.env, XDG_DATA_HOME: path.join(folder, 'share'), HOME: folder, NO_COLOR: '1' };
    await run(path.join(folder, 'bin', 'deno'), ['jupyter', '--install'], { env });
  }
  return data;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
