/**
 * Unsaved work that was given up or put away, which stays for a while: what there is, and how it comes back. It never goes over a notebook: it opens
 * as a document of its own, so that whatever became of the file meanwhile stays.
 */
import { randomInt } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DocumentStore } from '../document-store.ts';
import { NotebookOpenError, systemCode } from '../errors.ts';
import type { NotebookDocument } from '../notebook-document.ts';
import { type LeftWork, readLeft } from './left-work.ts';
import { beside, placeBeside, type Target } from './recovery.ts';
import { restoreWork } from './restore-work.ts';

export interface KeptWork {
  id: string;
  folder: string;
  /** When it was put away, in milliseconds since the epoch. */
  keptAt: number;
  /** Null when its journal can't be read. */
  left: LeftWork | null;
}

/** What is kept in this folder, the newest first. */
export async function keptWork(folder: string): Promise<KeptWork[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const kept: KeptWork[] = [];
  for (const name of names) {
    const one = await keptIn(join(folder, name));
    if (one) kept.push(one);
  }
  return kept.sort((a, b) => b.keptAt - a.keptAt);
}

/** Null when all of it was saved after all, or when it is gone. */
async function keptIn(folder: string): Promise<KeptWork | null> {
  const keptAt = await stat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
  if (keptAt === null) return null;
  const left = await readLeft(folder);
  return left === 'nothing' ? null : { id: basename(folder), folder, keptAt, left: left === 'unreadable' ? null : left };
}

export async function removeKept({ folder }: KeptWork): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** The work as a document without a file. Throws NotebookOpenError when the contents that it starts from can't be read. */
export async function openKept(left: LeftWork, store: DocumentStore): Promise<NotebookDocument> {
  const target = await targetOf(left, store);
  restoreWork(target.document, target.work, { ...target, origin: 'kept', writer: randomInt(2 ** 32) });
  return target.document;
}

/** The notebook's file has everything that the work starts from, where it is still the same; the copy may be without outputs. */
async function targetOf(left: LeftWork, store: DocumentStore): Promise<Target> {
  if (left.state !== 'same' || left.path === null) return beside(left, store);
  return { document: await store.openCopy(left.path, placeBeside(left)), work: left.work, startsEmpty: false };
}

export interface KeptTexts {
  kept: string;
  /** Null when there is no file that can be read. */
  file: string | null;
}

/** The cells of the kept work and of the file as it is now, as text to be compared. Throws NotebookOpenError. */
export async function keptTexts(left: LeftWork): Promise<KeptTexts> {
  const store = new DocumentStore();
  const kept = cellsText(await openKept(left, store));
  if (left.path === null) return { kept, file: null };
  try {
    return { kept, file: cellsText(await store.open(left.path)) };
  } catch (error) {
    if (error instanceof NotebookOpenError) return { kept, file: null };
    throw error;
  } finally {
    for (const { id } of store.all()) store.close(id);
  }
}

/** Cells one after the other, each under a line that says what it is. */
function cellsText(document: NotebookDocument): string {
  const cells = document.keys().map((key) => document.cell(key)!);
  return cells.map(({ type, source }) => `# %%${type === 'code' ? '' : ` [${type}]`}\n${source}`).join('\n\n');
}
