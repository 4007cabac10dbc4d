/**
 * Writes a file so that it is whole at every instant and after a power cut: temporary file beside it, fsync, rename, fsync of the folder.
 * The hard part is what a plain rename would lose: a link, the mode, the owner, and another program's change made in between. An agent waits for each
 * of its saves, so questions to the system that don't depend on each other are asked side by side.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type DiskState, diskState, holdsBytes, presentFile, sameState } from './disk-state.ts';
import { NotebookSaveError, systemCode } from './errors.ts';
import { saveError } from './save-errors.ts';
import { writePieces } from './write-pieces.ts';

export interface SaveOptions {
  /** What was there when the document was read or last saved; the file is not overwritten when it has changed since. Null: overwrite. */
  expected: { state: DiskState; pieces: readonly Buffer[] } | null;
  /** A real path that must not be written: the old file of a converted notebook. */
  forbidden?: string | null;
  /** Told what the new file is before it takes the old one's place, while it is made durable; the old one stays until this is done. */
  beforeReplace?: ((written: Pick<Saved, 'realPath' | 'state'>) => Promise<void>) | undefined;
}

export interface Saved {
  /** The file that was written: the target when `path` is a link. */
  realPath: string;
  state: DiskState;
  /** A sentence about something that could not be kept, or null. */
  notice: string | null;
}

/** Read and write for the person, read for others, less the process's umask. */
const NEW_FILE_MODE = 0o666;

/** Throws NotebookSaveError; the file is untouched then and no temporary file is left. */
export async function saveAtomically(path: string, pieces: readonly Buffer[], options: SaveOptions): Promise<Saved> {
  const name = basename(path);
  try {
    const [target, before, isPermitted] = await Promise.all([finalTarget(path), presentFile(path), isAccessible(path)]);
    if (target === options.forbidden) throw oldFormatError(name);
    if (before) checkWritable(before, isPermitted, name);
    const { temporary, state } = await writeUnlessChanged(target, pieces, before, options, name);
    try {
      const now = await presentFile(target);
      // While it was written, someone else may have saved.
      if (now && before && !sameState(diskState(now), diskState(before))) await checkUnchanged(target, now, options, name);
      if (now && !before) await checkUnchanged(target, now, options, name);
      await replace(target, temporary, now);
    } catch (error) {
      await removeQuietly(temporary);
      throw error;
    }
    const [there] = await Promise.all([presentFile(target), syncFolder(dirname(target))]);
    // Another program may have put its own file there already: that one is not what was written.
    return { realPath: target, state: there?.ino === state.ino ? diskState(there) : state, notice: linkNotice(before, name) };
  } catch (error) {
    throw saveError(error, path);
  }
}

