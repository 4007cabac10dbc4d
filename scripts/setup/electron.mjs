/**
 * Gets an Electron binary: the release that package.json asks for, else the development runtime.
 * A download that failed is remembered for a day. Without that, each start where the release can't be had would wait for the same failure.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEVELOPMENT_VERSION, electronBinary, releaseVersion } from '../electron-path.mjs';
import { cacheFolder } from './cache-folder.mjs';
import { run } from './command.mjs';
import { isSupported, makeDevelopmentRuntime } from './development-runtime.mjs';
import { SetupError } from './step.mjs';

/** A connection that can't be made fails by itself within seconds; this ends a download that has stalled. */
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;

const RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * @param {string} repository
 * @param {(text: string) => void} progress
 * @returns {Promise<{ said: string, value: import('../electron-path.mjs').ElectronBinary }>}
 * @throws {SetupError}
 */
export async function prepareElectron(repository, progress) {
  const named = process.env.CELLWRIGHT_ELECTRON;
  if (named && !existsSync(named))
    throw new SetupError(`CELLWRIGHT_ELECTRON names ${named}, which does not exist. Correct it or unset it.`);
  const version = releaseVersion(repository);
  const present = electronBinary(repository);
  if (present && (present.kind !== 'development' || (await failedLately(version)))) return describe(present, version);
  const failure = (await failedLately(version))
    ? 'its download failed less than a day ago'
    : await downloadRelease(repository, version, progress);
  if (failure) {
    await rememberFailure(version);
    if (!isSupported) throw new SetupError(cannotHave(version, failure));
    await makeDevelopmentRuntime(progress);
  }
  const binary = electronBinary(repository);
  if (!binary) throw new SetupError(cannotHave(version, failure ?? 'its installer left no binary'));
  return describe(binary, version);
}

/**
 * Runs the electron package's own installer, which knows mirrors, proxies and its cache.
 * @param {string} repository
 * @param {string | null} version
 * @param {(text: string) => void} progress
 * @returns {Promise<string | undefined>} why it failed
 */
async function downloadRelease(repository, version, progress) {
  progress(`downloading Electron ${version}`);
  const installer = path.join(repository, 'node_modules', 'electron', 'install.js');
  const { code, output } = await run(process.execPath, [installer], { cwd: repository, timeoutMs: DOWNLOAD_TIMEOUT_MS });
  if (code === 0) {
    await rm(failureFile(), { force: true });
    return undefined;
  }
  return output.split('\n')[0] || 'no answer';
}

/**
 * @param {import('../electron-path.mjs').ElectronBinary} binary
 * @param {string | null} release
 */
function describe(binary, release) {
  const words = {
    named: `${binary.version}, named by CELLWRIGHT_ELECTRON`,
    release: `${binary.version}`,
    development: `development runtime ${binary.version}, since release ${release} can’t be downloaded here`,
  };
  return { said: words[binary.kind], value: binary };
}

/**
 * @param {string | null} version
 * @param {string} why
 */
function cannotHave(version, why) {
  return [
    `Electron ${version} could not be downloaded: ${why}.`,
    `The development runtime (${DEVELOPMENT_VERSION}) exists for 64-bit Intel Linux only.`,
    'Start again with a network, set ELECTRON_MIRROR to a mirror of its releases, or set CELLWRIGHT_ELECTRON to an Electron binary.',
  ].join('\n');
}

function failureFile() {
  return path.join(cacheFolder(), 'electron-download-failed.json');
}

/** @param {string | null} version */
async function failedLately(version) {
  try {
    const failure = JSON.parse(await readFile(failureFile(), 'utf8'));
    return isSupported && failure.version === version && Date.now() - failure.time < RETRY_AFTER_MS;
  } catch {
    return false;
  }
}

/** @param {string | null} version */
async function rememberFailure(version) {
  if (await failedLately(version)) return;
  await mkdir(cacheFolder(), { recursive: true });
  await writeFile(failureFile(), `${JSON.stringify({ version, time: Date.now() })}\n`);
}
