/**
 * Runs of notebook cells as jobs that outlive the call that began them: the call may time out or lose its client, the run goes on and can be
 * asked for by its id. The hard thing is to say later what a run did, when its cells may have been edited or run again meanwhile.
 */
import { randomUUID } from 'node:crypto';
import type { NotebookSaveError } from '../documents/errors.ts';
import type { RunSummary } from '../execution/run-queue.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { OwnedNotebook } from './notebook-owner.ts';
import { RunRecord } from './run-record.ts';
import type { SharedSaves } from './shared-saves.ts';
import type { Workspace } from './workspace.ts';

export interface NotebookRun {
  readonly id: string;
  readonly agentId: string;
  /** Real path. */
  readonly path: string;
  readonly docId: string;
  readonly keys: readonly string[];
  /** What became of each of them. */
  readonly record: RunRecord;
  readonly startedAt: number;
  endedAt: number | null;
  summary: RunSummary | null;
  /** The code asked for input and got an empty line. */
  stdinRequested: boolean;
  /** Why the outputs are not on the disk; null when they are, or the run goes on. */
  saveFailure: string | null;
  /** Resolves when each cell has had its turn and the outputs are saved; never rejects. */
  readonly done: Promise<void>;
}

/** Runs that are remembered after their end. */
const LIMIT = 500;
/** Of so many, the outputs too, when their cells were run again. */
const WITH_OUTPUTS = 20;

export class NotebookRuns {
  readonly #workspace: Workspace;
  readonly #saves: SharedSaves;
  readonly #log: Log;
  readonly #runs = new Map<string, NotebookRun>();

  constructor(workspace: Workspace, saves: SharedSaves, log: Log) {
    this.#workspace = workspace;
    this.#saves = saves;
    this.#log = log;
  }

  /** Begins a run; the notebook stays open until its end. `sources` are those of the cells, by key and in order. */
  start(agentId: string, path: string, notebook: OwnedNotebook, sources: ReadonlyMap<string, string>): NotebookRun {
    const keys = [...sources.keys()];
    const run: { -readonly [K in keyof NotebookRun]: NotebookRun[K] } = {
      id: randomUUID(),
      agentId,
      path,
      docId: notebook.document.id,
      keys,
      record: new RunRecord(sources, notebook),
      startedAt: Date.now(),
      endedAt: null,
      summary: null,
      stdinRequested: false,
      saveFailure: null,
      done: Promise.resolve(),
    };
    // The call that begins it holds the notebook, so this hold is made before that one ends.
    run.done = this.#workspace
      .use(path, () => this.#carryOut(run, notebook), { lookAtFile: false })
      .catch((error: unknown) => {
        this.#log.error('agents.run-failed', errorFields(error));
        run.endedAt ??= Date.now();
      });
    this.#runs.set(run.id, run);
    const ended = [...this.#runs.values()].filter(({ endedAt }) => endedAt !== null);
    for (const { record } of ended.slice(0, -WITH_OUTPUTS)) record.forget();
    for (const [id, { endedAt }] of this.#runs) {
      if (this.#runs.size <= LIMIT) break;
      if (endedAt !== null) this.#runs.delete(id);
    }
    return run;
  }

  get(id: string): NotebookRun | null {
    return this.#runs.get(id) ?? null;
  }

  /** Those that go on. */
  going(agentId: string): NotebookRun[] {
    return [...this.#runs.values()].filter((run) => run.agentId === agentId && run.endedAt === null);
  }

  /** Interrupts what the agent runs. */
  async stop(agentId: string): Promise<void> {
    const going = this.going(agentId);
    const notebooks = this.#workspace.opened().filter(({ document }) => going.some(({ docId }) => docId === document.id));
    await Promise.all(
      notebooks.map(({ session }) =>
        session.interrupt().catch((error: unknown) => this.#log.warn('agents.interrupt-failed', errorFields(error))),
      ),
    );
  }

  async #carryOut(run: NotebookRun, notebook: OwnedNotebook): Promise<void> {
    const { document, session } = notebook;
    const keys = new Set(run.keys);
    // Nobody types for an agent: the code gets an empty line, and the result says so (SPEC section 5).
    const stop = session.on('runs', (changed) => {
      for (const key of changed) {
        run.record.note(key, notebook);
        if (!keys.has(key) || !session.runs().get(key)?.input) continue;
        run.stdinRequested = true;
        session.provideInput(key, null).catch((error: unknown) => this.#log.warn('agents.input-failed', errorFields(error)));
      }
    });
    try {
      run.summary = await session.runCells([...run.keys]);
      await notebook.widgets.settled();
      if (document.path !== null) await this.#saves.save(notebook);
    } catch (error) {
      const { message, hint = '' } = error as Partial<NotebookSaveError>;
      run.saveFailure = `${message ?? String(error)} ${hint}`.trimEnd();
    } finally {
      stop();
      run.endedAt = Date.now();
    }
  }
}