/** For long work whose result goes there: throws the NotebookSaveError that a save would throw now. Writes nothing. */
export async function checkTarget(path: string, { forbidden }: Pick<SaveOptions, 'forbidden'>): Promise<void> {
  const name = basename(path);
  try {
    const [target, before, isPermitted] = await Promise.all([finalTarget(path), presentFile(path), isAccessible(path)]);
    if (target === forbidden) throw oldFormatError(name);
    if (before) checkWritable(before, isPermitted, name);
    await access(dirname(target), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw saveError(error, path);
  }
}

function oldFormatError(name: string): NotebookSaveError {
  return new NotebookSaveError(
    'read-only',
    `${name} is of an old format and is kept as it is, so nothing was saved.`,
    'Save under another name.',
  );
}

/** Where the bytes go: through links, also a link whose target does not exist yet. */
async function finalTarget(path: string): Promise<string> {
  let target = resolve(path);
  for (let hops = 0; hops < 40; hops += 1) {
    try {
      return await realpath(target);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    const folder = await realpath(dirname(target));
    target = join(folder, basename(target));
    const link = await lstat(target).catch(() => null);
    if (!link?.isSymbolicLink()) return target;
    target = resolve(folder, await readlink(target));
  }
  return target;
}

/** Rename would replace a file that must not be written, so the permission is asked for here, at every save. */
function checkWritable(stats: BigIntStats, isPermitted: boolean, name: string): void {
  if (stats.isDirectory()) throw new NotebookSaveError('is-folder', `${name} is a folder.`, 'Save under another name.');
  if (!stats.isFile()) throw new NotebookSaveError('not-file', `${name} is not a regular file.`, 'Save under another name.');
  if (!hasWriteBit(stats) || !isPermitted) throw readOnlyError(name);
}

function readOnlyError(name: string): NotebookSaveError {
  return new NotebookSaveError(
    'read-only',
    `${name} is write-protected, so nothing was saved.`,
    'Save under another name, or make the file writable and save again.',
  );
}

/** What a notebook says of itself while its file is write-protected. */
export function protectedNotice(name: string): string {
  return `${name} is write-protected: changes can only be saved under another name.`;
}

export async function isWritable(path: string, stats: { mode: bigint }): Promise<boolean> {
  return hasWriteBit(stats) && (await isAccessible(path));
}

/** The owner's write bit, which the superuser could ignore but a person means. */
function hasWriteBit({ mode }: { mode: bigint }): boolean {
  return (mode & 0o200n) !== 0n;
}

function isAccessible(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** The new file beside the old one, durable, and what the system knows of it. */
interface Written {
  temporary: string;
  state: DiskState;
}

/**
 * Writes the temporary file when the target is what is expected. Where only the bytes can tell, which takes as long as writing, they are looked at
 * meanwhile.
 */
async function writeUnlessChanged(
  target: string,
  pieces: readonly Buffer[],
  before: BigIntStats | null,
  options: SaveOptions,
  name: string,
): Promise<Written> {
  const { expected } = options;
  const check = async (): Promise<void> => {
    if (before) await checkUnchanged(target, before, options, name);
  };
  const isLikely = !before || !expected || sameState(diskState(before), expected.state);
  if (!isLikely) await check();
  const writing = writeTemporary(target, pieces, before, options.beforeReplace);
  const [written, checked] = await Promise.allSettled([writing, isLikely ? check() : null]);
  if (checked.status === 'rejected') {
    if (written.status === 'fulfilled') await removeQuietly(written.value.temporary);
    throw checked.reason;
  }
  if (written.status === 'rejected') throw written.reason;
  return written.value;
}

async function checkUnchanged(target: string, stats: BigIntStats, { expected }: SaveOptions, name: string): Promise<void> {
  if (!expected) return;
  if (sameState(diskState(stats), expected.state) && !expected.state.racy) return;
  if (await holdsBytes(target, expected.pieces)) return;
  throw new NotebookSaveError(
    'conflict',
    `${name} was changed by another program since it was opened, so nothing was saved.`,
    'Save under another name to keep both, or reopen the file to see the other version.',
  );
}

async function writeTemporary(
  target: string,
  pieces: readonly Buffer[],
  before: BigIntStats | null,
  beforeReplace: SaveOptions['beforeReplace'],
): Promise<Written> {
  const { file, temporary } = await openTemporary(target, before ? 0o600 : NEW_FILE_MODE);
  try {
    await writePieces(file, pieces);
    if (before) await keepOwnerAndMode(file, before);
    const state = diskState(await file.stat({ bigint: true }));
    const told = beforeReplace?.({ realPath: target, state });
    // Both wait for the disk, which does two such things at once as fast as one.
    const [synced, heard] = await Promise.allSettled([file.sync(), told]);
    for (const half of [synced, heard]) if (half.status === 'rejected') throw half.reason;
    await file.close();
    return { temporary, state };
  } catch (error) {
    await file.close().catch(() => undefined);
    await removeQuietly(temporary);
    throw error;
  }
}

/** A temporary file that nothing was written to for so long was left by a process that was killed. */
const ABANDONED_MS = 600_000;

/**
 * The name is short, as the notebook's own may be as long as the file system allows, and always the same for a notebook, so that what a killed
 * process left is taken away by the next save. Another process that saves the same notebook right now gets a name of its own.
 */
async function openTemporary(target: string, mode: number): Promise<{ file: FileHandle; temporary: string }> {
  const name = createHash('sha256').update(basename(target)).digest('hex').slice(0, 12);
  const usual = join(dirname(target), `.cellwright-${name}.tmp`);
  const file = (await openNew(usual, mode)) ?? ((await removeAbandoned(usual)) ? await openNew(usual, mode) : null);
  if (file) return { file, temporary: usual };
  const own = join(dirname(target), `.cellwright-${randomBytes(6).toString('hex')}.tmp`);
  return { file: await open(own, 'wx', mode), temporary: own };
}

/** Null when there is such a file already. */
async function openNew(path: string, mode: number): Promise<FileHandle | null> {
  try {
    return await open(path, 'wx', mode);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return null;
  }
}

/** Whether it was, and is gone. */
async function removeAbandoned(temporary: string): Promise<boolean> {
  const present = await stat(temporary).catch(() => null);
  if (present && Date.now() - present.mtimeMs <= ABANDONED_MS) return false;
  await removeQuietly(temporary);
  return true;
}

async function keepOwnerAndMode(file: FileHandle, before: BigIntStats): Promise<void> {
  const own = await file.stat({ bigint: true });
  if (own.uid !== before.uid || own.gid !== before.gid) {
    // Only the superuser may give a file away; a group may be kept by its members.
    await file
      .chown(Number(before.uid), Number(before.gid))
      .catch(() => file.chown(Number(own.uid), Number(before.gid)).catch(() => undefined));
  }
  await file.chmod(Number(before.mode & 0o7777n));
}

/** Freeing an old file of this size takes the system longer than everything else about a rename. */
const SLOW_TO_FREE_BYTES = 1_000_000n;

/**
 * A file that is still open somewhere is freed when it is closed there. So the old one is kept open while the new one takes its place, and nobody
 * waits for its end. (On Windows a file that is open can't be replaced.)
 */
async function replace(target: string, temporary: string, old: BigIntStats | null): Promise<void> {
  const isSlow = old !== null && old.size >= SLOW_TO_FREE_BYTES && process.platform !== 'win32';
  const kept = isSlow ? await open(target, 'r').catch(() => null) : null;
  try {
    await renameOver(temporary, target);
  } finally {
    kept?.close().catch(() => undefined);
  }
}

/** On Windows a virus scanner may hold the file for a moment. */
const RENAME_TRIES = process.platform === 'win32' ? 10 : 1;

async function renameOver(temporary: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(temporary, target);
      return;
    } catch (error) {
      if (attempt >= RENAME_TRIES || !['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '')) throw error;
      await new Promise((next) => setTimeout(next, 20 * attempt));
    }
  }
}

/** Makes the rename itself durable. Some systems can't sync a folder; the file's bytes are safe all the same. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (!handle) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}

async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Whole at every instant matters more than further names, so those keep the old version, and that is said. */
function linkNotice(before: BigIntStats | null, name: string): string | null {
  if (!before || before.nlink <= 1n) return null;
  return `${name} had ${before.nlink} names (hard links). This save went to ${name} alone; the other names keep the version before it.`;
}
