/**
 * A window's outputs of one notebook: fetched when a cell comes into view, or when they are asked for, then kept current by main's changes.
 * The race: changes may arrive while a fetch is under way. Main sends what is pending before it takes the picture it answers with, so
 * changes that come before the answer are in it and are dropped here, and those after it fit. One that does not fit means a fresh fetch.
 */
import type { Bridge, WindowOutput, WindowOutputChange } from '../../preload/contract.ts';
import { applyOutputChange } from '../../preload/output-change.ts';

/** Outputs of cells out of view that are kept; more would hold a large notebook's whole output in the window. */
const KEPT_CELLS = 300;
/** Keys in one call, as the contract limits it. */
const KEYS_PER_CALL = 500;

export const noOutputs: readonly WindowOutput[] = Object.freeze([]);

export class OutputsReplica {
  readonly #bridge: Bridge;
  readonly #docId: string;
  readonly #changed: (key: string) => void;
  /** What is known, least recently used first. */
  readonly #outputs = new Map<string, readonly WindowOutput[]>();
  readonly #counts: Map<string, number>;
  readonly #viewers = new Map<string, number>();
  readonly #wanted = new Set<string>();
  /** Cells whose outputs are left where they are until somebody asks for them or the cell runs. */
  readonly #held: Set<string>;
  /** Cells with a fetch under way, each with the number of that fetch: an answer that was overtaken is dropped. */
  readonly #fetching = new Map<string, number>();
  #fetchNumber = 0;
  #scheduled = false;

  /** `hold`: the outputs that there are now are not fetched by being seen. */
  constructor(
    bridge: Bridge,
    docId: string,
    counts: Readonly<Record<string, number>>,
    changed: (key: string) => void,
    { hold }: { hold: boolean } = { hold: false },
  ) {
    this.#held = new Set(hold ? Object.keys(counts) : []);
    this.#bridge = bridge;
    this.#docId = docId;
    this.#counts = new Map(Object.entries(counts));
    this.#changed = changed;
  }

  /** The outputs, or null while they are not here yet. Stable until they change. */
  get(key: string): readonly WindowOutput[] | null {
    return this.#outputs.get(key) ?? ((this.#counts.get(key) ?? 0) === 0 ? noOutputs : null);
  }

  count(key: string): number {
    return this.#outputs.get(key)?.length ?? this.#counts.get(key) ?? 0;
  }

  /** A cell came into view; the function it returns says that it left. */
  view(key: string): () => void {
    this.#viewers.set(key, (this.#viewers.get(key) ?? 0) + 1);
    if (this.get(key) === null && !this.#held.has(key)) this.#want(key);
    return () => {
      const left = (this.#viewers.get(key) ?? 1) - 1;
      if (left > 0) this.#viewers.set(key, left);
      else this.#viewers.delete(key);
      this.#forgetOldest();
    };
  }

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  get hasHeld(): boolean {
    return this.#held.size > 0;
  }

  /** Fetches what was held: of one cell, or of all of them as they come into view. */
  load(keys: Iterable<string> = [...this.#held]): void {
    for (const key of keys) {
      if (!this.#held.delete(key)) continue;
      if (this.#viewers.has(key)) this.#want(key);
    }
  }

  apply(cells: readonly { key: string; changes: readonly WindowOutputChange[] }[]): void {
    for (const { key, changes } of cells) {
      if (this.#fetching.has(key)) continue;
      const present = this.get(key);
      if (present === null && this.#held.has(key) && changes.some(({ op }) => op === 'clear')) this.#release(key, changes);
      else if (present === null) this.#countOnly(key, changes);
      else this.#patch(key, present, changes);
    }
  }

  #patch(key: string, present: readonly WindowOutput[], changes: readonly WindowOutputChange[]): void {
    try {
      let next = present;
      for (const change of changes) next = applyOutputChange(next, change);
      this.#store(key, next);
      this.#changed(key);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#outputs.delete(key);
      this.#counts.set(key, 1);
      this.#want(key);
    }
  }

  /** The cell runs: what was held is gone, and what comes is small and wanted. */
  #release(key: string, changes: readonly WindowOutputChange[]): void {
    this.#held.delete(key);
    this.#patch(key, noOutputs, changes.slice(changes.findLastIndex(({ op }) => op === 'clear')));
  }

  /** A cell that nobody looks at only needs its number of outputs, to know later that there is something to fetch. */
  #countOnly(key: string, changes: readonly WindowOutputChange[]): void {
    let count = this.#counts.get(key) ?? 0;
    for (const { op } of changes) count = op === 'append' ? count + 1 : op === 'clear' ? 0 : count;
    this.#counts.set(key, count);
  }

  #store(key: string, outputs: readonly WindowOutput[]): void {
    this.#outputs.delete(key);
    this.#outputs.set(key, outputs);
    this.#counts.set(key, outputs.length);
  }

  #want(key: string): void {
    this.#wanted.add(key);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // All cells that one scroll brings into view share one call.
    queueMicrotask(() => {
      this.#scheduled = false;
      const keys = [...this.#wanted];
      this.#wanted.clear();
      for (let at = 0; at < keys.length; at += KEYS_PER_CALL) void this.#fetch(keys.slice(at, at + KEYS_PER_CALL));
    });
  }

  async #fetch(keys: readonly string[]): Promise<void> {
    this.#fetchNumber += 1;
    const number = this.#fetchNumber;
    for (const key of keys) this.#fetching.set(key, number);
    const answer = await this.#bridge.call('doc.outputs', { docId: this.#docId, keys: [...keys] });
    for (const key of keys) {
      if (this.#fetching.get(key) !== number) continue;
      this.#fetching.delete(key);
      if (answer.ok) {
        this.#store(key, answer.value[key] ?? noOutputs);
        this.#changed(key);
      }
    }
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    let excess = this.#outputs.size - this.#viewers.size - KEPT_CELLS;
    if (excess <= 0) return;
    for (const key of [...this.#outputs.keys()]) {
      if (excess <= 0) break;
      if (this.#viewers.has(key) || this.#outputs.get(key)?.length === 0) continue;
      this.#outputs.delete(key);
      excess -= 1;
    }
  }
}
