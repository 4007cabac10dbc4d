/**
 * Which file an agent means, and whether it lies in the agent's folders. The hard rule: the answer is the real path, with every link followed,
 * so a link in a folder never leads out of it; of a file that isn't there yet, its nearest folder decides.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path that the agent can't have. Nothing was touched. */
export class PathError extends Error {
  override readonly name = 'PathError';
  /** As messages name it. */
  readonly given: string;

  constructor(given: string, message: string) {
    super(message);
    this.given = given;
  }
}

export interface Reach {
  /** Where relative paths start; absolute. */
  cwd: string;
  /** Absolute. */
  folders: readonly string[];
  home: string;
}

/** The absolute path that is meant. Throws PathError for what is none. */
export function absolutePath(given: string, { cwd, home }: Pick<Reach, 'cwd' | 'home'>): string {
  if (given.includes('\0')) throw new PathError(given, 'The path has a NUL character in it. Give a plain path.');
  if (/^file:/i.test(given)) {
    try {
      return fileURLToPath(given);
    } catch {
      throw new PathError(given, 'This is no proper file:// address. Give an absolute path.');
    }
  }
  if (given === '~' || given.startsWith('~/') || given.startsWith('~\\')) return path.join(home, given.slice(1));
  return path.resolve(cwd, given);
}

/** The path of a notebook within the agent's folders, with links followed. Throws PathError. */
export async function notebookPath(given: string, reach: Reach): Promise<string> {
  const absolute = absolutePath(given, reach);
  if (path.extname(absolute).toLowerCase() !== '.ipynb')
    throw new PathError(given, 'Only .ipynb files are notebooks. Give the path of a notebook.');
  return pathWithin(given, reach);
}

/** The real path of a file or folder within the agent's folders. Throws PathError. */
export async function pathWithin(given: string, reach: Reach): Promise<string> {
  const absolute = absolutePath(given, reach);
  const [real, ...folders] = await Promise.all([realPathOf(absolute), ...reach.folders.map(realPathOf)]);
  if (folders.some((folder) => liesIn(real, folder))) return real;
  throw new PathError(
    given,
    `It is outside of the folders that you were given (${reach.folders.join(', ') || 'none'}). Work within those, or ask the person to add the folder.`,
  );
}

export function liesIn(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}

/** With links followed as far as the path exists. */
async function realPathOf(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const parent = path.dirname(absolute);
    const code = (error as NodeJS.ErrnoException).code;
    if (parent === absolute || (code !== 'ENOENT' && code !== 'ENOTDIR')) return absolute;
    return path.join(await realPathOf(parent), path.basename(absolute));
  }
}
