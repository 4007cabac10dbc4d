/**
 * Whether what a cell last gave still fits the notebook: edited since, run before a cell above it, made by a kernel that was restarted, or
 * never run in this session (SPEC section 6). Asked for whole notebooks many times a second while cells run, so sources are compared only for
 * cells that were touched, and the order is gone through only after something changed.
 */
import type { StaleReason } from '../../preload/contract.ts';
import { cellType, sourceText, type YCell } from '../../preload/notebook-model.ts';
import { type CellRecord, outputCount } from './cell-record.ts';

/** A run in this session: its place among all runs, and the kernel process it went to. */
export interface RunMark {
  order: number;
  kernelLife: string | null;
}

/** What the answer for one cell depends on. Cells in document order. */
export interface FreshnessFacts {
  key: string;
  /** A code cell with something in it: others have nothing to run. */
  isRunnable: boolean;
  isEdited: boolean;
  run: RunMark | null;
  /** Execution count in the file; tells the order of runs before this session. */
  storedCount: number | null;
}

/** The cells that are not fresh. `kernelLife` names the present kernel process, null before there was one. */
export function staleReasons(cells: readonly FreshnessFacts[], kernelLife: string | null): Map<string, StaleReason> {
  const reasons = new Map<string, StaleReason>();
  let latestRun = -1;
  let latestCount = -1;
  for (const { key, isRunnable, isEdited, run, storedCount } of cells) {
    if (!isRunnable) continue;
    const isOvertaken = run ? run.order < latestRun : storedCount !== null && storedCount < latestCount;
    const reason = isEdited
      ? 'edited'
      : run && run.kernelLife !== kernelLife
        ? 'kernel-restarted'
        : isOvertaken
          ? 'out-of-order'
          : run
            ? null
            : 'not-run';
    if (reason) reasons.set(key, reason);
    if (run) latestRun = Math.max(latestRun, run.order);
    else if (storedCount !== null) latestCount = Math.max(latestCount, storedCount);
  }
  return reasons;
}

export interface FreshnessCells {
  keys(): readonly string[];
  find(key: string): { cell: YCell; record: CellRecord } | null;
}

export class CellFreshness {
  readonly #cells: FreshnessCells;
  readonly #onChange: () => void;
  readonly #runs = new Map<string, RunMark>();
  /** Cells whose source may differ from the one in the file. */
  readonly #touched = new Set<string>();
  readonly #edits = new Map<string, Pick<FreshnessFacts, 'isEdited' | 'isRunnable'>>();
  #runCount = 0;
  #kernelLife: string | null = null;
  #reasons: ReadonlyMap<string, StaleReason> | null = null;

  /** `onChange` hears that answers may be others than before. */
  constructor(cells: FreshnessCells, onChange: () => void) {
    this.#cells = cells;
    this.#onChange = onChange;
  }

  /** The cells that running would renew, in document order: for an agent that asks for what is stale. */
  stale(): ReadonlyMap<string, StaleReason> {
    this.#reasons ??= staleReasons(
      this.#cells.keys().flatMap((key) => this.#facts(key) ?? []),
      this.#kernelLife,
    );
    return this.#reasons;
  }

  /** Null when the cell is fresh, is not code, or is gone. */
  reason(key: string): StaleReason | null {
    return this.stale().get(key) ?? null;
  }

  /**
   * Why the outputs that a cell shows are stale. A notebook that is only read is not full of warnings: that outputs come from before this
   * session matters once there is a kernel.
   */
  outputsReason(key: string): StaleReason | null {
    const reason = this.reason(key);
    if (reason === null || (reason === 'not-run' && this.#kernelLife === null)) return null;
    const found = this.#cells.find(key);
    return found && outputCount(found.record) > 0 ? reason : null;
  }

  /** Of all cells that have stale outputs. */
  staleOutputs(): Map<string, StaleReason> {
    const reasons = [...this.stale().keys()].map((key) => [key, this.outputsReason(key)] as const);
    return new Map(reasons.filter((entry): entry is readonly [string, StaleReason] => entry[1] !== null));
  }

  /** Names the kernel process that runs cells from now on. What earlier ones computed is gone. */
  kernelIs(life: string): void {
    if (this.#kernelLife === life) return;
    this.#kernelLife = life;
    this.#changed();
  }

  began(key: string): void {
    this.#runCount += 1;
    this.#runs.set(key, { order: this.#runCount, kernelLife: this.#kernelLife });
    this.rearranged([key]);
  }

  /** The sources of these cells changed. Most keystrokes change no answer. */
  touched(keys: Iterable<string>): void {
    for (const key of keys) {
      const before = this.#edits.get(key);
      this.#touched.add(key);
      this.#edits.delete(key);
      const found = this.#cells.find(key);
      if (!before || !found) this.#changed();
      else {
        const now = this.#edit(key, found.cell, found.record);
        if (now.isEdited !== before.isEdited || now.isRunnable !== before.isRunnable) this.#changed();
      }
    }
  }

  /** Cells that came, went, moved, changed type or got other outputs. */
  rearranged(keys: Iterable<string>): void {
    for (const key of keys) {
      this.#touched.add(key);
      this.#edits.delete(key);
    }
    this.#changed();
  }

  #changed(): void {
    this.#reasons = null;
    this.#onChange();
  }

  #facts(key: string): FreshnessFacts | null {
    const found = this.#cells.find(key);
    if (!found) return null;
    const { cell, record } = found;
    const isCode = cellType(cell) === 'code';
    const run = this.#runs.get(key) ?? null;
    const { isEdited, isRunnable } = isCode ? this.#edit(key, cell, record) : { isEdited: false, isRunnable: false };
    return { key, isRunnable, isEdited, run, storedCount: run ? null : record.executionCount };
  }

  #edit(key: string, cell: YCell, record: CellRecord): Pick<FreshnessFacts, 'isEdited' | 'isRunnable'> {
    const known = this.#edits.get(key);
    if (known) return known;
    const source = this.#touched.has(key) || !record.base ? sourceText(cell).toString() : record.base.text;
    const isEdited = record.producedFrom !== null && record.producedFrom !== source && (this.#runs.has(key) || outputCount(record) > 0);
    const edit = { isEdited, isRunnable: /\S/.test(source) };
    this.#edits.set(key, edit);
    return edit;
  }
}
