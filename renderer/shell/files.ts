/** How files are ordered and named in the side bar. Pure. */
import type { FileEntry } from '../../preload/contract.ts';

/** Folders first, then files; names as a person counts (`2` before `10`), whatever their case. */
export function sortedEntries(entries: readonly FileEntry[]): FileEntry[] {
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  const rank = ({ kind }: FileEntry) => (kind === 'folder' ? 0 : 1);
  return [...entries].sort((a, b) => rank(a) - rank(b) || order.compare(a.name, b.name));
}

/** Last part of a path on any system; the path itself for a root. */
export function folderName(path: string): string {
  return (
    path
      .split(/[\\/]+/)
      .filter(Boolean)
      .at(-1) ?? path
  );
}

/** The folder a file is in, or null for a path without one. */
export function parentFolder(path: string): string | null {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return cut < 0 ? null : path.slice(0, Math.max(cut, 1));
}

/** A path for reading: the home folder as `~`. */
export function shortPath(path: string, home: string): string {
  return home && (path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`)) ? `~${path.slice(home.length)}` : path;
}
