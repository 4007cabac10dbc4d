/**
 * From left work to a document that has it, marked unsaved. It is laid over the notebook itself only when that holds exactly the contents the
 * work starts from and nobody has changed it since; in every other case it becomes a document of its own beside it.
 */
import { randomInt } from 'node:crypto';
import { basename, dirname } from 'node:path';
import * as Y from 'yjs';
import type { CopyPlace, DocumentStore } from '../document-store.ts';
import type { NotebookDocument } from '../notebook-document.ts';
import { fileDigest } from './base-copy.ts';
import type { Journals } from './journals.ts';
import type { LeftWork } from './left-work.ts';
import { fileTimes } from './records.ts';
import { restoreWork } from './restore-work.ts';
import { isSame, type UnsavedWork } from './unsaved-work.ts';

export interface Recovered {
  document: NotebookDocument;
  /** The shared model before the work was laid over it, and the change that did, for windows that let the person undo it. */
  before: Uint8Array;
  change: Uint8Array;
  /** The Yjs client of the change, which is the person's from now on. */
  writer: number;
}

/**
 * Throws NotebookOpenError when the contents that the work starts from can't be read; the work stays where it is then. `origin` is that of the
 * change in the shared model: the window that asked is given the change by hand.
 */
export async function recover(left: LeftWork, store: DocumentStore, journals: Journals, origin: unknown): Promise<Recovered> {
  const target = (await inPlace(left, store)) ?? (await beside(left, store));
  const { document } = target;
  const before = Y.encodeStateAsUpdate(document.ydoc);
  const writer = randomInt(2 ** 32);
  restoreWork(document, target.work, { ...target, origin, writer });
  journals.adopt(document, left);
  return { document, before, change: Y.encodeStateAsUpdate(document.ydoc, Y.encodeStateVectorFromUpdate(before)), writer };
}

/** Where the work is laid over. */
export interface Target {
  document: NotebookDocument;
  work: UnsavedWork;
  /** It has nothing of the contents that the work starts from. */
  startsEmpty: boolean;
}

async function inPlace(left: LeftWork, store: DocumentStore): Promise<Target | null> {
  if (left.state !== 'same' || left.path === null) return null;
  const document = await store.open(left.path);
  const { file, disk } = document;
  const { times, digest } = left.contents;
  const isBase = isSame(times, disk && fileTimes(disk)) || (digest !== null && (await fileDigest(file)) === digest);
  const isUntouched = !document.dirty && document.file === file;
  return isBase && isUntouched ? { document, work: left.work, startsEmpty: false } : null;
}

/** Where a document beside the notebook belongs, and how it is called. */
export function placeBeside({ path, title, place, convertedFrom }: LeftWork): CopyPlace {
  if (path === null) return { folder: place, title, convertedFrom };
  return { folder: dirname(path), title: basename(path).replace(/(\.ipynb)?$/i, ' (recovered).ipynb'), convertedFrom: null };
}

/** A document of its own with the contents that the work starts from, as far as they were kept. Throws NotebookOpenError. */
export async function beside(left: LeftWork, store: DocumentStore): Promise<Target> {
  const { path, copy, wholeWork: work } = left;
  const where = placeBeside(left);
  if (!copy) {
    return { document: store.create({ folder: where.folder, title: where.title }), work, startsEmpty: true };
  }
  const document = await store.openCopy(copy.file, where);
  if (path !== null) document.addNotice(besideNotice(left.state, basename(path)));
  if (copy.light)
    document.addNotice('Outputs of cells that you had not changed were too large to be kept, and are only in the other version.');
  return { document, work, startsEmpty: false };
}

function besideNotice(state: LeftWork['state'], name: string): string {
  return state === 'gone'
    ? `${name} is not where it was. This is the version you were working on. Save it to keep it.`
    : `This is the version of ${name} you were working on. The file holds another one by now and was not touched. Save this one to keep both.`;
}
