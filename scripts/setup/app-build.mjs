/**
 * The app's build, made only when a source differs from the one that was built last.
 * Contents are compared, not times: a checkout gives every file a new time, and an editor's undo none.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { takeLock } from '../../main/kernels/discovery/lock-file.mjs';
import { run } from './command.mjs';
import { SetupError } from './step.mjs';

/** What a build depends on, relative to the repository. package-lock.json stands for every package that is bundled. */
const SOURCES = [
  'main',
  'preload',
  'renderer',
  'scripts/build.mjs',
  'scripts/electron-path.mjs',
  'scripts/setup',
  'vite.config.ts',
  'package-lock.json',
];

const STAMP = path.join('dist', '.sources');

/** Not in `dist`, which every build makes anew. */
const LOCK = path.join('.cache', 'build.lock');

/**
 * Safe to call from several processes at once: one builds, the others wait for it.
 * @param {string} folder the repository
 * @param {(text: string) => void} progress
 * @returns {Promise<string>} what to say
 * @throws {SetupError}
 */
export async function buildApp(folder, progress) {
  if ((await builtHash(folder)) === (await sourceHash(folder))) return 'up to date';
  const lock = path.join(folder, LOCK);
  await mkdir(path.dirname(lock), { recursive: true });
  const release = await takeLock(lock, { onWait: () => progress('waiting for another build of the same folder') });
  if (!release) throw new SetupError(`Another build has been going on for long. If none runs, delete ${lock} and start again.`);
  try {
    return await buildAlone(folder, progress);
  } finally {
    await release();
  }
}

/**
 * @param {string} folder
 * @param {(text: string) => void} progress
 */
async function buildAlone(folder, progress) {
  const sources = await sourceHash(folder);
  if ((await builtHash(folder)) === sources) return 'up to date';
  progress('building');
  const { code, output } = await run(process.execPath, [path.join(folder, 'scripts', 'build.mjs')], { cwd: folder });
  if (code !== 0) throw new SetupError(`The build failed:\n${output}`);
  await writeFile(path.join(folder, STAMP), `${sources}\n`);
  return 'built';
}

/**
 * One hash over the names and contents of all sources.
 * @param {string} folder
 * @returns {Promise<string>}
 */
export async function sourceHash(folder) {
  const files = (await Promise.all(SOURCES.map((source) => filesUnder(folder, source)))).flat().sort();
  const contents = await Promise.all(files.map((file) => readFile(path.join(folder, file))));
  const hash = createHash('sha256');
  files.forEach((file, index) => {
    const content = contents[index] ?? Buffer.alloc(0);
    hash.update(`${file.replaceAll(path.sep, '/')}\0${content.length}\0`).update(content);
  });
  return hash.digest('hex');
}

/** @param {string} folder */
async function builtHash(folder) {
  return readFile(path.join(folder, STAMP), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

/**
 * @param {string} folder
 * @param {string} source a file or a folder; one that is missing has no files
 * @returns {Promise<string[]>}
 */
async function filesUnder(folder, source) {
  const entries = await readdir(path.join(folder, source), { withFileTypes: true, recursive: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return undefined;
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (!entries) return [source];
  return entries.filter((entry) => entry.isFile()).map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
