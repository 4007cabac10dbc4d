/**
 * What those who look after documents and keep unsaved work safe hear of them. The hard thing is a save: it writes a copy, and what is changed after
 * the copy was taken is not in the file.
 */
import type { NotebookDocument } from './notebook-document.ts';
import type { Saved } from './save.ts';

export interface SaveWitness {
  /**
   * A save to `path` took its copy, whose cells have this order; of the cells in `kept` it leaves what the file has. The answer is called when the
   * new file is written and about to take the place of the old one; the save waits for it.
   */
  copied(path: string, order: readonly string[], kept: ReadonlySet<string>): (written: Pick<Saved, 'realPath' | 'state'>) => Promise<void>;
}

/** Hears of every document of a store from its opening to its close. */
export interface DocumentWatcher {
  watch(document: NotebookDocument): void;
  closed(document: NotebookDocument): void;
}
