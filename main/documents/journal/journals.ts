/**
 * All journals of a profile: one folder per document with unsaved work, made and removed as documents come and go. What a crashed process left
 * is found at the next start, taken over so that no other process restores it too, and kept for a while when the person does not want it.
 */
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorFields, type Log } from '../../log/log.ts';
import { systemCode } from '../errors.ts';
import type { NotebookDocument } from '../notebook-document.ts';
import type { DocumentWatcher } from '../unsaved.ts';
import { DocumentJournal } from './document-journal.ts';
import { type KeptWork, keptWork } from './kept-work.ts';
import { type LeftWork, readLeft } from './left-work.ts';
import { isOwned, newOwnedFolder, takeOver } from './owner.ts';

/** Folder for journals that the person decided against. */
const KEPT = 'kept';
const KEPT_MS = 14 * 24 * 3600 * 1000;

export interface JournalsOptions {
  /** In the profile; made when the first journal is. */
  folder: string;
  log: Log;
}

export class Journals implements DocumentWatcher {
  readonly #options: JournalsOptions;
  readonly #open = new Map<NotebookDocument, DocumentJournal>();
  readonly #closing = new Set<Promise<void>>();
  #troubleTold = false;
  #appEnds = false;

  constructor(options: JournalsOptions) {
    this.#options = options;
  }

  watch(document: NotebookDocument): void {
    const journal = new DocumentJournal(document, {
      newFolder: () => newOwnedFolder(this.#options.folder),
      onTrouble: (error) => this.#trouble(error, document),
    });
    this.#open.set(document, journal);
  }

  /** The document is closed: what was not saved then was given up, and is kept for a while all the same. */
  closed(document: NotebookDocument): void {
    const journal = this.#open.get(document);
    // When the app ends by a signal nobody was asked: everything stays for the next start.
    if (!journal || this.#appEnds) return;
    this.#open.delete(document);
    const closing = journal
      .end()
      .then((folder) => (folder === null ? undefined : this.#keep(folder)))
      .catch((error: unknown) => this.#options.log.warn('journal.not-closed', errorFields(error)))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** The document has had this left work laid over it: its own journal takes the place of the one that was left. */
  adopt(document: NotebookDocument, left: LeftWork): void {
    this.#open.get(document)?.adopt(left.folder);
  }

  /** The app ends: unsaved work is written and stays for the next start. */
  async appEnds(): Promise<void> {
    this.#appEnds = true;
    await Promise.all([...this.#open.values()].map((journal) => journal.end()));
    await Promise.all(this.#closing);
  }

  /** Takes over what processes that are gone have left. Never throws: a journal that can't be read must not stop a start. */
  async takeLeft(): Promise<LeftWork[]> {
    const { folder, log } = this.#options;
    const names = await readdir(folder).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') log.warn('journal.not-listed', errorFields(error));
      return [];
    });
    const left: LeftWork[] = [];
    for (const name of names) {
      if (name === KEPT) continue;
      const work = await this.#takeOne(join(folder, name)).catch((error: unknown) => {
        log.warn('journal.not-taken', errorFields(error));
        return null;
      });
      if (work) left.push(work);
    }
    await this.#forgetOldKept().catch((error: unknown) => log.warn('journal.kept-not-cleared', errorFields(error)));
    return left.sort((a, b) => b.changedAt - a.changedAt);
  }

  /** The person keeps the file as it is. The journal is there for a while. */
  async dismiss(left: LeftWork): Promise<void> {
    await this.#keep(left.folder);
  }

  /** What was given up or put away and is still there, the newest first. */
  kept(): Promise<KeptWork[]> {
    return keptWork(join(this.#options.folder, KEPT));
  }

  async #takeOne(folder: string): Promise<LeftWork | null> {
    const { folder: journals, log } = this.#options;
    if (await isOwned(folder)) return null;
    if (basename(folder).endsWith('.new')) {
      await rm(folder, { recursive: true, force: true });
      return null;
    }
    const taken = await takeOver(folder, journals);
    if (taken === null) return null;
    const work = await readLeft(taken);
    if (work === 'nothing') await rm(taken, { recursive: true, force: true });
    else if (work === 'unreadable') {
      log.warn('journal.unreadable', { folder: basename(taken) });
      await this.#keep(taken);
    } else return work;
    return null;
  }

  async #keep(folder: string): Promise<void> {
    const kept = join(this.#options.folder, KEPT);
    await mkdir(kept, { recursive: true, mode: 0o700 });
    const now = new Date();
    await utimes(folder, now, now);
    await rename(folder, join(kept, basename(folder)));
  }

  async #forgetOldKept(): Promise<void> {
    const kept = join(this.#options.folder, KEPT);
    for (const name of await readdir(kept).catch(() => [])) {
      const { mtimeMs } = await stat(join(kept, name));
      if (Date.now() - mtimeMs > KEPT_MS) await rm(join(kept, name), { recursive: true, force: true });
    }
  }

  /** Said once, to the notebook it happened to: typing goes on, and a save still writes the notebook itself. */
  #trouble(error: unknown, document: NotebookDocument): void {
    this.#options.log.warn('journal.not-written', errorFields(error));
    if (this.#troubleTold) return;
    this.#troubleTold = true;
    document.addNotice(`${reason(systemCode(error))} Unsaved changes would be lost in a crash for now, so save from time to time.`);
  }
}

function reason(code: string | null): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk with Cellwright’s own files is full.';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'Cellwright can’t write to the folder of its own files.';
  return `Cellwright’s own files can’t be written${code === null ? '' : ` (${code})`}.`;
}
