/**
 * What became of each cell in one run. The notebook has only the newest outputs: by the time somebody asks, the cell may have been edited or run again, by
 * this agent or by others, and one run's output must never be told as another's.
 */
import { cellFields } from '../../preload/notebook-model.ts';
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import type { OwnedNotebook } from './notebook-owner.ts';
import { type Taken, withTaken } from './widget-outputs.ts';

type Outputs = readonly Output<RawPayload>[];

const NONE: Taken['before'] = new Map();

interface CellRecord {
  /** Of the run before this one, so that its last words are not taken for this one's. */
  readonly earlier: number | null;
  /** Null until it runs. */
  startedAt: number | null;
  /** As it was asked for, then as it was sent. */
  source: string;
  /** What Output widgets had when it began. */
  before: Taken['before'];
  end: {
    outcome: 'done' | 'failed';
    outputs: Outputs;
    executionCount: number | null;
    durationMs: number | null;
    after: Taken['after'];
  } | null;
}

export interface CellInRun {
  status: 'queued' | 'running' | 'done' | 'failed';
  source: string;
  outputs: Outputs;
  executionCount: number | null;
  durationMs: number | null;
  /** Its outputs in the notebook are of a later run. */
  again: boolean;
}

export class RunRecord {
  readonly #cells: Map<string, CellRecord>;

  /** `sources` are those of the cells when the run is asked for. */
  constructor(sources: ReadonlyMap<string, string>, { session }: Pick<OwnedNotebook, 'session'>) {
    const runs = session.runs();
    this.#cells = new Map(
      [...sources].map(([key, source]) => [
        key,
        { earlier: runs.get(key)?.startedAt ?? null, startedAt: null, source, before: NONE, end: null },
      ]),
    );
  }

  /** To be called when the state of a cell has changed, in the same turn of the event loop. */
  note(key: string, { document, session, widgets }: OwnedNotebook): void {
    const cell = this.#cells.get(key);
    const now = session.runs().get(key);
    if (!cell || cell.end || !now || now.startedAt === null || now.startedAt === cell.earlier || !document.keys().includes(key)) return;
    const isOver = now.state === 'done' || now.state === 'failed';
    if (cell.startedAt === null && (isOver || now.state === 'running')) {
      cell.startedAt = now.startedAt;
      cell.source = cellFields(document.ydoc, key).source;
      cell.before = widgets.taken();
    }
    if (!isOver || now.startedAt !== cell.startedAt) return;
    const outcome = now.state === 'done' ? 'done' : 'failed';
    const { durationMs } = now;
    const after = widgets.taken();
    cell.end = { outcome, outputs: document.outputs(key), executionCount: document.executionCount(key), durationMs, after };
  }

  /** What is known of a cell of the notebook now. */
  of(key: string, { document, session, widgets }: OwnedNotebook): CellInRun {
    const { startedAt = null, source = '', before = NONE, end = null } = this.#cells.get(key) ?? {};
    // While the cell runs, what the widgets have now.
    const all = (outputs: Outputs): Outputs => withTaken(outputs, widgets, { before, after: end?.after ?? widgets.taken() });
    const status = end?.outcome ?? (startedAt === null ? 'queued' : 'running');
    const now = session.runs().get(key);
    if (end && now?.startedAt !== startedAt) {
      const { outputs, executionCount, durationMs } = end;
      return { status, source, outputs: all(outputs), executionCount, durationMs, again: true };
    }
    // What it printed after its end counts as well.
    const outputs = startedAt === null ? [] : all(document.outputs(key));
    const executionCount = startedAt === null ? null : document.executionCount(key);
    return { status, source, outputs, executionCount, durationMs: startedAt === null ? null : (now?.durationMs ?? null), again: false };
  }

  /** Outputs of cells that were run again are not kept for ever. */
  forget(): void {
    for (const cell of this.#cells.values()) if (cell.end) cell.end = { ...cell.end, outputs: [], after: NONE };
  }
}
