/**
 * A notebook's artifact folder while its session lives: claimed, so that no clean-up takes it away, and looked through after each cell for files that
 * the cell's code put there. A disk that refuses costs ids and never a run.
 */
import { ArtifactStore } from '../artifacts/artifact-store.ts';
import { CodeFiles } from '../artifacts/code-files.ts';
import { claimFolder, claimIfThere, leaveFolder } from '../artifacts/folder-use.ts';
import { errorFields, type Log, silentLog } from '../log/log.ts';
import type { NotebookSession } from './notebook-session.ts';

export class SessionArtifacts {
  readonly #folder: string;
  readonly #notebook: () => string | null;
  readonly #files: CodeFiles;
  readonly #log: Log;
  #claimed = false;

  /** `notebook` gives the real path of the notebook, null while it has none. */
  constructor(folder: string, notebook: () => string | null, log: Log = silentLog) {
    this.#folder = folder;
    this.#notebook = notebook;
    this.#files = new CodeFiles(new ArtifactStore(folder));
    this.#log = log;
  }

  /** Before a kernel starts: makes the folder, which its code may write into. */
  async claim(): Promise<void> {
    await this.#guarded(() => claimFolder(this.#folder, this.#notebook(), this));
    this.#claimed = true;
  }

  /** When a notebook is opened whose artifacts may be looked at. */
  async claimIfThere(): Promise<void> {
    await this.#guarded(async () => {
      this.#claimed ||= await claimIfThere(this.#folder, this.#notebook(), this);
    });
  }

  /** Gives ids to the files of the cells that this session runs. Returns the function that ends it. */
  follow(session: NotebookSession): () => void {
    return session.on('runs', (keys) => {
      const runs = session.runs();
      for (const key of keys) {
        const run = runs.get(key);
        if (run?.state === 'running') this.#files.began(key, run.startedAt ?? Date.now());
        if (run?.state === 'done' || run?.state === 'failed') void this.look();
      }
    });
  }

  async look(): Promise<void> {
    await this.#guarded(() => this.#files.look());
  }

  /** The session is over. */
  async close(): Promise<void> {
    if (!this.#claimed) return;
    this.#claimed = false;
    await this.look();
    await this.#guarded(() => leaveFolder(this.#folder, this));
  }

  async #guarded(work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => this.#log.warn('artifacts.folder-failed', errorFields(error)));
  }
}
