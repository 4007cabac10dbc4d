/**
 * The shared libraries an Electron binary needs on Linux, and Xvfb where no display is there.
 * What is missing is asked of the loader (ldd), not of a package list, so that any distribution gives the right answer; only the names of
 * the packages are Debian's, and newer releases have some of them under another name.
 */
import { existsSync } from 'node:fs';
import { run } from './command.mjs';
import { SetupError } from './step.mjs';

/** Library to Debian packages, the older name first. One that isn't here is reported by its own name. */
const PACKAGES = new Map([
  ['libgtk-3.so.0', ['libgtk-3-0', 'libgtk-3-0t64']],
  ['libgdk-3.so.0', ['libgtk-3-0', 'libgtk-3-0t64']],
  ['libnss3.so', ['libnss3']],
  ['libnssutil3.so', ['libnss3']],
  ['libsmime3.so', ['libnss3']],
  ['libssl3.so', ['libnss3']],
  ['libnspr4.so', ['libnspr4']],
  ['libasound.so.2', ['libasound2', 'libasound2t64']],
  ['libgbm.so.1', ['libgbm1']],
  ['libdrm.so.2', ['libdrm2']],
  ['libatk-1.0.so.0', ['libatk1.0-0', 'libatk1.0-0t64']],
  ['libatk-bridge-2.0.so.0', ['libatk-bridge2.0-0', 'libatk-bridge2.0-0t64']],
  ['libatspi.so.0', ['libatspi2.0-0', 'libatspi2.0-0t64']],
  ['libcups.so.2', ['libcups2', 'libcups2t64']],
  ['libcairo.so.2', ['libcairo2']],
  ['libpango-1.0.so.0', ['libpango-1.0-0']],
  ['libgobject-2.0.so.0', ['libglib2.0-0', 'libglib2.0-0t64']],
  ['libglib-2.0.so.0', ['libglib2.0-0', 'libglib2.0-0t64']],
  ['libgio-2.0.so.0', ['libglib2.0-0', 'libglib2.0-0t64']],
  ['libdbus-1.so.3', ['libdbus-1-3']],
  ['libexpat.so.1', ['libexpat1']],
  ['libudev.so.1', ['libudev1']],
  ['libxkbcommon.so.0', ['libxkbcommon0']],
  ['libX11.so.6', ['libx11-6']],
  ['libXcomposite.so.1', ['libxcomposite1']],
  ['libXdamage.so.1', ['libxdamage1']],
  ['libXext.so.6', ['libxext6']],
  ['libXfixes.so.3', ['libxfixes3']],
  ['libXrandr.so.2', ['libxrandr2']],
  ['libxcb.so.1', ['libxcb1']],
  ['Xvfb', ['xvfb']],
]);

/** No questions, and output in the language it is read in. */
const APT_ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };

/**
 * What is missing: library names as the loader gives them, and `Xvfb` when it is needed and not there.
 * @param {string} binary
 * @param {{ needsXvfb: boolean }} needs
 * @returns {Promise<string[]>} empty on other systems than Linux
 */
export async function missingSystemParts(binary, { needsXvfb }) {
  if (process.platform !== 'linux') return [];
  const { output } = await run('ldd', [binary], { env: { ...process.env, LC_ALL: 'C' } });
  const missing = parseMissing(output);
  return needsXvfb && !onPath('Xvfb') ? [...missing, 'Xvfb'] : missing;
}

/**
 * The names that ldd could not find.
 * @param {string} lddOutput
 * @returns {string[]}
 */
export function parseMissing(lddOutput) {
  return [...new Set([...lddOutput.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1] ?? ''))];
}

/**
 * Installs what is missing when that can be done without asking (root on a system with apt), else says how to.
 * @param {string} binary
 * @param {{ needsXvfb: boolean }} needs
 * @param {(text: string) => void} progress
 * @returns {Promise<string>} what to say
 * @throws {SetupError}
 */
export async function installSystemParts(binary, needs, progress) {
  const missing = await missingSystemParts(binary, needs);
  if (missing.length === 0) return process.platform === 'linux' ? 'complete' : 'nothing needed';
  if (!canInstall()) throw new SetupError(await howToInstall(missing));
  // A fresh container has no package lists, and without them not even a package's present name is known.
  if (!(await knownPackages(missing))) await fetchPackageLists(progress);
  await aptInstall(await packagesFor(missing), progress);
  const still = await missingSystemParts(binary, needs);
  if (still.length > 0) throw new SetupError(await howToInstall(still));
  return `installed ${missing.join(', ')}`;
}

/**
 * The words for what is missing, with the exact command where one is known.
 * @param {readonly string[]} missing
 */
export async function howToInstall(missing) {
  const what = `Electron’s window needs ${missing.join(', ')}.`;
  if (!onPath('apt-get')) return `${what} Install the packages of your distribution that have them, then start again.`;
  return `${what} Install them, then start again:\n  sudo apt-get install ${(await packagesFor(missing)).join(' ')}`;
}

/** Whether packages can be installed without asking anybody. */
export function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && onPath('apt-get');
}

/**
 * Installs Debian packages, with fresh package lists if the present ones are too old to fetch from.
 * @param {readonly string[]} packages
 * @param {(text: string) => void} progress
 * @throws {SetupError}
 */
export async function aptInstall(packages, progress) {
  const install = () => run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env: APT_ENVIRONMENT });
  progress(`installing ${packages.join(', ')} with apt-get`);
  let result = await install();
  if (result.code !== 0) {
    await fetchPackageLists(progress);
    progress(`installing ${packages.join(', ')} with apt-get`);
    result = await install();
  }
  if (result.code !== 0) throw new SetupError(`apt-get install ${packages.join(' ')} failed:\n${result.output}`);
}

/** @param {(text: string) => void} progress */
async function fetchPackageLists(progress) {
  progress('fetching apt’s package lists');
  await run('apt-get', ['update'], { env: APT_ENVIRONMENT });
}

/**
 * The Debian packages for missing parts; where apt knows none of the names, the older one.
 * @param {readonly string[]} missing
 * @returns {Promise<string[]>}
 */
async function packagesFor(missing) {
  return (await knownPackages(missing)) ?? [...new Set(missing.map((part) => PACKAGES.get(part)?.[0] ?? part))].sort();
}

/**
 * @param {readonly string[]} missing
 * @returns {Promise<string[] | undefined>} undefined when apt doesn't know one of them under any name
 */
async function knownPackages(missing) {
  const names = await Promise.all(missing.map(async (part) => firstKnown(PACKAGES.get(part) ?? [part])));
  return names.includes(undefined) ? undefined : [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** @param {readonly string[]} names */
async function firstKnown(names) {
  for (const name of names) {
    const { code, output } = await run('apt-cache', ['policy', name], { env: APT_ENVIRONMENT });
    if (code === 0 && /Candidate: (?!\(none\))/.test(output)) return name;
  }
  return undefined;
}

/** @param {string} program */
export function onPath(program) {
  return (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(`${folder}/${program}`));
}
