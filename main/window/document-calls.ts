/** The calls about documents: open, attach, outputs, save, close, trust. Each says what it did with the state it left behind. */
import path from 'node:path';
import type { DocumentSnapshot, DocumentState } from '../../preload/contract.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { RecentFiles } from '../settings/recent-files.ts';
import { documentState } from './document-view.ts';
import { placeExample } from './examples.ts';
import { ActionError } from './failure.ts';
import type { CallHandlers, PostHandlers } from './ipc-router.ts';
import type { OpenNotebook } from './open-notebook.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';

export interface DocumentCallsOptions {
  notebooks: OpenNotebooks;
  recent: RecentFiles;
  /** Where the examples come from, and where they are copied to when they are opened. */
  examples: { source: string; copies: string };
  log: Log;
}

type DocumentCalls = Pick<CallHandlers<PageWindow>, Extract<keyof CallHandlers<PageWindow>, `doc.${string}`>>;

export function documentCalls(options: DocumentCallsOptions): DocumentCalls {
  const { notebooks } = options;
  return {
    'doc.open': async (window, { path: given }) => {
      const held = notebooks.find(given);
      if (held) return notebooks.attach(held.id, window).snapshot();
      return openFile(options, given, window);
    },
    'doc.example': async (window, { name }) => openFile(options, await placeExample(name, options.examples), window, { recent: false }),
    'doc.create': (window, { folder }) => {
      if (folder !== null && !path.isAbsolute(folder)) throw new ActionError('bad-path', 'The folder’s path is not absolute.');
      return notebooks.create(folder, window).snapshot();
    },
    'doc.attach': (window, { docId }) => notebooks.attach(docId, window).snapshot(),
    'doc.outputs': (_window, { docId, keys }) => notebooks.get(docId).outputs(keys),
    'doc.save': async (_window, { docId }) => {
      const { document } = notebooks.get(docId);
      if (document.path === null) throw new ActionError('no-path', 'This notebook has no file yet.', 'Choose where to save it.');
      await document.save();
      return documentState(document);
    },
    'doc.saveAs': (window, { docId, path: given }) => saveAs(options, notebooks.get(docId), window, given),
    'doc.normaliseLineEnds': async (_window, { docId }) => ({ changed: await notebooks.get(docId).document.normaliseLineEnds() }),
    'doc.close': async (window, { docId, discard, stop }) => {
      const notebook = notebooks.get(docId);
      const { document, running } = notebook;
      const isLast = notebooks.shownOnlyBy(window).includes(notebook);
      if (isLast && document.dirty && !discard)
        throw new ActionError('unsaved', `${document.title} has unsaved changes.`, 'Save it, or close it without saving.');
      if (isLast && running && !stop)
        throw new ActionError('running', `${document.title} is still running.`, 'Stop it, or wait until it is done.');
      await notebooks.detach(docId, window);
      return null;
    },
    'doc.trust': async (_window, { docId }) => {
      const { document, trust } = notebooks.get(docId);
      await trust.grant();
      return documentState(document);
    },
    'doc.clearOutputs': (window, { docId, keys }) => {
      notebooks.get(docId).document.clearOutputs(keys, `cleared by window ${window.id}`);
      return null;
    },
  };
}

/** A window's own edits. They come back to every other window and never to the one that made them. */
export function documentPosts({
  notebooks,
  log,
}: Pick<DocumentCallsOptions, 'notebooks' | 'log'>): Pick<PostHandlers<PageWindow>, 'doc.update'> {
  return {
    'doc.update': (window, { docId, update }) => {
      const notebook = notebooks.find(docId);
      // A last keystroke may arrive after its tab was closed.
      if (!notebook?.feed.views.has(window)) return log.info('doc.update-late', { docId });
      notebook.document.applyUpdate(update, window);
    },
  };
}

async function openFile(
  { notebooks, recent, log }: DocumentCallsOptions,
  filePath: string,
  window: PageWindow,
  { recent: remember } = { recent: true },
): Promise<DocumentSnapshot> {
  if (!path.isAbsolute(filePath)) throw new ActionError('bad-path', 'The file’s path is not absolute.');
  const notebook = await notebooks.open(filePath, window);
  if (remember) addRecent(recent, notebook, log);
  return notebook.snapshot();
}

async function saveAs(
  { recent, log }: DocumentCallsOptions,
  notebook: OpenNotebook,
  window: PageWindow,
  given: string | null,
): Promise<DocumentState | null> {
  const { document } = notebook;
  const target =
    given ?? (await window.askForSavePath(document.path ?? path.join(notebook.folder, `${withoutExtension(document.title)}.ipynb`)));
  if (target === null) return null;
  if (!path.isAbsolute(target)) throw new ActionError('bad-path', 'The file’s path is not absolute.');
  await document.saveAs(target);
  addRecent(recent, notebook, log);
  return documentState(document);
}

function withoutExtension(title: string): string {
  return title.replace(/\.ipynb$/i, '');
}

function addRecent(recent: RecentFiles, notebook: OpenNotebook, log: Log): void {
  const { path: filePath } = notebook.document;
  if (filePath === null) return;
  recent.add(filePath, Date.now()).catch((error: unknown) => log.warn('recent.write-failed', errorFields(error)));
}
