/**
 * Which folder the side bar shows in a first start. A start from a terminal means its folder; a start from a launcher has the root of the
 * disk or the program's own folder as its working folder, which nobody means.
 */
import path from 'node:path';

export function startFolder({ cwd, programFolders, home }: { cwd: string; programFolders: readonly string[]; home: string }): string {
  const meant = cwd !== path.parse(cwd).root && !programFolders.includes(cwd);
  return meant ? cwd : home;
}
