/**
 * The runs of one kernel, in the kernel host: sends the code, feeds every message to the waiter and the reducer, and tells main what changed.
 * The hard parts are pace and order: changes are gathered over a frame, longer when they are large, but a run's last change always goes
 * out before its end.
 */
import type { KernelConnection } from '../kernels/connection.ts';
import type { RpcEndpoint } from '../kernels/host/rpc.ts';
import type { JupyterMessage, OutgoingMessage } from '../kernels/messages.ts';
import { errorFields, type Log } from '../log/log.ts';
import { batches } from './change-batches.ts';
import { cleanText } from './clean-text.ts';
import { executeRequest, inputReply, question } from './kernel-requests.ts';
import { MessageGap } from './message-gap.ts';
import { OutputReducer } from './output-reducer.ts';
import { newRun, nextRun, type RunEvent, type RunState, resumedRun, runDone } from './run.ts';
import { RunProbe } from './run-probe.ts';
import type { RunAdopt, RunCapture, RunDone, RunEvents, RunInput, RunResume, RunStart, RunStatus } from './run-protocol.ts';
import { Spills } from './spills.ts';
import { MISSED, type UntoldOutputs } from './untold-outputs.ts';

/** One frame of the screen. */
const GATHER_MS = 16;
/** UTF-16 units a second that are told in the long run: more than anyone reads, less than what makes main and the windows slow. */
const UNITS_PER_MS = 4096;
/** Answers of the kernel after which a run that nothing was heard of never reached it. One may come before what a dead connection left there. */
const SURE_PROBES = 2;

/** Messages whose MIME bundles become outputs. */
const WITH_DATA: ReadonlySet<string> = new Set(['display_data', 'execute_result', 'update_display_data', 'execute_reply']);

interface OpenRun {
  state: RunState;
  allowStdin: boolean;
  /** Header of the input_request that waits for its answer. */
  inputRequest: JupyterMessage['parent_header'] | null;
  /** Its answer came before the connection. */
  answer: OutgoingMessage | null;
  probe: RunProbe;
  /** For a run that another host was to send, and that may never have reached the kernel. */
  unsent: RunResume | null;
  /** Set while its beginning is to be told. */
  telling: NodeJS.Timeout | null;
  end: (done: RunDone) => void;
}

export class KernelRuns {
  readonly #kernelId: string;
  readonly #endpoint: RpcEndpoint;
  readonly #log: Log;
  readonly #untold: UntoldOutputs;
  readonly #reducer = new OutputReducer();
  readonly #spills: Spills;
  readonly #runs = new Map<string, OpenRun>();
  /** The question that the last run to end so left open: a thread of it may still wait. */
  #leftOpen: { runId: string; request: JupyterMessage['parent_header'] } | null = null;
  #connection: KernelConnection | null = null;
  #unsubscribe: () => void = () => {};
  #flushTimer: NodeJS.Timeout | null = null;
  #nextFlush = 0;
  #publishedAt = 0;
  #lastMessage: string | null = null;
  #lastTold: string | null = null;
  /** Set until the kernel has been heard of after another host's death. */
  #gap: MessageGap | null = null;
  #wereMissed: boolean | null = null;

