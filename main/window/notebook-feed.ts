/**
 * What the windows that show one notebook are told: outputs, runs, kernel and document state, gathered over 16 ms. The hard thing is
 * order: a snapshot holds everything up to now, so what is gathered must go out before the answer that carries the snapshot.
 */
import type { CellRun, EventName, Events, KernelView, StaleReason, WindowOutput, WindowOutputChange } from '../../preload/contract.ts';
import type { Output } from '../../preload/output-change.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { NotebookSession } from '../execution/notebook-session.ts';
import type { RawOutputChange, RawPayload } from '../execution/run-protocol.ts';
import { Backlogs, type Paceable } from './backlogs.ts';
import { documentState } from './document-view.ts';
import { shortenedStream } from './long-streams.ts';
import { outputAddress } from './output-address.ts';
import { changeIndices, OutputRevisions } from './output-revisions.ts';
import { Paced } from './paced.ts';
import { toWindowOutput } from './payloads.ts';

/** One frame of the screen: more often nobody sees, less often streamed text stutters. */
const INTERVAL_MS = 16;

/** A window as the notebooks see it. */
export interface View extends Paceable {
  readonly id: number;
  send<N extends EventName>(name: N, payload: Events[N]): void;
}

const IDLE: CellRun = { state: 'idle', executionCount: null, startedAt: null, durationMs: null, input: null, stale: null };

export class NotebookFeed {
  readonly views = new Set<View>();
  readonly #document: NotebookDocument;
  readonly #session: NotebookSession;
  readonly #kernelView: () => KernelView;
  readonly #revisions = new OutputRevisions();
  readonly #paced = new Paced(INTERVAL_MS, () => this.#flush());
  readonly #backlogs = new Backlogs<View>();
  readonly #ends: (() => void)[];
  #outputs = new Map<string, WindowOutputChange[]>();
  #runs = new Set<string>();
  /** What the windows know of stale outputs. */
  readonly #stale: Map<string, StaleReason>;
  #freshnessChanged = false;
  #stateChanged = false;
  #kernelChanged = false;

