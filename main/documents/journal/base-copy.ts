/**
 * A copy of the contents that a journal starts from. It is needed when the notebook's own file is another by the time the journal is read, or
 * when there never was one. A large file is copied without its outputs, so that its first keystroke doesn't write it all over again.
 */
import { createHash } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { changeCell, filePieces, type NotebookFile } from '../notebook-file.ts';
import { findMember } from '../object-splice.ts';
import { pacer } from '../pacing.ts';
import { EMPTY_ARRAY } from '../raw-cell.ts';
import { FILE_MODE, syncFolder, writeAll } from './journal-file.ts';
import type { BaseRecord } from './records.ts';

/** Larger files are copied without outputs. */
const MAX_WHOLE_BYTES = 16_000_000;

/** Bytes hashed or written in one step: about a millisecond of hashing. */
const STEP_BYTES = 500_000;

/**
 * Copies the contents into the journal's folder under a name of their own. `whole`: they are nowhere else, so nothing may be left out. Rejects
 * with the file system's error.
 */
export async function copyBase(file: NotebookFile, folder: string, name: string, { whole }: { whole: boolean }): Promise<BaseRecord> {
  const digest = await fileDigest(file);
  const pieces = filePieces(file);
  const light = !whole && pieces.reduce((sum, piece) => sum + piece.length, 0) > MAX_WHOLE_BYTES;
  const target = join(folder, name);
  const handle = await open(`${target}.new`, 'w', FILE_MODE);
  try {
    for (const piece of light ? filePieces(await withoutOutputs(file)) : pieces) {
      for (let at = 0; at < piece.length; at += STEP_BYTES) await writeAll(handle, piece.subarray(at, at + STEP_BYTES));
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(`${target}.new`, target);
  await syncFolder(folder);
  return { t: 'base', file: name, digest, light };
}

/** Takes away copies that no journal speaks of any more. */
export async function removeOtherCopies(folder: string, kept: string): Promise<void> {
  for (const name of await readdir(folder)) if (/^base-/.test(name) && name !== kept) await rm(join(folder, name), { force: true });
}

/** SHA-256 of the whole text. */
export async function fileDigest(file: NotebookFile): Promise<string> {
  const hash = createHash('sha256');
  const breathe = pacer();
  for (const piece of filePieces(file)) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      hash.update(piece.subarray(at, at + STEP_BYTES));
      await breathe();
    }
  }
  return hash.digest('hex');
}

async function withoutOutputs(file: NotebookFile): Promise<NotebookFile> {
  const breathe = pacer();
  const cells = [];
  for (const cell of file.cells) {
    const hasOutputs = (findMember(cell, 'outputs')?.count ?? 0) > 0;
    cells.push(hasOutputs ? { ...cell, ...changeCell(cell, new Map([['outputs', EMPTY_ARRAY]]), file.style) } : cell);
    await breathe();
  }
  return { ...file, cells };
}
