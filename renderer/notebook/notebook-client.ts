/**
 * A window's replica of one notebook: the shared Y.Doc, its outputs, runs and kernel, each with subscriptions fine enough that a change of
 * one cell draws one cell. Edits made here are posted at once and never waited for; edits from elsewhere carry the origin `elsewhere`, which
 * is how they are kept from being sent back.
 */
import * as Y from 'yjs';
import type { Bridge, CellRun, DocumentSnapshot, DocumentState, Events, KernelView } from '../../preload/contract.ts';
import type { CellType, YCell } from '../../preload/notebook-model.ts';
import { cellMap, cellMetadata, cellType, orderedKeys, sourceText } from '../../preload/notebook-model.ts';
import type { RunProgress } from '../kernel/run-progress.ts';
import { noProgress, reduceProgress } from '../kernel/run-progress.ts';
import { Topics } from '../shell/store.ts';
import type { Heading } from './outline.ts';
import { headingsOf } from './outline.ts';
import { OutputsReplica } from './outputs-replica.ts';
import { PersonalUndo } from './personal-undo.ts';

/** What a cell is, apart from its source: keeps its identity until one of the two changes. */
export interface CellKind {
  type: CellType;
  metadata: Readonly<Record<string, unknown>>;
}

export const idleRun: CellRun = Object.freeze({
  state: 'idle',
  executionCount: null,
  startedAt: null,
  durationMs: null,
  input: null,
  stale: null,
});

const FROM_ELSEWHERE = Symbol('elsewhere');

export class NotebookClient {
  readonly docId: string;
  readonly ydoc = new Y.Doc();
  readonly outputs: OutputsReplica;
  readonly undo: PersonalUndo;
  /** Origin of this person's edits: only these can be undone here. */
  readonly origin: object = { name: 'person' };
  readonly #bridge: Bridge;
  readonly #topics = new Topics();
  readonly #kinds = new Map<string, CellKind>();
  readonly #headings = new Map<string, readonly Heading[]>();
  readonly #runs: Map<string, CellRun>;
  readonly #ends: (() => void)[];
  #keys: readonly string[] = [];
  #outline: readonly Heading[] | null = null;
  #document: DocumentState;
  #kernel: KernelView;
  #progress: RunProgress;

