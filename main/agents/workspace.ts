/**
 * The notebooks that agents work with: each is held while a call or a run uses it and a while longer, so that a row of calls finds the same
 * document and the same kernel. The hard thing is letting go: never with unsaved edits, never while something runs, and a notebook without a
 * kernel soon, because a file that nobody holds is the one that other programs may change.
 */
import { NotebookSaveError } from '../documents/errors.ts';
import { lookAtDisk, requireFile } from '../documents/outside/look-first.ts';
import { errorFields, type Log } from '../log/log.ts';
import { ToolError } from './errors.ts';
import type { NotebookHold, NotebookOwner, OwnedNotebook } from './notebook-owner.ts';
import { untitledId } from './untitled-notebooks.ts';

/** Without a kernel there is nothing to keep but the time of reading the file. */
const IDLE_WITHOUT_KERNEL_MS = 3_000;
/** As long as an agent's own kernel is kept (SPEC section 4). */
const IDLE_WITH_KERNEL_MS = 5 * 60_000;
/** As long as a person may want to take back what an agent did in it. */
const IDLE_WITH_TURNS_MS = 30 * 60_000;
/** Between two looks at what can be let go. */
const SWEEP_MS = 1_000;

interface Kept {
  opening: Promise<NotebookHold>;
  hold: NotebookHold | null;
  users: number;
  lastUsed: number;
}

export class Workspace {
  readonly #owner: NotebookOwner;
  readonly #keepsTurns: boolean;
  readonly #log: Log;
  readonly #kept = new Map<string, Kept>();
  readonly #timer: NodeJS.Timeout;

  /** `keepsTurns`: there is a person who can take back turns, which only the open document can do. */
  constructor(owner: NotebookOwner, keepsTurns: boolean, log: Log) {
    this.#owner = owner;
    this.#keepsTurns = keepsTurns;
    this.#log = log;
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_MS);
    this.#timer.unref();
  }

  /**
   * Does the work with a notebook, which stays open meanwhile. `place` is its real path, or the address of one that has no file. `lookAtFile`: false
   * when the same call has just looked whether another program wrote it. Throws NotebookOpenError, and ToolError for an address of nothing.
   */
  use<T>(place: string, work: (notebook: OwnedNotebook) => Promise<T>, { lookAtFile = true } = {}): Promise<T> {
    return this.#use(place, work, lookAtFile, true);
  }

  async #use<T>(place: string, work: (notebook: OwnedNotebook) => Promise<T>, lookAtFile: boolean, mayHaveMoved: boolean): Promise<T> {
    const kept = this.#keep(place);
    kept.users += 1;
    try {
      const { notebook } = await kept.opening;
      if (lookAtFile)
        await lookAtDisk(notebook.document).catch((error: unknown) => this.#log.warn('agents.disk-not-looked-at', errorFields(error)));
      const { realPath } = notebook.document;
      if (lookAtFile && mayHaveMoved && realPath !== null && realPath !== place && untitledId(place) === null) {
        this.#moved(place, realPath, kept);
        return await this.#use(place, work, lookAtFile, false);
      }
      await requireFileOf(notebook);
      return await work(notebook);
    } finally {
      kept.users -= 1;
      kept.lastUsed = Date.now();
    }
  }

  /** What is open now, by agents or in windows. */
  opened(): readonly OwnedNotebook[] {
    return this.#owner.opened();
  }

  /** Lets everything go, and saves what is unsaved as far as that works. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#kept.keys()].map((realPath) => this.#letGo(realPath, this.#kept.get(realPath)!)));
  }

  /** The notebook's file has another name now, and another file may have the old one. A file with two names is asked for again in vain. */
  #moved(from: string, to: string, kept: Kept): void {
    if (this.#kept.get(from) === kept) this.#kept.delete(from);
    if (!this.#kept.has(to)) this.#kept.set(to, kept);
    else kept.hold?.release().catch((error: unknown) => this.#log.warn('agents.notebook-not-released', errorFields(error)));
  }

  #keep(place: string): Kept {
    const present = this.#kept.get(place);
    if (present) return present;
    const kept: Kept = { opening: this.#open(place), hold: null, users: 0, lastUsed: Date.now() };
    this.#kept.set(place, kept);
    kept.opening.then(
      (hold) => {
        kept.hold = hold;
      },
      () => this.#kept.delete(place),
    );
    return kept;
  }

  async #open(place: string): Promise<NotebookHold> {
    const docId = untitledId(place);
    if (docId === null) return this.#owner.hold(place);
    const hold = this.#owner.holdOpen(docId);
    if (!hold) throw new ToolError('This notebook was closed before it had a file. It is gone.');
    return hold;
  }

  async #sweep(): Promise<void> {
    for (const [realPath, kept] of this.#kept) {
      if (kept.users > 0 || !kept.hold || !this.#isIdle(kept.hold.notebook, Date.now() - kept.lastUsed)) continue;
      if (!(await saved(kept.hold.notebook, this.#log))) {
        kept.lastUsed = Date.now();
        continue;
      }
      // Somebody may have come while it was saved.
      if (kept.users === 0 && this.#kept.get(realPath) === kept) await this.#letGo(realPath, kept);
    }
  }

  #isIdle({ session, document }: OwnedNotebook, idleMs: number): boolean {
    const { state, queued } = session.kernelView();
    if (state === 'busy' || state === 'starting' || state === 'restarting' || queued > 0) return false;
    if (session.kernel && state !== 'dead') return idleMs > IDLE_WITH_KERNEL_MS;
    const hasTurns = this.#keepsTurns && document.turns.list().length > 0;
    return idleMs > (hasTurns ? IDLE_WITH_TURNS_MS : IDLE_WITHOUT_KERNEL_MS);
  }

  async #letGo(realPath: string, kept: Kept): Promise<void> {
    this.#kept.delete(realPath);
    try {
      const hold = await kept.opening;
      await saved(hold.notebook, this.#log);
      await hold.release();
    } catch (error) {
      this.#log.warn('agents.notebook-not-released', errorFields(error));
    }
  }
}

/** A notebook that nobody sees is its file. A kernel outlives that: it can still be asked and ended. Throws NotebookOpenError. */
async function requireFileOf({ document, session, isShown = false }: OwnedNotebook): Promise<void> {
  if (document.outside.trouble !== null && !isShown && !session.kernel) await requireFile(document);
}

/** Saves what is unsaved, where nobody else would. False when that does not work: then the document is the only place of it. */
async function saved({ document, isShown = false }: OwnedNotebook, log: Log): Promise<boolean> {
  // Without a file it is the person's to save, and lost only when they close its window and say so. A file that somebody deleted stays deleted.
  if (!document.unsaved.isAny || document.path === null || isShown) return true;
  try {
    await document.save();
    return true;
  } catch (error) {
    if (!(error instanceof NotebookSaveError)) throw error;
    log.warn('agents.notebook-not-saved', { code: error.code });
    return false;
  }
}
