/**
 * Saves without being asked: a while after the first unsaved change, or when the window loses the focus. Never what a person has to decide first:
 * a notebook without a file, one that can't be written, one that another program changed too or stripped of its outputs. A save that fails is not tried again and again:
 * autosave rests for that notebook until a save of the person's own went through.
 */
import { errorFields, type Log } from '../log/log.ts';
import { NotebookSaveError } from './errors.ts';
import type { NotebookDocument } from './notebook-document.ts';
import type { DocumentWatcher } from './unsaved.ts';

export type AutosaveMode = 'off' | 'afterDelay' | 'onFocusChange';

export interface AutosaveOptions {
  /** Asked each time, so that a changed setting holds at once. */
  mode: () => AutosaveMode;
  delaySeconds: () => number;
  log: Log;
}

interface Watched {
  timer: ReturnType<typeof setTimeout> | null;
  rests: boolean;
  end: () => void;
}

export class Autosave implements DocumentWatcher {
  readonly #options: AutosaveOptions;
  readonly #watched = new Map<NotebookDocument, Watched>();

  constructor(options: AutosaveOptions) {
    this.#options = options;
  }

  watch(document: NotebookDocument): void {
    this.#watched.set(document, { timer: null, rests: false, end: document.on('state', () => this.#stateChanged(document)) });
  }

  closed(document: NotebookDocument): void {
    const watched = this.#watched.get(document);
    if (!watched) return;
    if (watched.timer) clearTimeout(watched.timer);
    watched.end();
    this.#watched.delete(document);
  }

  /** The window lost the focus. */
  focusLost(): void {
    if (this.#options.mode() !== 'onFocusChange') return;
    for (const [document, watched] of this.#watched) void this.#save(document, watched);
  }

  #stateChanged(document: NotebookDocument): void {
    const watched = this.#watched.get(document);
    if (!watched) return;
    if (!document.dirty) {
      if (watched.timer) clearTimeout(watched.timer);
      watched.timer = null;
      watched.rests = false;
      return;
    }
    if (watched.timer || watched.rests || this.#options.mode() !== 'afterDelay') return;
    watched.timer = setTimeout(() => {
      watched.timer = null;
      if (this.#options.mode() === 'afterDelay') void this.#save(document, watched);
    }, this.#options.delaySeconds() * 1000);
    // Whoever only waits for this has nothing left to do: what is unsaved is in the journal.
    watched.timer.unref();
  }

  async #save(document: NotebookDocument, watched: Watched): Promise<void> {
    if (watched.rests || !mayBeSaved(document)) return;
    try {
      await document.save();
    } catch (error) {
      watched.rests = true;
      this.#options.log.warn('autosave.failed', errorFields(error));
      // A conflict is shown where it is settled.
      if (!(error instanceof NotebookSaveError) || error.code === 'conflict') return;
      document.addNotice(`${error.message} ${error.hint} Autosave rests until then.`);
    }
  }
}

function mayBeSaved({ dirty, path, readOnly, outside }: NotebookDocument): boolean {
  return dirty && path !== null && !readOnly && outside.conflictCount === 0 && outside.kept === null && outside.trouble === null;
}
