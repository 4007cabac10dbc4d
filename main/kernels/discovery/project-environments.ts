/**
 * The Python environments that belong to a project: those in its folder and those that poetry, pipenv and pyenv keep elsewhere for it.
 * The nearest folder wins, and the search ends at the repository's root, so that a stray environment above it is not taken.
 */
import { createHash } from 'node:crypto';
import { access, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { System } from './jupyter-paths.ts';

export type Origin = 'folder' | 'poetry' | 'pipenv' | 'pyenv';

export interface EnvironmentFolder {
  prefix: string;
  origin: Origin;
}

/** Names that tools and people give to an environment inside a project, the usual ones first. */
const NAMES = ['.venv', 'venv', 'env', '.conda', path.join('.pixi', 'envs', 'default')];

/** Best first. */
export async function projectEnvironments(projectFolder: string, system: System): Promise<EnvironmentFolder[]> {
  const found: EnvironmentFolder[] = [];
  for (const folder of await projectFolders(projectFolder, system)) {
    for (const name of NAMES) {
      const prefix = path.join(folder, name);
      if (await isEnvironment(prefix)) found.push({ prefix, origin: 'folder' });
    }
    for (const prefix of await poetryEnvironments(folder, system)) found.push({ prefix, origin: 'poetry' });
    for (const prefix of await pipenvEnvironments(folder, system)) found.push({ prefix, origin: 'pipenv' });
    for (const prefix of await pyenvVersions(folder, system)) found.push({ prefix, origin: 'pyenv' });
  }
  return found;
}

/** The folder and its parents up to the repository's root. Without a repository it ends below the home folder. */
async function projectFolders(start: string, { home }: System): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = path.resolve(start); ; folder = path.dirname(folder)) {
    if (folders.length > 0 && (folder === home || folder === path.dirname(folder))) return folders;
    folders.push(folder);
    if ((await exists(path.join(folder, '.git'))) || folder === path.dirname(folder)) return folders;
  }
}

async function isEnvironment(prefix: string): Promise<boolean> {
  return (await exists(path.join(prefix, 'pyvenv.cfg'))) || (await exists(path.join(prefix, 'conda-meta')));
}

/** Poetry names an environment after the project and a hash of its folder. */
async function poetryEnvironments(folder: string, system: System): Promise<string[]> {
  const project = await readText(path.join(folder, 'pyproject.toml'));
  const name = /^\s*name\s*=\s*["']([^"']+)["']/m.exec(project)?.[1];
  if (name === undefined) return [];
  const real = await realpath(folder).catch(() => folder);
  const hash = createHash('sha256')
    .update(system.platform === 'win32' ? real.toLowerCase() : real)
    .digest('base64url');
  const prefix = `${name
    .toLowerCase()
    .replace(/[ $`!*@"\\\r\n\t]/g, '_')
    .slice(0, 42)}-${hash.slice(0, 8)}-py`;
  const store = poetryStore(system);
  return (await list(store)).filter((entry) => entry.startsWith(prefix)).map((entry) => path.join(store, entry));
}

function poetryStore({ platform, env, home }: System): string {
  if (env.POETRY_VIRTUALENVS_PATH) return env.POETRY_VIRTUALENVS_PATH;
  const cache =
    env.POETRY_CACHE_DIR ||
    (platform === 'darwin'
      ? path.join(home, 'Library', 'Caches', 'pypoetry')
      : platform === 'win32'
        ? path.join(env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'pypoetry', 'Cache')
        : path.join(env.XDG_CACHE_HOME || path.join(home, '.cache'), 'pypoetry'));
  return path.join(cache, 'virtualenvs');
}

/** Pipenv leaves a note in the environment that says whose it is. */
async function pipenvEnvironments(folder: string, { platform, env, home }: System): Promise<string[]> {
  if (!(await exists(path.join(folder, 'Pipfile')))) return [];
  const windows = platform === 'win32';
  const store =
    env.WORKON_HOME ||
    (windows ? path.join(home, '.virtualenvs') : path.join(env.XDG_DATA_HOME || path.join(home, '.local', 'share'), 'virtualenvs'));
  const prefixes = (await list(store)).filter((entry) => entry.startsWith(path.basename(folder))).map((entry) => path.join(store, entry));
  const owners = await Promise.all(prefixes.map((prefix) => readText(path.join(prefix, '.project'))));
  return prefixes.filter((_prefix, index) => owners[index]?.trim() === folder);
}

/** `.python-version` may name several, one a line. */
async function pyenvVersions(folder: string, system: System): Promise<string[]> {
  const names = (await readText(path.join(folder, '.python-version'))).split('\n').map((line) => line.trim());
  const prefixes = names.filter((name) => /^[\w.-]+$/.test(name)).map((name) => path.join(pyenvRoot(system), 'versions', name));
  const there = await Promise.all(prefixes.map(exists));
  return prefixes.filter((_prefix, index) => there[index]);
}

export function pyenvRoot({ platform, env, home }: System): string {
  return env.PYENV_ROOT || (platform === 'win32' ? path.join(home, '.pyenv', 'pyenv-win') : path.join(home, '.pyenv'));
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
