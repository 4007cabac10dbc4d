/**
 * Saves for many writers: those who ask while a save runs share the next one. Eight agents that edit one notebook write it once for all of
 * their edits of that moment, and each still hears of the save that has its edit.
 */
import { NotebookSaveError } from '../documents/errors.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { OwnedNotebook } from './notebook-owner.ts';

interface Saves {
  running: Promise<void>;
  next: Promise<void> | null;
}

export class SharedSaves {
  readonly #saves = new WeakMap<NotebookDocument, Saves>();

  /**
   * Resolves when everything that is in the document now is on the disk. Throws NotebookSaveError; also for a file that is gone while a person sees
   * the notebook, for whether it comes back is theirs to say.
   */
  async save({ document, isShown = false }: Pick<OwnedNotebook, 'document' | 'isShown'>): Promise<void> {
    const { trouble } = document.outside;
    if (isShown && trouble?.kind === 'gone')
      throw new NotebookSaveError('gone', trouble.message, 'Ask the person whether to save it again.');
    const present = this.#saves.get(document);
    if (!present) return this.#begin(document);
    present.next ??= present.running.catch(() => {}).then(() => this.#begin(document));
    return present.next;
  }

  #begin(document: NotebookDocument): Promise<void> {
    const saves: Saves = { running: document.save(), next: null };
    this.#saves.set(document, saves);
    const forget = (): void => {
      if (this.#saves.get(document) === saves && saves.next === null) this.#saves.delete(document);
    };
    saves.running.then(forget, forget);
    return saves.running;
  }
}
