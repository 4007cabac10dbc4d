/**
 * One notebook and its kernel: cells are run one at a time in the order they were asked for, and their outputs go to the notebook. The hard
 * part is everything that can end a run from the side (interrupt, restart, death, a cell that is deleted while it waits): each leaves
 * every cell in a state that says what happened to it.
 */
import { Emitter } from '../kernels/emitter.ts';
import type { Kernel, KernelSpec } from '../kernels/kernel.ts';
import { errorFields, type Log, silentLog } from '../log/log.ts';
import { type CellRunState, CellStates, runTags, stateAfter } from './cell-states.ts';
import { type Completions, complete, inspect } from './code-assist.ts';
import { OutputRouting } from './output-routing.ts';
import { type RunHandle, startRun } from './run-client.ts';
import { RunInterrupt } from './run-interrupt.ts';
import type { RunDone } from './run-protocol.ts';
import { type CellOutcome, RunQueue, type RunSummary, summaryOf, type Turn, type TurnResult } from './run-queue.ts';
import { SessionKernel } from './session-kernel.ts';
import { IGNORED, type KernelViewState, LOST, type NotebookSessionOptions, type SessionEvents, UNANSWERED } from './session-options.ts';

/** The turn that is on. */
interface Current {
  turn: Turn;
  /** Nothing ran just before it: it has nothing to lose with a kernel that turns out to be dead. */
  first: boolean;
  /** Null until the code was sent. */
  handle: RunHandle | null;
  interrupt: RunInterrupt;
  cancelled: boolean;
}

export class NotebookSession {
  readonly #options: NotebookSessionOptions;
  readonly #log: Log;
  readonly #kernel: SessionKernel;
  readonly #queue = new RunQueue();
  readonly #states: CellStates;
  readonly #emitter: Emitter<SessionEvents>;
  readonly #outputs: OutputRouting;
  #chosen: KernelSpec | null = null;
  #current: Current | null = null;
  #draining = false;