  constructor(document: NotebookDocument, session: NotebookSession, kernelView: () => KernelView) {
    this.#document = document;
    this.#session = session;
    this.#kernelView = kernelView;
    this.#stale = document.freshness.staleOutputs();
    this.#ends = [
      document.on('update', (update, origin) => this.#broadcastUpdate(update, origin)),
      document.on('outputs', (key, changes) => this.#outputsChanged(key, changes)),
      document.on('reset', (key) => this.#runsChanged([key])),
      document.on('freshness', () => {
        this.#freshnessChanged = true;
        this.#paced.request();
      }),
      document.on('outside', ({ message, outputs, canUndo }) => {
        if (outputs.length > 0) this.#runsChanged(outputs);
        if (message !== '') this.#broadcast('doc.outside', { docId: document.id, message, canUndo });
      }),
      document.on('state', () => {
        this.#stateChanged = true;
        this.#paced.request();
      }),
      session.on('runs', (keys) => this.#runsChanged(keys)),
      session.on('kernel', () => {
        this.#kernelChanged = true;
        this.#paced.request();
      }),
    ];
  }

  /** Sends what is gathered. Call before answering with anything that already contains it. */
  settle(): void {
    this.#paced.now();
  }

  close(): void {
    this.#paced.stop();
    for (const end of this.#ends) end();
    this.views.clear();
  }

  run(key: string): CellRun {
    return this.#runFrom(this.#session.runs(), key);
  }

  /** Runs of the cells that have something to tell: a state, a count or outputs that are stale. */
  allRuns(): Record<string, CellRun> {
    const states = this.#session.runs();
    const runs: Record<string, CellRun> = {};
    for (const key of this.#document.keys()) {
      const run = this.#runFrom(states, key);
      if (run.state !== 'idle' || run.executionCount !== null || run.stale) runs[key] = run;
    }
    return runs;
  }

  /** The outputs of one cell with their addresses. */
  outputs(key: string): WindowOutput[] {
    return this.#document.outputs(key).map((output, index) => this.#toWindow(output, key, index, this.#revisions.revision(key, index)));
  }

  /** Whether an address still stands for what it was given out for. */
  isCurrent(key: string, index: number, revision: number): boolean {
    return this.#revisions.revision(key, index) === revision;
  }

  #runFrom(states: ReturnType<NotebookSession['runs']>, key: string): CellRun {
    const executionCount = this.#document.executionCount(key);
    return { ...IDLE, ...states.get(key), executionCount, stale: this.#document.freshness.outputsReason(key) };
  }

  #toWindow(output: Output<RawPayload>, cellKey: string, index: number, revision: number): WindowOutput {
    if (output.type === 'stream') return shortenedStream(output, { cellKey, index, revision });
    return toWindowOutput(output, (mime) => outputAddress({ docId: this.#document.id, cellKey, index, revision, mime }));
  }

  #broadcast<N extends EventName>(name: N, payload: Events[N]): void {
    for (const view of this.views) view.send(name, payload);
  }

  /** Not gathered: another window's typing is shown at once. */
  #broadcastUpdate(update: Uint8Array, origin: unknown): void {
    for (const view of this.views) {
      if (view !== origin) view.send('doc.update', { docId: this.#document.id, update });
    }
  }

  #outputsChanged(key: string, changes: readonly RawOutputChange[]): void {
    const indices = changeIndices(changes, this.#document.outputCount(key));
    let pending = this.#outputs.get(key) ?? [];
    changes.forEach((change, place) => {
      const index = indices[place]!;
      const revision = this.#revisions.record(key, change, index);
      // What was cleared before it could be shown never has to travel: animations clear many times a second.
      if (change.op === 'clear') pending = [];
      const carries = change.op === 'append' || change.op === 'replace';
      pending.push(carries ? { ...change, output: this.#toWindow(change.output, key, index, revision) } : change);
    });
    this.#outputs.set(key, pending);
    this.#paced.request();
  }

  #runsChanged(keys: readonly string[]): void {
    for (const key of keys) this.#runs.add(key);
    this.#paced.request();
  }

  /** An edit, a run or a restart may change which outputs are stale in any cell; told are those where it does. */
  #staleChanges(): string[] {
    if (!this.#freshnessChanged) return [];
    this.#freshnessChanged = false;
    const now = this.#document.freshness.staleOutputs();
    return [...new Set([...now.keys(), ...this.#stale.keys()])].filter((key) => now.get(key) !== this.#stale.get(key));
  }

  #flush(): void {
    const docId = this.#document.id;
    const outputs = this.#outputs;
    const runs = this.#runs;
    for (const key of this.#staleChanges()) runs.add(key);
    this.#outputs = new Map();
    this.#runs = new Set();
    this.#sendOutputs(outputs);
    if (runs.size > 0) this.#broadcast('doc.runs', { docId, runs: this.#runsOf(runs) });
    if (this.#kernelChanged) this.#broadcast('kernel.state', { docId, kernel: this.#kernelView() });
    if (this.#stateChanged) this.#broadcast('doc.state', documentState(this.#document));
    this.#kernelChanged = false;
    this.#stateChanged = false;
  }

  #sendOutputs(outputs: ReadonlyMap<string, WindowOutputChange[]>): void {
    this.#backlogs.keepOnly(this.views);
    for (const view of this.views) {
      const { changes, whole } = this.#backlogs.plan(view, outputs.keys());
      const cells = [
        ...changes.map((key) => ({ key, changes: outputs.get(key) ?? [] })),
        ...whole.map((key) => ({ key, changes: this.#wholeCell(key) })),
      ];
      if (cells.length > 0) view.send('doc.outputs', { docId: this.#document.id, cells });
    }
    // Looks again soon: a page that catches up causes no event here.
    if (this.#backlogs.pending) this.#paced.request();
  }

  #wholeCell(key: string): WindowOutputChange[] {
    return [{ op: 'clear' }, ...this.outputs(key).map((output): WindowOutputChange => ({ op: 'append', output }))];
  }

  #runsOf(keys: ReadonlySet<string>): Record<string, CellRun> {
    const states = this.#session.runs();
    const runs = Object.fromEntries([...keys].map((key) => [key, this.#runFrom(states, key)]));
    for (const [key, { stale }] of Object.entries(runs)) {
      if (stale) this.#stale.set(key, stale);
      else this.#stale.delete(key);
    }
    return runs;
  }
}
