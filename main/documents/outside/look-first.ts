/**
 * A look at the disk before a notebook is read, changed or run: what another program wrote a moment ago counts, though no event told of it yet. The
 * usual case, a file as it was, costs one look at its times; a save that runs looks by itself.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readDiskState, sameState } from '../disk-state.ts';
import type { NotebookDocument } from '../notebook-document.ts';
import { openNotebook } from '../open.ts';

/** A run does not wait longer for a disk that hangs: then what the window shows is run. */
const LOOK_LIMIT_MS = 300;

/** Rejects with the file system's error. */
export async function lookAtDisk(document: NotebookDocument): Promise<void> {
  const { realPath, disk, saving } = document;
  if (realPath === null || saving) return;
  const now = await readDiskState(realPath);
  // Permissions change without a change of the file.
  const isAsKnown = now !== null && disk !== null && sameState(now, disk) && !document.readOnly;
  if (!document.saving && !isAsKnown) await document.checkDisk();
}

/**
 * Throws what opening it would (NotebookOpenError) when the file was found to be gone or unreadable and the document has nothing that it had not: then
 * the document is only a memory of it. To be called after a look.
 */
export async function requireFile({ outside, realPath, unsaved }: NotebookDocument): Promise<void> {
  if (outside.trouble !== null && realPath !== null && !unsaved.isAny) await openNotebook(realPath);
}

/** True when a look brings in another text for one of these cells: then the person has not seen what would be run. Never rejects. */
export async function areOutdated(document: NotebookDocument, keys: readonly string[]): Promise<boolean> {
  const { file } = document;
  const source = (key: string): string | undefined => document.cell(key)?.source;
  const shown = keys.map(source);
  const looked = lookAtDisk(document).catch(() => undefined);
  await Promise.race([looked, delay(LOOK_LIMIT_MS, undefined, { ref: false })]);
  return document.file !== file && keys.some((key, index) => source(key) !== shown[index]);
}
