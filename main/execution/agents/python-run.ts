/**
 * The core of the `python` tool (SPEC section 3): cells one after the other in one kernel, with one deadline for waiting, start-up and all. The
 * hard part is that every way out, however early, gives one complete result: what ran, what was said, and why the rest did not run.
 */
import type { CodeFiles } from '../../artifacts/code-files.ts';
import { DEFAULT_MAX_BYTES } from '../output-sink.ts';
import type { AgentSession } from './agent-session.ts';
import { CallOutputs } from './call-outputs.ts';
import { type CellEnd, runCell } from './cell-run.ts';
import type { StatusEvent } from './display-content.ts';
import type { SessionRequest, WaitingFor } from './pool-requests.ts';
import { Progress } from './progress.ts';
import { type CheckedRequest, checkRequest, DEFAULT_TIMEOUT_SECONDS, type PythonRequest } from './python-request.ts';
import { type PythonCell, type PythonResult, pendingCell, pythonResult, type Truncation, truncationOf, unshown } from './python-result.ts';
import type { SessionPool } from './session-pool.ts';
import { type Stop, Stopped, startStop, unlessStopped } from './stop.ts';

/** How long interrupted code has until its kernel is restarted. IPython alone gives a shell command more than five seconds to end. */
const GRACE_MS = 10_000;

export interface PythonProgress {
  cells: PythonCell[];
  /** Null while all text is shown. */
  truncation: Truncation | null;
  /** What the cells show beside their text; values of each cell. */
  images: PythonResult['images'];
  json: PythonResult['json'];
  /** What the call waits for; null once it has its session. */
  waiting: WaitingFor | null;
  /** One short sentence on what goes on. */
  message: string;
  /** Cells that have ended, of how many. */
  done: number;
  total: number;
}

export interface PythonRunOptions {
  /** Cancels the call: what runs is interrupted, and the result has what came until then. */
  signal?: AbortSignal;
  onProgress?: (progress: PythonProgress) => void;
  /** Names whoever calls: see `SessionPool.leave`. */
  owner?: string;
  graceMs?: number;
}

/** Throws PythonRequestError for a request that makes no sense. Everything else that goes wrong is in the result. */
export async function runPython(pool: SessionPool, request: PythonRequest, options: PythonRunOptions = {}): Promise<PythonResult> {
  const stop = startStop(request.timeout ?? DEFAULT_TIMEOUT_SECONDS, options.signal);
  try {
    const call = new PythonCall(await pool.arrivals.next(request.cwd, checkRequest(request)), stop, options);
    return await call.run(pool);
  } finally {
    stop.end();
  }
}

class PythonCall {
  readonly #request: CheckedRequest;
  readonly #stop: Stop;
  readonly #options: PythonRunOptions;
  readonly #outputs: CallOutputs;
  readonly #progress: Progress<PythonProgress> | null;
  readonly #cells: PythonCell[];
  readonly #lines: string[][];
  readonly #events: StatusEvent[][];
  readonly #failures: CellEnd['failure'][] = [];
  /** What the code puts into its artifact folder. */
  #files: CodeFiles | null = null;
  #phase: 'waiting' | 'starting' | 'running' = 'waiting';
  #waiting: WaitingFor | null = null;
  #callLines: string[] = [];
  #stateLost = false;

  constructor(request: CheckedRequest, stop: Stop, options: PythonRunOptions) {
    const { cells, artifactFolder } = request;
    const { onProgress } = options;
    this.#request = request;
    this.#stop = stop;
    this.#options = options;
    this.#cells = cells.map(({ code, title }, index) => pendingCell(index, code, title));
    this.#lines = cells.map(() => []);
    this.#events = cells.map(() => []);
    this.#progress = onProgress ? new Progress(() => this.#now(), onProgress) : null;
    this.#outputs = new CallOutputs(cells.length, artifactFolder, () => this.#progress?.changed());
  }

