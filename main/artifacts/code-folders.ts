/**
 * The folders that agents' code puts files into, each with one observer however many sessions share it: two would give one file two ids. One that is
 * forgotten and comes back reads its folder again.
 */
import { ArtifactStore } from './artifact-store.ts';
import { CodeFiles } from './code-files.ts';

/** More agents than work at a time. */
const FOLDERS_LIMIT = 100;

export class CodeFolders {
  /** The one that was asked for last is the last. */
  readonly #files = new Map<string, CodeFiles>();

  of(folder: string): CodeFiles {
    const files = this.#files.get(folder) ?? new CodeFiles(new ArtifactStore(folder));
    this.#files.delete(folder);
    this.#files.set(folder, files);
    const [oldest] = this.#files.keys();
    if (oldest !== undefined && this.#files.size > FOLDERS_LIMIT) this.#files.delete(oldest);
    return files;
  }
}
