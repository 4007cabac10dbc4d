/**
 * Other processes of Cellwright that have the same notebook: a run from the command line, a server for agents, an app with another profile. Each says
 * in a folder that all of them share which files it has; entries of processes that are gone are taken away by whoever finds them.
 */
import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorFields, type Log } from '../../log/log.ts';
import type { NotebookDocument } from '../notebook-document.ts';
import { lives, owningProcess, thisProcess } from '../owning-process.ts';
import type { DocumentWatcher } from '../unsaved.ts';

/** What a process is to the person. */
export type OpenedBy = 'app' | 'run' | 'agents';

const entrySchema = owningProcess.extend({ path: z.string(), by: z.enum(['app', 'run', 'agents']) });
type Entry = z.infer<typeof entrySchema>;

/** In the Jupyter runtime folder, which all profiles share. */
export const OPEN_FOLDER = 'cellwright-open';

export interface OpenElsewhereOptions {
  /** Shared by all processes of this user; made when it is not there. */
  folder: string;
  by: OpenedBy;
  log: Log;
}

interface Watched {
  /** The file that this process has said to have. */
  path: string | null;
  notice: string | null;
  end: () => void;
}

const WORDS: { readonly [B in OpenedBy]: string } = {
  app: 'is open in another Cellwright as well',
  run: 'is being run by “cellwright run” at the moment',
  agents: 'is open for agents in a Cellwright without a window as well',
};

/** Processes are named in the folder by their pid: only they write their entries. */
const FILE_MODE = 0o600;

export class OpenElsewhere implements DocumentWatcher {
  readonly #options: OpenElsewhereOptions;
  readonly #watched = new Map<NotebookDocument, Watched>();
  #work: Promise<void> = Promise.resolve();
  #watcher: FSWatcher | null = null;

  constructor(options: OpenElsewhereOptions) {
    this.#options = options;
  }

  watch(document: NotebookDocument): void {
    const watched: Watched = { path: null, notice: null, end: () => undefined };
    watched.end = document.on('state', () => {
      if (document.realPath !== watched.path) this.#then(() => this.#follow(document, watched));
    });
    this.#watched.set(document, watched);
    this.#then(() => this.#follow(document, watched));
  }

  closed(document: NotebookDocument): void {
    const watched = this.#watched.get(document);
    if (!watched) return;
    watched.end();
    this.#watched.delete(document);
    this.#then(() => this.#take(watched, null));
    if (this.#watched.size === 0) this.#stopWatching();
  }

  /** Resolves when all that was asked for so far is done. Never rejects. */
  get settled(): Promise<void> {
    return this.#work;
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => this.#options.log.warn('open-elsewhere.failed', errorFields(error)));
  }

  async #follow(document: NotebookDocument, watched: Watched): Promise<void> {
    if (!this.#watched.has(document)) return;
    await this.#take(watched, document.realPath);
    await this.#look(document, watched);
  }

  async #take(watched: Watched, path: string | null): Promise<void> {
    if (watched.path === path) return;
    const { folder, by } = this.#options;
    const left = watched.path;
    watched.path = path;
    if (left !== null) await rm(join(folder, entryName(left)), { force: true });
    if (path === null) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#startWatching();
    const entry: Entry = { ...(await thisProcess()), path, by };
    const file = join(folder, entryName(path));
    await writeFile(`${file}.new`, JSON.stringify(entry), { mode: FILE_MODE });
    await rename(`${file}.new`, file);
  }

  async #look(document: NotebookDocument, watched: Watched): Promise<void> {
    const others = watched.path === null ? [] : await this.#othersWith(watched.path);
    const notice = others[0]
      ? `${document.title} ${WORDS[others[0].by]}. Each side takes in what the other one saves, cell by cell.`
      : null;
    if (notice === watched.notice || !this.#watched.has(document)) return;
    if (watched.notice !== null) document.dropNotice(watched.notice);
    watched.notice = notice;
    if (notice !== null) document.addNotice(notice);
  }

  async #othersWith(path: string): Promise<Entry[]> {
    const entries = await this.#entries((name) => name.startsWith(`${fileName(path)}-`) && name !== entryName(path));
    return entries.filter((entry) => entry.path === path);
  }

  /** Those of processes that live; the others are taken away. */
  async #entries(isWanted: (name: string) => boolean): Promise<Entry[]> {
    const { folder } = this.#options;
    const found: Entry[] = [];
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.json') || !isWanted(name)) continue;
      const text = await readFile(join(folder, name), 'utf8').catch(() => null);
      if (text === null) continue;
      const entry = entrySchema.safeParse(parsed(text)).data;
      if (entry && (await lives(entry))) found.push(entry);
      else await rm(join(folder, name), { force: true });
    }
    return found;
  }

  #startWatching(): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(this.#options.folder, { persistent: false }, (_event, name) => this.#folderChanged(name));
      // Without it others are seen when a notebook is opened, and not when they come later.
      this.#watcher.on('error', () => this.#stopWatching());
      this.#then(async () => void (await this.#entries(() => true)));
    } catch (error) {
      this.#options.log.warn('open-elsewhere.not-watched', errorFields(error));
    }
  }

  #stopWatching(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  #folderChanged(name: string | null): void {
    for (const [document, watched] of this.#watched) {
      const { path } = watched;
      const isAbout = path !== null && (name === null || (name.startsWith(fileName(path)) && name !== entryName(path)));
      if (isAbout) this.#then(() => this.#look(document, watched));
    }
  }
}

/** A notebook's file in the folder's names. */
function fileName(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

function entryName(path: string): string {
  return `${fileName(path)}-${process.pid}.json`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