  async run(pool: SessionPool): Promise<PythonResult> {
    const { cwd, sessionFile, artifactFolder, kernelMode: mode } = this.#request;
    const request: SessionRequest = { mode, cwd, sessionFile, artifactFolder, owner: this.#options.owner ?? '' };
    const onWaiting = (what: WaitingFor): void => {
      this.#waiting = what;
      this.#progress?.changed();
    };
    try {
      this.#files = artifactFolder === null ? null : pool.codeFolders.of(artifactFolder);
      await pool.withSession(request, { signal: this.#stop.signal, onWaiting }, (session) => this.#runCells(session));
    } catch (error) {
      this.#ended(error);
    }
    // Before the answer: whoever has it may ask for the files at once. A disk that refuses costs their ids and not the answer.
    const [outputs] = await Promise.all([this.#outputs.end(DEFAULT_MAX_BYTES), this.#files?.look().catch(() => {})]);
    outputs.forEach(({ text }, index) => {
      this.#lines[index]!.push(...unshown(this.#failures[index] ?? null, text.output));
    });
    const result = pythonResult({
      mode,
      cells: this.#cells,
      outputs,
      lines: this.#lines,
      events: this.#events,
      callLines: this.#callLines,
      stateLost: this.#stateLost,
      cancelled: this.#stop.reason === 'cancelled',
    });
    this.#progress?.changed();
    await this.#progress?.end();
    return result;
  }

  async #runCells(session: AgentSession): Promise<void> {
    this.#waiting = null;
    this.#phase = 'starting';
    this.#progress?.changed();
    if (this.#request.reset) await unlessStopped(session.reset(), this.#stop);
    for (const cell of this.#cells) {
      this.#stop.signal.throwIfAborted();
      await this.#runCell(session, cell);
      this.#progress?.changed();
      if (cell.status === 'error') return;
    }
  }

  async #runCell(session: AgentSession, cell: PythonCell): Promise<void> {
    const { index, code } = cell;
    const { lines, failure, stateLost, executionCount, ...end } = await runCell({
      session,
      index,
      code,
      outputs: this.#outputs,
      stop: this.#stop,
      graceMs: this.#options.graceMs ?? GRACE_MS,
      onRunning: (count) => {
        this.#phase = 'running';
        if (cell.status !== 'running') this.#files?.began(this.#outputs.idOf(index), Date.now());
        Object.assign(cell, { status: 'running', executionCount: count ?? cell.executionCount });
        this.#progress?.changed();
      },
      onRestart: (event) => {
        this.#events[index]!.push(event);
        this.#progress?.changed();
      },
    });
    this.#lines[index]!.push(...lines);
    this.#failures[index] = failure;
    this.#stateLost ||= stateLost;
    Object.assign(cell, { ...end, executionCount: executionCount ?? cell.executionCount });
  }

  /** Something ended the call between or before its cells. */
  #ended(error: unknown): void {
    if (error instanceof Stopped) {
      this.#callLines = [this.#stop.line, STOPPED_WHILE[this.#waiting?.reason ?? this.#phase]];
      if (this.#phase === 'starting' && this.#request.kernelMode === 'session') this.#callLines.push(STARTS_ON);
      return;
    }
    const next = this.#cells.find(({ status }) => status !== 'complete');
    const message = error instanceof Error ? error.message : String(error);
    if (!next) this.#callLines = [message];
    else {
      next.status = 'error';
      this.#lines[next.index]!.push(message);
    }
  }

  #now(): PythonProgress {
    const cells = this.#cells.map((cell, index) => {
      const { text, statusEvents } = this.#outputs.now(index);
      return { ...cell, output: text.output, statusEvents: [...this.#events[index]!, ...statusEvents] };
    });
    const done = cells.filter(({ status }) => status === 'complete' || status === 'error').length;
    const truncation = truncationOf(this.#cells.map((_, index) => this.#outputs.now(index)));
    const data = this.#cells.map((_, index) => this.#outputs.dataNow(index));
    const images = data.flatMap((one, cell) => one.images.map((image) => ({ ...image, cell })));
    const json = data.map((one) => one.json);
    return { cells, truncation, images, json, waiting: this.#waiting, message: this.#message(done), done, total: cells.length };
  }

  #message(done: number): string {
    if (this.#waiting) return `${WAITING_FOR[this.#waiting.reason]} (position ${this.#waiting.position})`;
    if (this.#phase !== 'running') return 'Starting the kernel';
    const running = this.#cells.find(({ status }) => status === 'running');
    if (!running) return `${done} of ${this.#cells.length} cells done`;
    return `Running cell ${running.index + 1} of ${this.#cells.length}${running.title === null ? '' : `: ${running.title}`}`;
  }
}

const WAITING_FOR = {
  room: 'Waiting for room: every session is busy',
  turn: 'Waiting for an earlier call of this session',
} as const;

const STOPPED_WHILE = {
  room: 'It waited for room, because every session was busy. Nothing was run.',
  turn: 'It waited for an earlier call of this session. Nothing was run.',
  waiting: 'Nothing was run.',
  starting: 'The kernel was still starting. Nothing was run.',
  running: 'It was between two cells.',
} as const;

const STARTS_ON = 'The start goes on, so send the same call again.';