  constructor(kernelId: string, endpoint: RpcEndpoint, untold: UntoldOutputs, log: Log) {
    this.#kernelId = kernelId;
    this.#endpoint = endpoint;
    this.#untold = untold;
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
    for (const run of this.#runs.values()) {
      if (run.state.resumed && run.probe.asked === 0) run.probe.now();
      if (run.answer) connection.send(run.answer).catch((error: unknown) => this.#log.warn('run.input-failed', errorFields(error)));
      run.answer = null;
    }
  }

  /** Another host held the kernel until now: its outputs are gone on with. To be called before the connection is made. */
  adopt({ artifactFolder, areas, lastMessage }: RunAdopt): null {
    for (const area of areas) this.#reducer.adopt(area, artifactFolder);
    this.#gap = new MessageGap(lastMessage);
    return null;
  }

  /** From now on widgets take in the outputs that they capture. To be called before the connection is made. */
  capture(capture: RunCapture): null {
    this.#spills.apply(this.#reducer.capture(capture));
    return null;
  }

  /** Goes on with a run of another host. What was said of it meanwhile is lost, perhaps its end too: the kernel's next answers tell. */
  resume(request: RunResume): Promise<RunDone> {
    const { runId, started, asking } = request;
    const ended = this.#open(resumedRun(request), request);
    const run = this.#runs.get(runId)!;
    if (asking) run.inputRequest = {};
    if (!started) run.unsent = request;
    if (this.#connection) run.probe.now();
    return ended;
  }

  /** The connection is about to close, or will never be made (null); every open run ends with `status`. */
  disconnected(connection: KernelConnection | null, status: RunStatus): void {
    if (this.#connection !== connection) return;
    this.#unsubscribe();
    this.#connection = null;
    this.#gap = null;
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
    const { runId, areaId, artifactFolder, untold = false } = request;
    if (this.#runs.has(runId)) throw new Error(`There is a run ${runId} already.`);
    if (!untold) this.#spills.apply(this.#reducer.startRun(areaId, runId, artifactFolder));
    const ended = this.#open(newRun(runId, areaId, Date.now()), request);
    try {
      await connection.send(executeRequest(request));
    } catch (error) {
      this.#runs.delete(runId);
      throw error;
    }
    return ended;
  }

  #open(state: RunState, { runId, allowStdin }: RunStart): Promise<RunDone> {
    const probe = new RunProbe({
      runId,
      ask: (messageId) => this.#ask(messageId),
      publishedAt: () => this.#publishedAt,
      onSilence: () => {
        const run = this.#runs.get(runId);
        if (run) this.#step(run, { type: 'passed', channel: run.state.idle ? 'shell' : 'iopub', now: Date.now() });
      },
    });
    return new Promise((end) => {
      this.#runs.set(runId, { state, allowStdin, inputRequest: null, answer: null, probe, unsent: null, telling: null, end });
    });
  }

  /** The outputs of an area were cleared by hand. */
  clear(areaId: string): null {
    this.#spills.apply(this.#reducer.clearArea(areaId));
    if (this.#reducer.changed) this.#flushSoon();
    return null;
  }

  /** Answers the run's input request. An answer that comes too late, or twice, is dropped. */
  async input({ runId, value, shown }: RunInput): Promise<null> {
    const run = this.#runs.get(runId);
    const request = run ? run.inputRequest : this.#leftOpen?.runId === runId ? this.#leftOpen.request : null;
    if (!request) return null;
    if (run) run.inputRequest = null;
    else this.#leftOpen = null;
    // Before the kernel goes on: what it prints then comes after it.
    if (shown !== null) this.#spills.apply(this.#reducer.answered(runId, shown));
    if (this.#reducer.changed) this.#flushSoon();
    if (this.#connection) await this.#connection.send(inputReply(request, value));
    else if (run) run.answer = inputReply(request, value);
    return null;
  }

  #receive(message: JupyterMessage): void {
    const now = Date.now();
    if (this.#gap?.isOver(message, this.#connection?.asked)) this.#afterGap(this.#gap.missed);
    if (message.channel === 'iopub') {
      this.#publishedAt = performance.now();
      this.#lastMessage = message.header.msg_id;
    }
    this.#reduce(message);
    this.#untold.take(this.#kernelId, message);
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

  /** When messages were missed, or may have been, the cells that are running say so. */
  #afterGap(missed: boolean | null): void {
    this.#gap = null;
    this.#wereMissed = missed;
    if (missed === false) return;
    for (const { state } of this.#runs.values()) {
      if (!state.resumed) continue;
      this.#reducer.note(state.areaId, `${MISSED}\n`);
      this.#untold.missed(state.runId);
    }
  }

  /** What comes for a probe proves that the halves of older runs on its channel will not come any more. */
  #passed({ channel, parent_header }: JupyterMessage, now: number): void {
    if (channel !== 'shell' && channel !== 'iopub') return;
    for (const run of this.#runs.values()) {
      if (!run.probe.isAnswer(parent_header.msg_id)) continue;
      this.#step(run, { type: 'passed', channel, now });
      if (run.state.status === null && run.probe.isAnswer(parent_header.msg_id)) run.probe.awaitSilence();
    }
  }

  #step(run: OpenRun, event: RunEvent): void {
    const before = run.state;
    const state = nextRun(before, event);
    if (state === before) return;
    if (state.status === 'lost' && event.type === 'passed' && this.#sendAgain(run)) return;
    run.state = state;
    if (state.started && (!before.started || state.executionCount !== before.executionCount)) this.#tellStart(run);
    if (state.status !== null) this.#finish(run);
    else if (state.idle !== (state.reply !== null)) run.probe.later(state.idle ? 'reply' : 'idle');
  }

  /** True when the kernel can't have got the run, because nothing of it was heard and nothing was missed: then it gets it now. */
  #sendAgain(run: OpenRun): boolean {
    const { unsent } = run;
    if (!unsent || run.state.started || this.#wereMissed !== false) return false;
    if (run.probe.asked < SURE_PROBES) {
      run.state = resumedRun(unsent);
      run.probe.now();
      return true;
    }
    run.probe.forget();
    run.unsent = null;
    run.state = newRun(unsent.runId, unsent.areaId, unsent.sentAt);
    this.#connection?.send(executeRequest(unsent)).catch(() => this.#lost(unsent.runId));
    return true;
  }

  /** The connection was cut, and the kernel is past the run. */
  #lost(runId: string): void {
    const run = this.#runs.get(runId);
    if (run) this.#step(run, { type: 'ended', status: 'lost', now: Date.now() });
  }

  #finish(run: OpenRun): void {
    run.probe.stop();
    if (run.telling) clearTimeout(run.telling);
    this.#runs.delete(run.state.runId);
    if (run.inputRequest) this.#leftOpen = { runId: run.state.runId, request: run.inputRequest };
    this.#flush();
    this.#untold.tell(this.#kernelId, true);
    this.#lastTold = this.#lastMessage;
    run.end({ ...runDone(this.#kernelId, run.state), lastMessage: this.#lastTold });
  }

  #tellStart(run: OpenRun): void {
    run.telling ??= setTimeout(() => {
      run.telling = null;
      const { runId, areaId, executionCount } = run.state;
      this.#untold.tell(this.#kernelId, false);
      if (!this.#reducer.changed) this.#lastTold = this.#lastMessage;
      this.#emit('run.started', { kernelId: this.#kernelId, runId, areaId, executionCount, lastMessage: this.#lastTold });
    }, GATHER_MS);
  }

  #ask(messageId: string): void {
    this.#connection?.send(question(messageId)).catch((error: unknown) => this.#log.warn('run.probe-failed', errorFields(error)));
  }

  #inputRequested(run: OpenRun, message: JupyterMessage): void {
    const { prompt, password } = message.content;
    if (!run.allowStdin) {
      // A kernel must not ask then; one that does would wait for ever.
      this.#connection?.send(inputReply(message.header, '')).catch((error) => this.#log.warn('run.input-failed', errorFields(error)));
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

  #flushSoon(): void {
    if (this.#flushTimer) return;
    this.#flushTimer = setTimeout(() => this.#flush(), Math.max(GATHER_MS, this.#nextFlush - performance.now()));
  }

  #flush(): void {
    if (this.#flushTimer) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    if (!this.#reducer.changed) return;
    let weight = 0;
    this.#lastTold = this.#lastMessage;
    for (const batch of batches(this.#reducer.take((spill) => this.#spills.stateOf(spill)))) {
      this.#emit('run.changes', { kernelId: this.#kernelId, areas: batch.areas, lastMessage: this.#lastTold });
      weight += batch.weight;
    }
    this.#nextFlush = performance.now() + weight / UNITS_PER_MS;
  }

  #emit<N extends keyof RunEvents>(name: N, payload: RunEvents[N]): void {
    this.#endpoint.emit(name, payload);
  }
}
