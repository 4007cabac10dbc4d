/**
 * The one cache folder per user. In a file of its own because the bundled command line imports it too, and a bundle has no place in
 * the repository to speak of.
 */
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * The folder for what can be had again: Electron runtimes and the Python that tests use.
 * @param {NodeJS.Platform} [platform]
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [home]
 * @returns {string}
 */
export function cacheFolder(platform = process.platform, env = process.env, home = homedir()) {
  if (platform === 'win32') return path.win32.join(env.LOCALAPPDATA || path.win32.join(home, 'AppData', 'Local'), 'cellwright', 'cache');
  if (platform === 'darwin') return path.posix.join(home, 'Library', 'Caches', 'cellwright');
  const base = env.XDG_CACHE_HOME && path.posix.isAbsolute(env.XDG_CACHE_HOME) ? env.XDG_CACHE_HOME : path.posix.join(home, '.cache');
  return path.posix.join(base, 'cellwright');
}
