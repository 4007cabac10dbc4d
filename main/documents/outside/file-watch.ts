/**
 * Says when it is worth looking at a file. The folder is watched and not the file, since most programs save by putting another file in its
 * place. Events are only hints: some file systems send none, so there is a slow look as well.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Milliseconds from an event to the look: one save is several events. */
const SETTLE_MS = 80;
/** Milliseconds between looks without any event, for network folders. */
const SLOW_LOOK_MS = 4_000;

export class FileWatch {
  readonly #look: () => void;
  readonly #slow: NodeJS.Timeout;
  readonly #watchers = new Map<string, FSWatcher>();
  #paths: readonly string[] = [];
  #soon: NodeJS.Timeout | null = null;

  constructor(look: () => void) {
    this.#look = look;
    this.#slow = setInterval(() => {
      if (this.#paths.length === 0) return;
      // A folder that was gone may be there again.
      this.follow(this.#paths);
      look();
    }, SLOW_LOOK_MS);
    this.#slow.unref();
  }

  /** From now on these are the names of the file: where it was opened, and where links lead. */
  follow(paths: readonly string[]): void {
    this.#paths = [...new Set(paths)];
    const folders = new Set(this.#paths.map((path) => dirname(path)));
    for (const folder of [...this.#watchers.keys()]) if (!folders.has(folder)) this.#forget(folder);
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  end(): void {
    this.follow([]);
    clearInterval(this.#slow);
    if (this.#soon) clearTimeout(this.#soon);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        // The folder itself was moved or deleted: another one may stand in its place now.
        if (name === basename(folder)) this.#watchAnew(folder);
        if (name === null || name === basename(folder) || this.#paths.some((path) => dirname(path) === folder && basename(path) === name))
          this.#lookSoon();
      });
      // A folder that is gone, or too many watches on this system: the slow look goes on.
      watcher.on('error', () => this.#forget(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      this.#watchers.delete(folder);
    }
  }

  #watchAnew(folder: string): void {
    this.#forget(folder);
    this.#watch(folder);
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      this.#look();
    }, SETTLE_MS);
    this.#soon.unref();
  }
}
