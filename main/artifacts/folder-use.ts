/**
 * Whose an artifact folder is and who uses it now, as small hidden files in it. A process that was killed leaves its mark behind, so a mark
 * counts only while its process runs.
 */
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

const OWNER = '.notebook';
const USER = /^\.used-by-(\d+)$/;

/** Says which notebook the folder belongs to and that this process uses it. Makes the folder. Throws the file system's error. */
export async function claimFolder(folder: string, notebook: string | null): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path.join(folder, `.used-by-${process.pid}`), '', { mode: 0o600 });
  if (notebook !== null) await writeFile(path.join(folder, OWNER), JSON.stringify({ path: notebook }), { mode: 0o600 });
}

/** This process uses it no more; it was used until now. */
export async function leaveFolder(folder: string): Promise<void> {
  await rm(path.join(folder, `.used-by-${process.pid}`), { force: true }).catch(() => {});
  const now = new Date();
  await utimes(folder, now, now).catch(() => {});
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
