/**
 * Where a file went that is not at its place any more. Only within its folder, and only a file that is surely the same one: by device, inode,
 * size and time. A copy, a backup that an editor leaves, another hard link, or a reused inode is not followed.
 */
import { lstat, readdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { type DiskState, readDiskState, sameState } from '../disk-state.ts';

/** The new path of the notebook, or null. */
export async function findMoved(path: string, known: DiskState): Promise<string | null> {
  if (known.ino === 0n || known.links > 1n) return null;
  // A link that leads nowhere any more stays the notebook's name.
  if (
    await lstat(path).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    )
  )
    return null;
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    // A name that starts with a dot is some program's own.
    if (name.startsWith('.') || extname(name).toLowerCase() !== '.ipynb' || join(folder, name) === path) continue;
    const state = await readDiskState(join(folder, name)).catch(() => null);
    if (state && sameState(state, known)) return join(folder, name);
  }
  return null;
}