  /** `withoutOutputs`: those that the notebook has now are only fetched when they are asked for. */
  constructor(bridge: Bridge, snapshot: DocumentSnapshot, { withoutOutputs }: { withoutOutputs: boolean } = { withoutOutputs: false }) {
    this.#bridge = bridge;
    this.docId = snapshot.document.docId;
    Y.applyUpdate(this.ydoc, snapshot.update, FROM_ELSEWHERE);
    this.#keys = orderedKeys(this.ydoc);
    this.#document = snapshot.document;
    this.#kernel = snapshot.kernel;
    this.#runs = new Map(Object.entries(snapshot.runs));
    this.#progress = reduceProgress(noProgress, snapshot.runs);
    const changed = (key: string): void => this.#topics.emit(`outputs:${key}`);
    this.outputs = new OutputsReplica(bridge, this.docId, snapshot.outputCounts, changed, { hold: withoutOutputs });
    this.undo = new PersonalUndo(this.ydoc, this.origin);
    cellMap(this.ydoc).observeDeep((events) => this.#cellsChanged(events));
    this.ydoc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== FROM_ELSEWHERE) bridge.post('doc.update', { docId: this.docId, update });
    });
    this.#ends = this.#listen();
  }

  #listen(): (() => void)[] {
    const mine = <N extends 'doc.update' | 'doc.state' | 'doc.outputs' | 'doc.runs' | 'kernel.state'>(
      name: N,
      listener: (payload: Events[N]) => void,
    ) => this.#bridge.on(name, (payload) => (payload.docId === this.docId ? listener(payload) : undefined));
    return [
      mine('doc.update', ({ update }) => Y.applyUpdate(this.ydoc, update, FROM_ELSEWHERE)),
      mine('doc.state', (state) => this.setDocument(state)),
      mine('doc.outputs', ({ cells }) => this.outputs.apply(cells)),
      mine('doc.runs', ({ runs }) => this.#runsChanged(runs)),
      mine('kernel.state', ({ kernel }) => {
        this.#kernel = kernel;
        this.#topics.emit('kernel');
      }),
    ];
  }

  /** Ends all subscriptions on the bridge. The replica is dead afterwards. */
  dispose(): void {
    for (const end of this.#ends.splice(0)) end();
    this.undo.dispose();
    this.ydoc.destroy();
  }

  /** Topics: `keys`, `document`, `kernel`, `progress`, `outline`, and per cell `kind:`, `source:`, `outputs:`, `run:` + key. */
  on(topic: string, listener: () => void): () => void {
    return this.#topics.on(topic, listener);
  }

  // ---- what is shown; every getter is stable until its topic fires --------------------------------------------------------------------

  get keys(): readonly string[] {
    return this.#keys;
  }

  get document(): DocumentState {
    return this.#document;
  }

  get kernel(): KernelView {
    return this.#kernel;
  }

  get progress(): RunProgress {
    return this.#progress;
  }

  /** The cell's type and metadata, or null when the cell is gone. */
  kind(key: string): CellKind | null {
    const known = this.#kinds.get(key);
    if (known) return known;
    const cell = cellMap(this.ydoc).get(key);
    if (!cell) return null;
    const kind: CellKind = { type: cellType(cell), metadata: cellMetadata(cell).toJSON() };
    this.#kinds.set(key, kind);
    return kind;
  }

  /** The shared text of a cell's source, or null when the cell is gone. An undone delete brings a new one under the same key. */
  text(key: string): Y.Text | null {
    const cell = cellMap(this.ydoc).get(key);
    return cell ? sourceText(cell) : null;
  }

  source(key: string): string {
    return this.text(key)?.toString() ?? '';
  }

  run(key: string): CellRun {
    return this.#runs.get(key) ?? idleRun;
  }

  get outline(): readonly Heading[] {
    this.#outline ??= this.#keys.flatMap((key) => (this.kind(key)?.type === 'markdown' ? this.#headingsOf(key) : []));
    return this.#outline;
  }

  #headingsOf(key: string): readonly Heading[] {
    const known = this.#headings.get(key);
    if (known) return known;
    const headings = headingsOf(key, this.source(key));
    this.#headings.set(key, headings);
    return headings;
  }

  // ---- what changes it ------------------------------------------------------------------------------------------------------------

  /** Main's newest word on the document; answers of calls carry it as well as events. */
  setDocument(state: DocumentState): void {
    this.#document = state;
    this.#topics.emit('document');
  }

  #runsChanged(runs: Record<string, CellRun>): void {
    for (const [key, run] of Object.entries(runs)) this.#runs.set(key, run);
    const progress = reduceProgress(this.#progress, runs);
    const changed = progress !== this.#progress;
    this.#progress = progress;
    for (const key of Object.keys(runs)) this.#topics.emit(`run:${key}`);
    if (changed) this.#topics.emit('progress');
  }

  #cellsChanged(events: readonly Y.YEvent<Y.AbstractType<unknown>>[]): void {
    const root = cellMap(this.ydoc) as unknown;
    const topics = new Set<string>();
    for (const event of events) {
      if (event.target === root) {
        topics.add('keys').add('outline');
        for (const key of event.changes.keys.keys()) this.#cellTopics(key, topics);
        continue;
      }
      const key = String(event.path[0]);
      const field = event.path[1];
      if (field === 'source') this.#sourceTopics(key, topics);
      else if (field === 'metadata') topics.add(`kind:${key}`);
      else this.#fieldTopics(key, event as Y.YMapEvent<unknown>, topics);
    }
    for (const topic of topics) if (topic.startsWith('kind:')) this.#kinds.delete(topic.slice('kind:'.length));
    if (topics.has('outline')) this.#outline = null;
    if (topics.has('keys')) this.#keys = orderedKeys(this.ydoc);
    for (const topic of topics) this.#topics.emit(topic);
  }

  #cellTopics(key: string, topics: Set<string>): void {
    this.#headings.delete(key);
    topics.add(`kind:${key}`).add(`source:${key}`);
  }

  #sourceTopics(key: string, topics: Set<string>): void {
    topics.add(`source:${key}`);
    this.#headings.delete(key);
    if (this.kind(key)?.type === 'markdown') topics.add('outline');
  }

  #fieldTopics(key: string, event: Y.YMapEvent<unknown>, topics: Set<string>): void {
    const target = event.target as YCell;
    if (event.keysChanged.has('position')) topics.add('keys').add('outline');
    if (event.keysChanged.has('type')) topics.add('outline');
    if (event.keysChanged.has('source')) this.#cellTopics(key, topics);
    if (target.has('type')) topics.add(`kind:${key}`);
  }
}
