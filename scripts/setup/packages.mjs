/**
 * The npm packages, exactly as the lock file has them and without running any package's install script.
 * Whether they are there is read from npm's own record in node_modules, which npm writes last: an interrupted install doesn't count.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { npmCommand, npmReason, run } from './command.mjs';
import { SetupError } from './step.mjs';

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }>} Packages */

/**
 * @param {string} folder the repository
 * @param {(text: string) => void} progress
 * @returns {Promise<string>} what to say
 */
export async function installPackages(folder, progress) {
  const wanted = await readPackages(path.join(folder, 'package-lock.json'));
  if (!wanted) throw new SetupError('package-lock.json is missing or broken. Get it again with `git checkout package-lock.json`.');
  const present = await readPackages(path.join(folder, 'node_modules', '.package-lock.json'));
  if (present && isInstalled(wanted, present)) return 'up to date';
  progress('installing npm packages');
  const { program, args, shell } = npmCommand([
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--include=dev',
    '--include=optional',
    '--loglevel=error',
  ]);
  const { code, output } = await run(program, args, { cwd: folder, shell, env: { ...process.env, NODE_ENV: '' } });
  if (code !== 0)
    throw new SetupError(
      `The npm packages could not be installed:\n${npmReason(output)}\nCheck the network and npm’s registry setting, then start again.`,
    );
  return 'installed';
}

/**
 * Whether node_modules holds what the lock file asks for. Packages for other platforms are optional and may be absent.
 * @param {Packages} wanted
 * @param {Packages} present
 */
export function isInstalled(wanted, present) {
  return Object.entries(wanted).every(([location, entry]) => {
    if (location === '') return true;
    const found = present[location];
    if (!found) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * @param {string} file
 * @returns {Promise<Packages | undefined>}
 */
async function readPackages(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
