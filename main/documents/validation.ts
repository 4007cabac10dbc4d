/**
 * Tells of notebooks that don't fit nbformat's schemas, once they are on show. Each is looked at in a worker of its own, one after the other, so that
 * ten that are opened at once don't take the processors from what the person does.
 */
import { Worker } from 'node:worker_threads';
import { errorFields, type Log } from '../log/log.ts';
import type { NotebookDocument } from './notebook-document.ts';
import type { DocumentWatcher } from './unsaved.ts';

/** The first cells come first. */
const DELAY_MS = 500;

export interface ValidationOptions {
  /** The worker's script. */
  worker: string;
  log: Log;
}

export class Validation implements DocumentWatcher {
  readonly #options: ValidationOptions;
  readonly #waiting = new Map<NotebookDocument, ReturnType<typeof setTimeout>>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: ValidationOptions) {
    this.#options = options;
  }

  watch(document: NotebookDocument): void {
    if (document.path === null) return;
    const timer = setTimeout(() => {
      this.#last = this.#last.then(() => this.#check(document));
    }, DELAY_MS);
    timer.unref();
    this.#waiting.set(document, timer);
  }

  closed(document: NotebookDocument): void {
    clearTimeout(this.#waiting.get(document));
    this.#waiting.delete(document);
  }

  async #check(document: NotebookDocument): Promise<void> {
    const { path } = document;
    if (path === null || !this.#waiting.has(document)) return;
    try {
      const notice = await noticeOf(path, this.#options.worker);
      if (notice && this.#waiting.has(document)) document.addNotice(notice);
    } catch (error) {
      this.#options.log.warn('validation.failed', errorFields(error));
    }
  }
}

/** Rejects when the worker can't be started, or the file can't be read any more. */
function noticeOf(path: string, script: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData: path });
    // It must not keep a program from its end.
    worker.unref();
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
  });
}
