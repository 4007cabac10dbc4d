/**
 * All open documents: one per file, whichever path leads to it and however many ask for it at once. A file is the same when its real path is
 * the same, or its device and inode, which also covers hard links and file systems that ignore case.
 */
import { randomUUID } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { FIRST_MINOR_WITH_IDS, newCellId } from './cell-ids.ts';
import type { DocumentParts } from './document-parts.ts';
import { type LoadedCells, loadCells, loadCellsAtOnce } from './load-document.ts';
import { NotebookDocument } from './notebook-document.ts';
import { parseNotebookAtOnce } from './notebook-file.ts';
import { type OpenedNotebook, openNotebook } from './open.ts';
import type { DocumentWatcher } from './unsaved.ts';

export interface DocumentStoreOptions {
  log?: { warn(message: string, fields?: Record<string, unknown>): void };
  /** Keeps unsaved work safe from a crash. */
  journals?: DocumentWatcher;
  autosave?: DocumentWatcher;
  /** Looks after changes from outside; without it files are looked at before each save alone. */
  disk?: DocumentWatcher;
  /** Tells of other processes that have the same notebooks. */
  elsewhere?: DocumentWatcher;
  /** Tells of notebooks that don't fit their schema. */
  validation?: DocumentWatcher;
}

/** Where a document without a file belongs. */
export type CopyPlace = Pick<DocumentParts, 'folder' | 'title' | 'convertedFrom'>;

export interface CreateOptions {
  /** Where the notebook would be saved. */
  folder: string | null;
  /** Instead of `Untitled.ipynb`. */
  title?: string;
  kernelspec?: { name: string; display_name: string; language: string };
}

export class DocumentStore {
  readonly #documents = new Map<string, NotebookDocument>();
  /** Files that are being read, so that two simultaneous opens make one document. */
  readonly #opening = new Map<string, Promise<NotebookDocument>>();
  readonly #log: DocumentStoreOptions['log'];
  readonly #watchers: readonly DocumentWatcher[];
  #untitled = 0;

  constructor(options: DocumentStoreOptions = {}) {
    this.#log = options.log;
    const { journals, autosave, disk, elsewhere, validation } = options;
    this.#watchers = [journals, autosave, disk, elsewhere, validation].filter((watcher) => watcher !== undefined);
  }

  /** The document of this file, read if need be. Throws NotebookOpenError. */
  async open(path: string): Promise<NotebookDocument> {
    const identity = await fileIdentity(path);
    const present = this.#find(identity);
    if (present) return present;
    // Without an identity there is no such file; reading it gives the right error.
    const name = identity?.inode ?? identity?.realPath ?? resolve(path);
    const running = this.#opening.get(name);
    if (running) return running;
    const opening = this.#read(path).finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return opening;
  }

  /** A new notebook with one empty code cell and no file. */
  create(options: CreateOptions): NotebookDocument {
    const title = options.title ?? this.#newTitle();
    const file = parseNotebookAtOnce(Buffer.from(newNotebookText(options.kernelspec)));
    const opened: OpenedNotebook = {
      file,
      minor: 5,
      path: title,
      realPath: '',
      disk: null,
      origin: 'utf-8',
      readOnly: false,
      notices: [],
      untilSaved: [],
    };
    return this.#add(opened, loadCellsAtOnce(file, true, title), {
      path: null,
      realPath: null,
      folder: options.folder,
      title,
      convertedFrom: null,
    });
  }

  #newTitle(): string {
    this.#untitled += 1;
    return this.#untitled === 1 ? 'Untitled.ipynb' : `Untitled ${this.#untitled}.ipynb`;
  }

  get(id: string): NotebookDocument | undefined {
    return this.#documents.get(id);
  }

  all(): NotebookDocument[] {
    return [...this.#documents.values()];
  }

  /** Lets a document go. Unsaved work is lost: ask before. */
  close(id: string): void {
    const document = this.#documents.get(id);
    this.#documents.delete(id);
    if (document) for (const watcher of this.#watchers) watcher.closed(document);
    document?.close().catch((error: unknown) => this.#log?.warn('a document could not be closed', { error: String(error) }));
  }

  /** A copy of a notebook, such as a journal keeps, as a document that has no file yet. Throws NotebookOpenError. */
  async openCopy(copy: string, place: CopyPlace): Promise<NotebookDocument> {
    const opened = await openNotebook(copy);
    const cells = await loadCells(opened.file, opened.minor >= FIRST_MINOR_WITH_IDS, place.title);
    return this.#add({ ...opened, disk: null, readOnly: false, notices: [], untilSaved: [] }, cells, {
      ...place,
      path: null,
      realPath: null,
      isCopy: true,
    });
  }

  async #read(path: string): Promise<NotebookDocument> {
    const opened = await openNotebook(path);
    const cells = await loadCells(opened.file, opened.minor >= FIRST_MINOR_WITH_IDS, opened.path);
    const folder = dirname(opened.path);
    if (opened.origin !== 'old-format')
      return this.#add(opened, cells, { path: opened.path, realPath: opened.realPath, folder, title: '', convertedFrom: null });
    const title = basename(opened.path).replace(/(\.ipynb)?$/, ' (converted).ipynb');
    return this.#add(opened, cells, { path: null, realPath: null, folder, title, convertedFrom: opened.realPath });
  }

  #add(
    opened: OpenedNotebook,
    cells: LoadedCells,
    place: Pick<DocumentParts, 'path' | 'realPath' | 'folder' | 'title' | 'convertedFrom' | 'isCopy'>,
  ): NotebookDocument {
    const document: NotebookDocument = new NotebookDocument({
      ...cells,
      ...place,
      id: randomUUID(),
      file: opened.file,
      hasIds: opened.minor >= FIRST_MINOR_WITH_IDS,
      disk: opened.disk,
      origin: opened.origin,
      readOnly: opened.readOnly,
      notices: [...opened.notices, ...cells.notices],
      untilSaved: [...opened.untilSaved, ...cells.notices],
      onError: (error) => this.#log?.warn('a listener of a document failed', { error: String(error) }),
      isOpenElsewhere: async (target) => {
        const other = this.#find(await fileIdentity(target));
        return other !== undefined && other !== document;
      },
    });
    this.#documents.set(document.id, document);
    for (const watcher of this.#watchers) watcher.watch(document);
    return document;
  }

  #find(identity: FileIdentity | null): NotebookDocument | undefined {
    if (!identity) return undefined;
    return this.all().find(({ realPath, disk }) => {
      if (realPath === null) return false;
      return realPath === identity.realPath || (identity.inode !== null && disk !== null && inodeName(disk) === identity.inode);
    });
  }
}

interface FileIdentity {
  realPath: string;
  /** Device and inode; null on file systems without inodes. */
  inode: string | null;
}

async function fileIdentity(path: string): Promise<FileIdentity | null> {
  try {
    const real = await realpath(path);
    return { realPath: real, inode: inodeName(await stat(real, { bigint: true })) };
  } catch {
    return null;
  }
}

function inodeName({ dev, ino }: { dev: bigint; ino: bigint }): string | null {
  return ino === 0n ? null : `${dev}:${ino}`;
}

/** nbformat 4.5, in the usual form. */
function newNotebookText(kernelspec: CreateOptions['kernelspec']): string {
  const cell = { cell_type: 'code', execution_count: null, id: newCellId(new Set()), metadata: {}, outputs: [], source: [] };
  const spec = kernelspec && { display_name: kernelspec.display_name, language: kernelspec.language, name: kernelspec.name };
  return `${JSON.stringify({ cells: [cell], metadata: spec ? { kernelspec: spec } : {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}
