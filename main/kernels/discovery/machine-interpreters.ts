/**
 * Programs on this machine that may be a Python: the active environment, the search path, conda, pyenv, uv, the usual places and the
 * Windows launcher. Only places are listed here, without their shells' hooks; which of them works is asked of the program itself.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { System } from './jupyter-paths.ts';
import { pyenvRoot } from './project-environments.ts';

/** The launcher only reads the registry. */
const LAUNCHER_TIMEOUT_MS = 5_000;

/** Folders that conda's installers choose, below the home folder and for everybody. */
const CONDA_NAMES = ['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba', '.conda'];
const CONDA_SHARED = ['/opt/conda', '/opt/miniconda3', '/opt/anaconda3', '/opt/miniforge3', '/opt/homebrew/Caskroom/miniforge/base'];

/** An app that is started from the Finder does not have the shell's search path. */
const MACOS_FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin'];

/** Best first; many of them do not exist. */
export async function machinePrograms(system: System): Promise<string[]> {
  const { env, platform } = system;
  const active = [env.VIRTUAL_ENV, env.CONDA_PREFIX].filter((prefix) => prefix !== undefined && prefix !== '');
  const [conda, pyenv, uv, launcher] = await Promise.all([
    condaPrefixes(system),
    pyenvPrefixes(system),
    uvPrefixes(system),
    launcherPrograms(system),
  ]);
  return [
    ...active.map((prefix) => programIn(prefix as string, platform)),
    ...searchPath(system),
    ...[...conda, ...pyenv, ...uv].map((prefix) => programIn(prefix, platform)),
    ...launcher,
  ];
}

/** The interpreter of an environment: conda on Windows keeps it in the root, everything else in a folder of programs. */
export function programIn(prefix: string, platform: NodeJS.Platform, conda = false): string {
  if (platform !== 'win32') return path.join(prefix, 'bin', 'python');
  return conda ? path.join(prefix, 'python.exe') : path.join(prefix, 'Scripts', 'python.exe');
}

function searchPath({ env, platform }: System): string[] {
  const windows = platform === 'win32';
  const value = env.PATH ?? env.Path ?? '';
  const folders = value.split(windows ? ';' : ':').filter((folder) => path.isAbsolute(folder));
  const all = platform === 'darwin' ? [...folders, ...MACOS_FOLDERS] : folders;
  return [...new Set(all)].flatMap((folder) => (windows ? ['python.exe'] : ['python3', 'python']).map((name) => path.join(folder, name)));
}

async function condaPrefixes({ env, home }: System): Promise<string[]> {
  const bases = [
    ...(env.CONDA_EXE ? [path.dirname(path.dirname(env.CONDA_EXE))] : []),
    ...(env.MAMBA_ROOT_PREFIX ? [env.MAMBA_ROOT_PREFIX] : []),
    ...CONDA_NAMES.map((name) => path.join(home, name)),
    ...CONDA_SHARED,
  ];
  // Conda writes every environment it makes into this file, wherever it lies.
  const listed = await readFile(path.join(home, '.conda', 'environments.txt'), 'utf8').catch(() => '');
  const named = await Promise.all(bases.map((base) => foldersIn(path.join(base, 'envs'))));
  return [
    ...listed
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
    ...bases,
    ...named.flat(),
  ];
}

async function pyenvPrefixes(system: System): Promise<string[]> {
  const versions = await foldersIn(path.join(pyenvRoot(system), 'versions'));
  return versions.sort(newestFirst);
}

async function uvPrefixes({ env, platform, home }: System): Promise<string[]> {
  const data =
    platform === 'win32' ? env.APPDATA || path.join(home, 'AppData', 'Roaming') : env.XDG_DATA_HOME || path.join(home, '.local', 'share');
  const folders = await foldersIn(env.UV_PYTHON_INSTALL_DIR || path.join(data, 'uv', 'python'));
  return folders.sort(newestFirst);
}

/** The Windows launcher lists what is registered: ` -V:3.12 *  C:\…\python.exe`. */
async function launcherPrograms({ platform }: System): Promise<string[]> {
  if (platform !== 'win32') return [];
  return new Promise((resolve) => {
    execFile('py', ['-0p'], { timeout: LAUNCHER_TIMEOUT_MS, windowsHide: true }, (error, stdout) =>
      resolve(error ? [] : parseLauncher(stdout)),
    );
  });
}

/** Exported for its test. */
export function parseLauncher(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => /([A-Za-z]:\\.*python[\w.]*\.exe)\s*$/i.exec(line)?.[1] ?? []);
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map((entry) => path.join(folder, entry.name));
}

function newestFirst(a: string, b: string): number {
  return path.basename(b).localeCompare(path.basename(a), 'en', { numeric: true });
}
