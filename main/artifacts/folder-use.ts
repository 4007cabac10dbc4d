/**
 * Whose an artifact folder is and who uses it now, as small hidden files in it. A process that was killed leaves its mark behind, so a mark
 * counts only while its process runs; and one process may have several users of a folder, which share one mark.
 */
import { access, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Says in a folder whose it is. */
export const OWNER = '.notebook';
const USER = /^\.used-by-(\d+)$/;

/** By folder: who in this process uses it, and the last change of its mark, which the next one waits for. */
const uses = new Map<string, { users: Set<object>; changed: Promise<unknown> }>();

/**
 * Says which notebook the folder belongs to and that `user`, any object of this process, uses it. Makes the folder. Claiming it again changes nothing.
 * Throws the file system's error.
 */
export async function claimFolder(folder: string, notebook: string | null, user: object): Promise<void> {
  await change(folder, async (users) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path.join(folder, `.used-by-${process.pid}`), '', { mode: 0o600 });
    users.add(user);
    if (notebook !== null) await writeFile(path.join(folder, OWNER), JSON.stringify({ path: notebook }), { mode: 0o600 });
  });
}

/** The same for a folder that is there; any other is left alone. Resolves with whether it was. */
export async function claimIfThere(folder: string, notebook: string | null, user: object): Promise<boolean> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) await claimFolder(folder, notebook, user);
  return isThere;
}

/** It uses the folder no more, which was used until now. */
export async function leaveFolder(folder: string, user: object): Promise<void> {
  await change(folder, async (users) => {
    if (!users.delete(user) || users.size > 0) return;
    await rm(path.join(folder, `.used-by-${process.pid}`), { force: true }).catch(() => {});
    const now = new Date();
    await utimes(folder, now, now).catch(() => {});
  });
}

async function change(folder: string, work: (users: Set<object>) => Promise<void>): Promise<void> {
  const use = uses.get(folder) ?? { users: new Set(), changed: Promise.resolve() };
  uses.set(folder, use);
  const changed = use.changed.then(() => work(use.users));
  const settled = changed.catch(() => {});
  use.changed = settled;
  await settled;
  if (use.changed === settled && use.users.size === 0) uses.delete(folder);
  return changed;
}

/** Path of the notebook that the folder belongs to; null when it doesn't say. */
export async function ownerOf(folder: string): Promise<string | null> {
  try {
    const { path: notebook } = JSON.parse(await readFile(path.join(folder, OWNER), 'utf8')) as { path?: unknown };
    return typeof notebook === 'string' ? notebook : null;
  } catch {
    return null;
  }
}

export async function isInUse(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => {
    const pid = USER.exec(name)?.[1];
    return pid !== undefined && isRunning(Number(pid));
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
