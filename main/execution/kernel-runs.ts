/**
 * The runs of one kernel, in the kernel host: sends the code, feeds every message to the waiter and the reducer, and tells main what changed.
 * The hard parts are pace and order: changes are gathered over a frame, longer when they are large, but a run's last change always goes
 * out before its end.
 */
import type { KernelConnection } from '../kernels/connection.ts';
import type { RpcEndpoint } from '../kernels/host/rpc.ts';
import type { JupyterMessage } from '../kernels/messages.ts';
import { errorFields, type Log } from '../log/log.ts';
import { batches } from './change-batches.ts';
import { cleanText } from './clean-text.ts';
import { OutputReducer } from './output-reducer.ts';
import { newRun, nextRun, type RunEvent, type RunState, runDone } from './run.ts';
import type { RunDone, RunEvents, RunStart, RunStatus } from './run-protocol.ts';
import { Spills } from './spills.ts';

/** One frame of the screen. */
const GATHER_MS = 16;
/** UTF-16 units a second that are told in the long run: more than anyone reads, less than what makes main and the windows slow. */
const UNITS_PER_MS = 4096;
/** When one half of a run's end has come and the other hasn't after this, the kernel is asked whether it will. */
const PROBE_MS = 10_000;
/** A run of which one half never comes, though the probe was heard of, is over when the kernel has then published nothing for this long. */
const SILENCE_MS = 10_000;

/** Messages whose MIME bundles become outputs. */
const WITH_DATA: ReadonlySet<string> = new Set(['display_data', 'execute_result', 'update_display_data', 'execute_reply']);

interface OpenRun {
  state: RunState;
  allowStdin: boolean;
  /** Header of the input_request that waits for its answer. */
  inputRequest: JupyterMessage['header'] | null;
  probe: NodeJS.Timeout | null;
  probeId: string | null;
  /** Set while its beginning is to be told. */
  telling: NodeJS.Timeout | null;
  end: (done: RunDone) => void;
}

export class KernelRuns {
  readonly #kernelId: string;
  readonly #endpoint: RpcEndpoint;
  readonly #log: Log;
  readonly #reducer = new OutputReducer();
  readonly #spills: Spills;
  readonly #runs = new Map<string, OpenRun>();
  #connection: KernelConnection | null = null;
  #unsubscribe: () => void = () => {};
  #flushTimer: NodeJS.Timeout | null = null;
  #nextFlush = 0;
  #publishedAt = 0;

