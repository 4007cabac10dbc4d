/**
 * All open notebooks: one document and one session each, whichever windows show it. A notebook lives as long as a window shows it; the
 * window itself may reload or crash in between, so a view leaves only when its tab is closed or its window is gone for good.
 */

import path from 'node:path';
import type { NotebookHold, NotebookOwner } from '../agents/notebook-owner.ts';
import { artifactFolder } from '../artifacts/artifact-folder.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { KernelSources } from '../kernels/default-kernel.ts';
import type { KernelManager } from '../kernels/kernel-manager.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { NotebookMemory } from '../settings/notebook-memory.ts';
import { ActionError } from './failure.ts';
import type { View } from './notebook-feed.ts';
import { OpenNotebook } from './open-notebook.ts';

export interface OpenNotebooksOptions extends KernelSources {
  store: DocumentStore;
  kernels: Pick<KernelManager, 'start' | 'withRoom' | 'host'>;
  /** Holds one artifact folder per notebook. */
  artifactsFolder: string;
  /** Where a notebook without a folder works. */
  home: string;
  memory: NotebookMemory;
  /** Each save also writes the state of the kernel's widgets. */
  saveWidgetState: () => boolean;
  log: Log;
}

export class OpenNotebooks implements NotebookOwner {
  readonly #options: OpenNotebooksOptions;
  readonly #open = new Map<string, OpenNotebook>();
  readonly #gone = new WeakSet<View>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: OpenNotebooksOptions) {
    this.#options = options;
  }

  /** Throws NotebookOpenError, and ActionError when the window is gone before the file is read. */
  async open(filePath: string, view: View): Promise<OpenNotebook> {
    const { store } = this.#options;
    let document = await store.open(filePath);
    // Its last window may have let it go while this one waited for it.
    while (store.get(document.id) !== document) document = await store.open(filePath);
    if (this.#gone.has(view)) {
      if (!this.#open.has(document.id)) store.close(document.id);
      throw new ActionError('window-gone', 'The window was closed.');
    }
    const notebook = this.#show(document, path.dirname(filePath), view);
    await notebook.trust.recall();
    return notebook;
  }

  /** For agents: open without a window, and kept when its last window goes. Throws NotebookOpenError. */
  async hold(filePath: string): Promise<NotebookHold<OpenNotebook>> {
    const { store } = this.#options;
    let document = await store.open(filePath);
    while (store.get(document.id) !== document) document = await store.open(filePath);
    const notebook = this.#opened(document, path.dirname(filePath));
    const hold = this.#hold(notebook);
    await notebook.trust.recall();
    return hold;
  }

  holdOpen(docId: string): NotebookHold<OpenNotebook> | null {
    const notebook = this.#open.get(docId);
    return notebook ? this.#hold(notebook) : null;
  }

  #hold(notebook: OpenNotebook): NotebookHold<OpenNotebook> {
    const hold = Symbol('hold');
    notebook.holds.add(hold);
    return { notebook, release: () => (notebook.holds.delete(hold) ? this.#closeUnused(notebook) : Promise.resolve()) };
  }

  opened(): OpenNotebook[] {
    return [...this.#open.values()];
  }

  create(folder: string | null, view: View): OpenNotebook {
    const document = this.#options.store.create({ folder });
    return this.#show(document, folder ?? this.#options.home, view);
  }

  /** Shows a document that the store has already. */
  show(document: NotebookDocument, view: View): OpenNotebook {
    return this.#show(document, document.folder ?? this.#options.home, view);
  }

  /** Throws ActionError `not-open`: a window may still speak of a notebook that was closed meanwhile. */
  get(docId: string): OpenNotebook {
    const notebook = this.#open.get(docId);
    if (!notebook) throw new ActionError('not-open', 'This notebook is not open any more.', 'Open it again.');
    return notebook;
  }

  find(docId: string): OpenNotebook | undefined {
    return this.#open.get(docId);
  }

  /** By the host of an address, which is the id in lower case. */
  findHost(host: string): OpenNotebook | undefined {
    return this.#open.get(host) ?? [...this.#open.values()].find((notebook) => notebook.id.toLowerCase() === host);
  }

  attach(docId: string, view: View): OpenNotebook {
    const notebook = this.get(docId);
    notebook.attach(view);
    return notebook;
  }

  shownBy(view: View): OpenNotebook[] {
    return [...this.#open.values()].filter((notebook) => notebook.feed.views.has(view));
  }

  /** Those that no other window shows: what is lost or ended when this one goes. */
  shownOnlyBy(view: View): OpenNotebook[] {
    return this.shownBy(view).filter((notebook) => notebook.feed.views.size === 1);
  }

  /** Takes a notebook out of a window; the last one to go ends its kernel. Unsaved work is given up: ask before. */
  async detach(docId: string, view: View): Promise<void> {
    const notebook = this.get(docId);
    notebook.feed.views.delete(view);
    notebook.widgetFeed.remove(view);
    await this.#closeUnused(notebook);
  }

  async #closeUnused(notebook: OpenNotebook): Promise<void> {
    if (notebook.feed.views.size > 0 || notebook.holds.size > 0) return;
    this.#open.delete(notebook.id);
    // Forgotten first: whoever opens the file while its old kernel still shuts down gets a document of its own.
    this.#options.store.close(notebook.id);
    await this.#close(notebook);
  }

  /** At the app's end: ends every session, those of windows that are just closing too. Documents stay as they are. */
  async end(): Promise<void> {
    await Promise.all([...this.#closing, ...[...this.#open.values()].map((notebook) => this.#close(notebook))]);
  }

  #close(notebook: OpenNotebook): Promise<void> {
    const closing = notebook
      .close()
      .catch((error: unknown) => this.#options.log.error('notebook.close-failed', errorFields(error)))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    return closing;
  }

  /** A window is gone for good. */
  async viewGone(view: View): Promise<void> {
    this.#gone.add(view);
    await Promise.all(this.shownBy(view).map((notebook) => this.detach(notebook.id, view)));
  }

  #show(document: NotebookDocument, folder: string, view: View): OpenNotebook {
    const notebook = this.#opened(document, folder);
    notebook.attach(view);
    return notebook;
  }

  #opened(document: NotebookDocument, folder: string): OpenNotebook {
    let notebook = this.#open.get(document.id);
    if (!notebook) {
      const { kernels, environment, gateway, memory, saveWidgetState, log } = this.#options;
      notebook = new OpenNotebook({
        document,
        kernels,
        folder,
        artifactFolder: artifactFolder(this.#options.artifactsFolder, document.realPath ?? document.id),
        environment,
        gateway,
        memory,
        saveWidgetState,
        log,
      });
      this.#open.set(document.id, notebook);
      // Started now, so that the first run need not wait for it. A failure comes again with the run, and is told there.
      kernels.host().catch((error: unknown) => log.warn('host.not-started', errorFields(error)));
    }
    return notebook;
  }
}
