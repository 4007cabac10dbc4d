/**
 * Failed system calls of a save in words for the person. Nothing has been written when one of these is thrown, and the document stays unsaved.
 */
import { basename, dirname } from 'node:path';
import { NotebookSaveError, type SaveErrorCode, systemCode } from './errors.ts';

const CAUSES: Record<string, [code: SaveErrorCode, message: (name: string, folder: string) => string, hint: string]> = {
  ENOSPC: [
    'no-space',
    (name) => `The disk is full, so ${name} was not saved.`,
    'Free some space and save again, or save elsewhere. The file keeps its last saved version.',
  ],
  EDQUOT: [
    'no-space',
    (name) => `Your disk quota is used up, so ${name} was not saved.`,
    'Free some space and save again, or save elsewhere. The file keeps its last saved version.',
  ],
  EFBIG: [
    'no-space',
    (name) => `${name} is larger than this disk or process may write, so it was not saved.`,
    'Save elsewhere, or clear large outputs.',
  ],
  EROFS: ['read-only', (name) => `${name} lies on a read-only disk, so it was not saved.`, 'Save elsewhere.'],
  EACCES: [
    'no-permission',
    (name, folder) => `The folder ${folder} can't be written, so ${name} was not saved.`,
    'Save elsewhere, or get write permission for the folder.',
  ],
  EPERM: [
    'no-permission',
    (name, folder) => `The system doesn't allow writing ${name} in ${folder}, so it was not saved.`,
    'Save elsewhere, or get write permission for the folder.',
  ],
  ENOENT: [
    'folder-gone',
    (name, folder) => `The folder ${folder} does not exist, so ${name} was not saved.`,
    'Save elsewhere, or make the folder and save again.',
  ],
  ENOTDIR: ['folder-gone', (name, folder) => `${folder} is not a folder, so ${name} was not saved.`, 'Save elsewhere.'],
  ENAMETOOLONG: ['bad-name', () => 'The name is too long for this disk, so nothing was saved.', 'Save under a shorter name.'],
  EINVAL: ['bad-name', (name) => `${name} is not a name that this disk accepts, so nothing was saved.`, 'Save under another name.'],
  ELOOP: ['not-file', (name) => `${name} is a link that leads back to itself, so nothing was saved.`, 'Save under another name.'],
};

export function saveError(error: unknown, path: string): NotebookSaveError {
  if (error instanceof NotebookSaveError) return error;
  const code = systemCode(error);
  const known = code === null ? undefined : CAUSES[code];
  const detail = error instanceof Error ? error.message : String(error);
  if (!known) {
    return new NotebookSaveError(
      'write-failed',
      `${basename(path)} could not be saved.`,
      'Try again, or save elsewhere. The file keeps its last saved version.',
      { detail, cause: error },
    );
  }
  return new NotebookSaveError(known[0], known[1](basename(path), dirname(path)), known[2], { detail, cause: error });
}