  constructor(kernelId: string, endpoint: RpcEndpoint, log: Log) {
    this.#kernelId = kernelId;
    this.#endpoint = endpoint;
    this.#log = log;
    this.#spills = new Spills(log, (spill) => {
      this.#reducer.spillChanged(spill);
      this.#flushSoon();
    });
  }

  connected(connection: KernelConnection): void {
    this.#unsubscribe();
    this.#connection = connection;
    const stopMessages = connection.onMessage((message) => this.#receive(message));
    const stopLost = connection.onLost?.((runId) => this.#lost(runId));
    this.#unsubscribe = () => {
      stopMessages();
      stopLost?.();
    };
  }

  /** The connection is about to close; every open run ends with `status`. */
  disconnected(connection: KernelConnection, status: RunStatus): void {
    if (this.#connection !== connection) return;
    this.#unsubscribe();
    this.#connection = null;
    for (const run of [...this.#runs.values()]) this.#step(run, { type: 'ended', status, now: Date.now() });
    this.#flush();
    this.#spills.apply(this.#reducer.settle());
  }

  /** The kernel is gone for good. */
  async close(): Promise<void> {
    this.#flush();
    await this.#spills.close();
  }

  /** Sends the code; resolves when the run is over. Throws ConnectionClosedError when it could not be sent. */
  async run(request: RunStart, connection: KernelConnection): Promise<RunDone> {
    const { runId, areaId, code, silent, storeHistory, allowStdin, stopOnError, artifactFolder, untold = false } = request;
    if (this.#runs.has(runId)) throw new Error(`There is a run ${runId} already.`);
    if (!untold) this.#spills.apply(this.#reducer.startRun(areaId, runId, artifactFolder));
    const state = newRun(runId, areaId, Date.now());
    const ended = new Promise<RunDone>((end) => {
      this.#runs.set(runId, { state, allowStdin, inputRequest: null, probe: null, probeId: null, telling: null, end });
    });
    try {
      await connection.send({
        channel: 'shell',
        type: 'execute_request',
        messageId: runId,
        content: { code, silent, store_history: storeHistory, user_expressions: {}, allow_stdin: allowStdin, stop_on_error: stopOnError },
      });
    } catch (error) {
      this.#runs.delete(runId);
      throw error;
    }
    return ended;
  }

  /** The outputs of an area were cleared by hand. */
  clear(areaId: string): null {
    this.#spills.apply(this.#reducer.clearArea(areaId));
    if (this.#reducer.changed) this.#flushSoon();
    return null;
  }

  /** Answers the run's input request. An answer that comes too late, or twice, is dropped. */
  async input(runId: string, value: string): Promise<null> {
    const run = this.#runs.get(runId);
    const request = run?.inputRequest;
    if (!run || !request || !this.#connection) return null;
    run.inputRequest = null;
    await this.#reply(this.#connection, request, value);
    return null;
  }

  #receive(message: JupyterMessage): void {
    const now = Date.now();
    if (message.channel === 'iopub') this.#publishedAt = now;
    this.#reduce(message);
    const parent = message.parent_header.msg_id;
    const run = parent === undefined ? undefined : this.#runs.get(parent);
    if (run) {
      if (message.channel === 'stdin' && message.header.msg_type === 'input_request') this.#inputRequested(run, message);
      this.#step(run, { type: 'message', message, now });
    }
    this.#passed(message, now);
    if (this.#reducer.changed) this.#flushSoon();
  }

  #reduce(message: JupyterMessage): void {
    const hasData = WITH_DATA.has(message.header.msg_type);
    const reduced = hasData ? { ...message, content: this.#spills.spillContent(message.content, this.#reducer.areaOf(message)) } : message;
    this.#spills.apply(this.#reducer.reduce(reduced));
  }

  /** What comes for a probe proves that the halves of older runs on its channel will not come any more. */
  #passed({ channel, parent_header }: JupyterMessage, now: number): void {
    if (channel !== 'shell' && channel !== 'iopub') return;
    for (const run of this.#runs.values()) {
      if (run.probeId === null || run.probeId !== parent_header.msg_id) continue;
      this.#step(run, { type: 'passed', channel, now });
      if (run.state.status === null) this.#awaitSilence(run);
    }
  }

  #step(run: OpenRun, event: RunEvent): void {
    const before = run.state;
    const state = nextRun(before, event);
    if (state === before) return;
    run.state = state;
    if (state.started && (!before.started || state.executionCount !== before.executionCount)) this.#tellStart(run);
    if (state.status !== null) this.#finish(run);
    else if (state.idle !== (state.reply !== null)) this.#probeLater(run);
  }

  /** The connection was cut, and the kernel is past the run. */
  #lost(runId: string): void {
    const run = this.#runs.get(runId);
    if (run) this.#step(run, { type: 'ended', status: 'lost', now: Date.now() });
  }

  #finish(run: OpenRun): void {
    if (run.probe) clearTimeout(run.probe);
    if (run.telling) clearTimeout(run.telling);
    this.#runs.delete(run.state.runId);
    this.#flush();
    run.end(runDone(this.#kernelId, run.state));
  }

  #tellStart(run: OpenRun): void {
    run.telling ??= setTimeout(() => {
      run.telling = null;
      const { runId, areaId, executionCount } = run.state;
      this.#emit('run.started', { kernelId: this.#kernelId, runId, areaId, executionCount });
    }, GATHER_MS);
  }

  #probeLater(run: OpenRun): void {
    if (run.probe) return;
    run.probe = setTimeout(() => {
      run.probeId = `${run.state.runId}-probe`;
      const probe = { channel: 'shell', type: 'kernel_info_request', messageId: run.probeId, content: {} } as const;
      this.#connection?.send(probe).catch((error: unknown) => this.#log.warn('run.probe-failed', errorFields(error)));
    }, PROBE_MS);
  }

  /** In a flood, iopub lags behind the answers on shell. */
  #awaitSilence(run: OpenRun): void {
    if (run.probe) clearTimeout(run.probe);
    run.probe = setTimeout(() => {
      const now = Date.now();
      if (now - this.#publishedAt < SILENCE_MS) this.#awaitSilence(run);
      else this.#step(run, { type: 'passed', channel: run.state.idle ? 'shell' : 'iopub', now });
    }, SILENCE_MS);
  }

  #inputRequested(run: OpenRun, message: JupyterMessage): void {
    const { prompt, password } = message.content;
    if (!run.allowStdin) {
      // A kernel must not ask then; one that does would wait for ever.
      if (this.#connection)
        void this.#reply(this.#connection, message.header, '').catch((error) => this.#log.warn('run.input-failed', errorFields(error)));
      return;
    }
    run.inputRequest = message.header;
    const { runId, areaId } = run.state;
    // What was printed before the question is read before it.
    this.#flush();
    this.#emit('run.input', {
      kernelId: this.#kernelId,
      runId,
      areaId,
      prompt: typeof prompt === 'string' ? cleanText(prompt) : '',
      password: password === true,
    });
  }

  async #reply(connection: KernelConnection, parentHeader: JupyterMessage['header'], value: string): Promise<void> {
    await connection.send({ channel: 'stdin', type: 'input_reply', parentHeader, content: { status: 'ok', value } });
  }

  #flushSoon(): void {
    if (this.#flushTimer) return;
    this.#flushTimer = setTimeout(() => this.#flush(), Math.max(GATHER_MS, this.#nextFlush - Date.now()));
  }

  #flush(): void {
    if (this.#flushTimer) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    if (!this.#reducer.changed) return;
    let weight = 0;
    for (const batch of batches(this.#reducer.take((spill) => this.#spills.stateOf(spill)))) {
      this.#emit('run.changes', { kernelId: this.#kernelId, areas: batch.areas });
      weight += batch.weight;
    }
    this.#nextFlush = Date.now() + weight / UNITS_PER_MS;
  }

  #emit<N extends keyof RunEvents>(name: N, payload: RunEvents[N]): void {
    this.#endpoint.emit(name, payload);
  }
}
