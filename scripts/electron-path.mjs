/**
 * Where the Electron binary is, for whoever starts one: set-up, tests, packaging, the command line and `doctor`.
 * Three may be there; the order is: the one a person names, the release that package.json asks for, the development runtime.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './setup/cache-folder.mjs';

/** The version of the development runtime. A runtime from another version has another folder, so none is ever half replaced. */
export const DEVELOPMENT_VERSION = '33.2.1';

/**
 * @typedef {object} ElectronBinary
 * @property {'named' | 'release' | 'development'} kind
 * @property {string} path the executable, absolute
 * @property {string} folder what electron-builder calls `electronDist`
 * @property {string} version without a leading v; `unknown` for a named binary without a version file
 */

/**
 * The binary to run, or null when set-up has not got one yet.
 * @param {string} repository
 * @param {NodeJS.ProcessEnv} [env] `CELLWRIGHT_ELECTRON` names a binary
 * @returns {ElectronBinary | null}
 */
export function electronBinary(repository, env = process.env) {
  return namedElectron(env) ?? releaseElectron(repository) ?? developmentElectron(env);
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {ElectronBinary | null}
 */
function namedElectron(env) {
  const named = env.CELLWRIGHT_ELECTRON;
  if (!named || !existsSync(named)) return null;
  const folder = path.dirname(path.resolve(named));
  return { kind: 'named', path: path.resolve(named), folder, version: versionIn(folder) ?? 'unknown' };
}

/**
 * The release, if its own installer has completed it: the version file must agree with the package, path.txt is written last.
 * @param {string} repository
 * @returns {ElectronBinary | null}
 */
function releaseElectron(repository) {
  const home = path.join(repository, 'node_modules', 'electron');
  const folder = path.join(home, 'dist');
  const version = versionIn(folder);
  const executable = text(path.join(home, 'path.txt'));
  if (!version || !executable || version !== releaseVersion(repository)) return null;
  const binary = path.join(folder, executable);
  return existsSync(binary) ? { kind: 'release', path: binary, folder, version } : null;
}

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {ElectronBinary | null}
 */
export function developmentElectron(env = process.env) {
  const folder = developmentFolder(env);
  const version = versionIn(folder);
  return version ? { kind: 'development', path: path.join(folder, 'electron'), folder, version } : null;
}

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 */
export function developmentFolder(env = process.env) {
  return path.join(cacheFolder(process.platform, env), `electron-${DEVELOPMENT_VERSION}-development`);
}

/**
 * The version of the `electron` package, or null when it isn't installed.
 * @param {string} repository
 * @returns {string | null}
 */
export function releaseVersion(repository) {
  const found = text(path.join(repository, 'node_modules', 'electron', 'package.json'));
  return found ? String(JSON.parse(found).version) : null;
}

/** @param {string} folder */
function versionIn(folder) {
  return text(path.join(folder, 'version'))?.replace(/^v/, '') ?? null;
}

/** @param {string} file */
function text(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
