/**
 * Watches the files of all open documents. One look at a time for each document: a disk that hangs must not gather looks.
 */
import type { NotebookDocument } from '../notebook-document.ts';
import type { DocumentWatcher } from '../unsaved.ts';
import { FileWatch } from './file-watch.ts';

interface Watched {
  look: () => Promise<void>;
  end: () => void;
}

export class DiskWatch implements DocumentWatcher {
  readonly #watched = new Map<NotebookDocument, Watched>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  watch(document: NotebookDocument): void {
    let looking: Promise<void> | null = null;
    const look = (): Promise<void> => {
      looking ??= document
        .checkDisk()
        .catch(this.#onError)
        .finally(() => {
          looking = null;
        });
      return looking;
    };
    const files = new FileWatch(() => void look());
    const follow = (): void => files.follow([document.path, document.realPath].filter((path) => path !== null));
    follow();
    const unfollow = document.on('state', follow);
    this.#watched.set(document, {
      look,
      end: () => {
        unfollow();
        files.end();
      },
    });
  }

  closed(document: NotebookDocument): void {
    this.#watched.get(document)?.end();
    this.#watched.delete(document);
  }

  /** Looks at every file now. */
  async lookAtAll(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ look }) => look()));
  }
}
