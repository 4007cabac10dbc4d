/**
 * Which folder the side bar shows in a first start. A start from a terminal means its folder; a start from a launcher has the root of the
 * disk or the program's own folder as its working folder, which nobody means. A file from elsewhere means its own folder.
 */
import path from 'node:path';

interface Start {
  cwd: string;
  /** Absolute paths of what is to be opened. */
  files: readonly string[];
  programFolders: readonly string[];
  home: string;
}

export function startFolder({ cwd, files, programFolders, home }: Start): string {
  const isMeant = cwd !== path.parse(cwd).root && !programFolders.includes(cwd);
  const [file] = files;
  if (file === undefined) return isMeant ? cwd : home;
  return isMeant && isBelow(cwd, file) ? cwd : path.dirname(file);
}

function isBelow(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