  constructor(options: NotebookSessionOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
    this.#emitter = new Emitter((error) => this.#log.error('session.listener-failed', errorFields(error)));
    this.#outputs = new OutputRouting(options.target, this.#log);
    this.#states = new CellStates((keys) => this.#emitter.emit('runs', keys));
    this.#kernel = new SessionKernel({
      kernels: options.kernels,
      chooseSpec: async () => (this.#chosen ? { spec: this.#chosen, note: null } : options.chooseSpec()),
      cwd: options.cwd,
      artifactFolder: options.artifactFolder,
      onChange: () => this.#viewChanged(),
      onOutputs: (all, isEnding) => {
        // A kernel that ends complains of that, too, and as if the cell that ran last had said it.
        const areas = isEnding ? all.filter(({ areaId }) => areaId === this.#current?.turn.key) : all;
        this.#outputs.apply(this.kernel, areas);
        options.widgets?.outputsChanged(areas);
      },
      follow: options.widgets && ((kernel) => options.widgets!.follow(kernel)),
      outputs: () => this.#outputs.areas,
      onDeath: () => {
        if (!this.#current?.first || this.#current.handle) this.#cancelWaiting();
      },
    });
  }

  get kernel(): Kernel | null {
    return this.#kernel.kernel;
  }

  on<N extends keyof SessionEvents>(event: N, listener: (payload: SessionEvents[N]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  /** States of all cells that were ever asked to run. */
  runs(): ReadonlyMap<string, CellRunState> {
    return this.#states.all;
  }

  kernelView(): KernelViewState {
    const view = this.#kernel.view();
    // Until the kernel's own word comes it is not idle for the person.
    const state = this.#current?.handle && view.state === 'idle' ? 'busy' : view.state;
    return { ...view, state, queued: this.#queue.size + (this.#unsent ? 1 : 0) };
  }

  /** The kernel, started when there is none or it died. Throws KernelStartError, KernelNotFoundError, or the signal's reason. */
  ensureKernel(signal?: AbortSignal): Promise<Kernel> {
    return this.#kernel.ensure(signal);
  }

  /**
   * Runs code cells one after the other; the first failure cancels all that wait. A cell that waits already isn't queued twice. Resolves when
   * each has had its turn; never rejects (why a kernel could not start is in the view).
   */
  async runCells(keys: string[], options: { allowErrors?: boolean; allowStdin?: boolean } = {}): Promise<RunSummary> {
    const { allowErrors = this.#options.pauseOnError === false, allowStdin = true } = options;
    const turns = this.#queue.add(keys, { allowErrors, allowStdin }, this.#unsent);
    const running = this.#current?.handle ? this.#current.turn.key : null;
    const queued = turns.map(({ key }) => key).filter((key) => key !== running);
    this.#states.set(queued, { state: 'queued', startedAt: null, durationMs: null, input: null });
    this.#viewChanged();
    void this.#drain();
    const summary = await summaryOf(turns);
    this.#emitter.emit('run', summary);
    return summary;
  }

  /** Stops the running cell and forgets what waits. Resolves when the kernel has been told, not when it has stopped. */
  async interrupt(): Promise<void> {
    this.#cancelWaiting();
    const kernel = this.kernel;
    if (!kernel || kernel.state === 'dead') return;
    if (this.#current?.handle) await this.#current.interrupt.send(kernel);
    else if (kernel.state === 'busy') await kernel.interrupt();
  }

  /** Answers `input()` of a running cell; null when nobody is there to. An answer that nobody waits for is dropped. */
  async provideInput(key: string, value: string | null): Promise<void> {
    const current = this.#current;
    if (current?.turn.key !== key || !current.handle || !this.#states.get(key).input) return;
    this.#states.set([key], { input: null });
    await (value === null ? current.handle.inputNothing() : current.handle.input(value));
  }

  /** To be called when the notebook's folder may have changed: the kernel's view says when the kernel works elsewhere. */
  folderChanged(): void {
    this.#viewChanged();
  }

  /** To be called when outputs were cleared by hand: what comes next is counted from the beginning, also in a cell that runs. */
  outputsCleared(keys: readonly string[]): void {
    this.#outputs.cleared(this.kernel, keys);
    // Its count was cleared with them, and is told again at its end.
    const running = this.#current?.handle ? this.#current.turn.key : null;
    if (running !== null && keys.includes(running)) this.#states.set([running], { executionCount: null });
  }

  /** To be called when outputs that were cleared by hand are back: what the run before still sends is not for them. */
  outputsRestored(keys: readonly string[]): void {
    for (const key of keys) this.#outputs.begin(key, null);
  }

  /** Starts the kernel process again: what runs or waits is cancelled, variables are gone. Overlapping calls join. Throws KernelStartError. */
  async restart(): Promise<void> {
    this.#cancelWaiting();
    await this.#kernel.restart();
  }

  async shutdown(): Promise<void> {
    this.#cancelWaiting();
    await this.#kernel.shutdown();
  }

  /** Ends the kernel and starts one of `spec`, which stays the choice of this session. Throws KernelStartError. */
  async selectSpec(spec: KernelSpec): Promise<void> {
    this.#chosen = spec;
    await this.shutdown();
    await this.ensureKernel();
  }

  /** Positions are UTF-16 offsets. Nothing while code runs: the kernel would answer only after it. */
  async complete(code: string, cursor: number): Promise<Completions> {
    const kernel = this.#askable;
    return kernel ? complete(kernel, code, cursor) : { matches: [], start: cursor, end: cursor };
  }

  async inspect(code: string, cursor: number): Promise<{ text: string | null }> {
    const kernel = this.#askable;
    return { text: kernel ? await inspect(kernel, code, cursor) : null };
  }

  get #askable(): Kernel | null {
    return this.kernel?.state === 'idle' && !this.#current ? this.kernel : null;
  }

  /** The turn that is on but has not reached the kernel: it counts as waiting. */
  get #unsent(): Turn | null {
    return this.#current && !this.#current.handle && !this.#current.cancelled ? this.#current.turn : null;
  }

  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    let first = true;
    for (let turn = this.#queue.next(); turn; turn = this.#queue.next()) {
      const interrupt = new RunInterrupt(() => this.#kernel.say(IGNORED));
      const current: Current = { turn, first, handle: null, interrupt, cancelled: false };
      this.#current = current;
      first = false;
      const result = await this.#take(current).catch((error: unknown) => this.#broke(turn.key, error));
      current.interrupt.ended();
      this.#kernel.unsay(IGNORED);
      this.#current = null;
      this.#options.target.endRun(turn.key);
      turn.settle(result);
    }
    this.#draining = false;
    this.#viewChanged();
  }

  /** One cell's turn. */
  async #take(current: Current): Promise<TurnResult> {
    const { key } = current.turn;
    const early = this.#withoutKernel(key);
    if (early) return { outcome: early, failure: null };
    // Why it could not be started is in the view; nothing that waits can run either.
    const kernel = await this.#kernel.ensure(undefined, () => !current.cancelled).catch(() => null);
    if (!kernel) this.#cancelWaiting();
    if (!kernel || current.cancelled) return { outcome: 'cancelled', failure: null };
    // The cell may have changed while the kernel started.
    const late = this.#withoutKernel(key);
    if (late) return { outcome: late, failure: null };
    return this.#run(current, kernel);
  }

  /** The outcome of a cell that needs no kernel, or null. */
  #withoutKernel(key: string): CellOutcome | null {
    const { target } = this.#options;
    const cell = target.cell(key);
    if (!cell) {
      this.#states.delete(key);
      return 'skipped';
    }
    if (cell.type !== 'code' || runTags(cell.metadata).skip) {
      this.#states.set([key], { state: 'idle' });
      return 'skipped';
    }
    if (cell.source.trim() !== '') return null;
    this.#outputs.begin(key, null);
    target.beginRun(key, cell.source);
    this.#states.set([key], { state: 'done', executionCount: null, startedAt: Date.now(), durationMs: 0, input: null });
    return 'done';
  }

  async #run(current: Current, kernel: Kernel): Promise<TurnResult> {
    const { target, artifactFolder } = this.#options;
    const { key, allowErrors, allowStdin } = current.turn;
    const { source, metadata } = target.cell(key)!;
    const { mayRaise } = runTags(metadata);
    this.#kernel.say(null);
    if (kernel.info) target.setLanguageInfo({ ...kernel.info.language_info });
    const code = source.replace(/\r\n?/g, '\n');
    const stopOnError = !(allowErrors || mayRaise);
    current.handle = startRun(
      kernel,
      { areaId: key, code, silent: false, storeHistory: true, allowStdin, stopOnError, artifactFolder },
      {
        started: (executionCount) => {
          this.#counted(key, executionCount);
          if (executionCount !== null) current.interrupt.begun();
        },
        input: (prompt, password) => this.#states.set([key], { input: { prompt, password } }),
      },
    );
    this.#outputs.begin(key, current.handle.runId);
    target.beginRun(key, source);
    this.#states.set([key], { state: 'running', executionCount: null, startedAt: Date.now(), durationMs: null, input: null });
    this.#viewChanged();
    const done = await current.handle.done;
    if (done.status === 'ok' && !current.interrupt.asked && this.#states.get(key).input) this.#answerNobody(current.handle);
    // Then the view says how it died.
    if (done.status === 'dead') await this.#kernel.left(kernel);
    const result = this.#finished(current.turn, done, mayRaise);
    // Not before it is gone: what is run next must not reach a kernel that is about to leave.
    if (done.leaving) await this.#kernel.left(kernel);
    return result;
  }

  /** A thread of a cell that is done asks. It would wait unseen for ever, and take the answer to a later question. */
  #answerNobody(run: RunHandle): void {
    run.inputNothing().catch((error: unknown) => this.#log.warn('session.input-failed', errorFields(error)));
    this.#kernel.say(UNANSWERED);
  }

  #finished({ key, allowErrors }: Turn, done: RunDone, mayRaise: boolean): TurnResult {
    const { status, durationMs, error, leaving } = done;
    this.#counted(key, done.executionCount);
    const outcome = stateAfter(status, mayRaise);
    this.#states.set([key], { state: outcome, durationMs, input: null });
    if (status === 'lost') this.#kernel.say(LOST);
    const goesOn = outcome === 'done' || (outcome === 'failed' && status === 'error' && allowErrors);
    // What waited when the run was interrupted was cancelled then; what was asked for since is meant for after it.
    const isMeant = status === 'error' && this.#current?.interrupt.asked === true;
    if (leaving || (!goesOn && !isMeant)) this.#cancelWaiting();
    if (!this.#options.target.cell(key)) this.#states.delete(key);
    else if (this.#queue.has(key)) this.#states.set([key], { state: 'queued' });
    return { outcome, failure: outcome === 'failed' ? { status, error } : null };
  }

  /** Something in this program went wrong in a turn: the cell must not look as if it ran. */
  #broke(key: string, error: unknown): TurnResult {
    this.#log.error('session.run-failed', errorFields(error));
    this.#cancelWaiting();
    this.#states.set([key], { state: 'failed', input: null });
    this.#kernel.say(`The cell could not be run: ${error instanceof Error ? error.message : String(error)} Run it again.`);
    return { outcome: 'failed', failure: { status: 'lost', error: null } };
  }

  #counted(key: string, executionCount: number | null): void {
    if (executionCount === null || this.#states.get(key).executionCount === executionCount) return;
    this.#options.target.setExecutionCount(key, executionCount);
    this.#states.set([key], { executionCount });
  }

  /** Everything that waits becomes `cancelled`, also a cell whose kernel is still starting. */
  #cancelWaiting(): void {
    const turns = this.#queue.clear();
    const keys = turns.map(({ key }) => key).filter((key) => key !== this.#current?.turn.key);
    if (this.#current && this.#unsent) {
      this.#current.cancelled = true;
      keys.push(this.#current.turn.key);
    }
    this.#states.set(keys, { state: 'cancelled' });
    for (const turn of turns) turn.settle({ outcome: 'cancelled', failure: null });
    if (keys.length > 0) this.#viewChanged();
  }

  #viewChanged(): void {
    const { kernel } = this;
    if (kernel) this.#options.target.setKernelLife(`${kernel.id} ${kernel.generation}`);
    this.#emitter.emit('kernel', this.kernelView());
  }
}
