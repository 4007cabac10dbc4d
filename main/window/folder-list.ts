/**
 * The entries of a folder for the side bar. Broken links, unreadable entries and a million files are ordinary: none of them may fail or
 * stop the list.
 */
import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FileEntry } from '../../preload/contract.ts';

/** More than this nobody reads in a side bar, and it would hold up the window. */
const MAX_ENTRIES = 5_000;

const RANK: Readonly<Record<FileEntry['kind'], number>> = { folder: 0, notebook: 1, file: 1 };

/** Folders first, then by name as people count: `2` before `10`. Hidden entries are left out. Throws the file system's error. */
export async function listFolder(folder: string): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of await opendir(folder)) {
    if (entry.name.startsWith('.') || entry.name === '__pycache__') continue;
    entries.push({ name: entry.name, path: path.join(folder, entry.name), kind: await kindOf(folder, entry) });
    if (entries.length >= MAX_ENTRIES) break;
  }
  const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return entries.sort((a, b) => RANK[a.kind] - RANK[b.kind] || compare(a.name, b.name));
}

async function kindOf(folder: string, entry: Dirent): Promise<FileEntry['kind']> {
  if (entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(path.join(folder, entry.name))))) return 'folder';
  return entry.name.toLowerCase().endsWith('.ipynb') ? 'notebook' : 'file';
}

function leadsToFolder(link: string): Promise<boolean> {
  return stat(link).then(
    (target) => target.isDirectory(),
    () => false,
  );
}
