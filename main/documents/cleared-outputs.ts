/**
 * Outputs that were cleared by hand, kept so that the clearing can be undone. Outputs are not in the shared model; what is in it is a mark of
 * each clearing, so undo and redo take it away and put it back like any edit. They come back only where nothing was run since.
 */
import type { CellOutputs, CellRecord } from './cell-record.ts';

interface Kept {
  mark: unknown;
  outputs: CellOutputs;
  executionCount: number | null;
}

export class ClearedOutputs {
  /** By cell: the latest clearing alone, since those before it were of outputs that a run has replaced. */
  readonly #kept = new Map<string, Kept>();
  /** The mark that each cell had last, where it ever had one. */
  readonly #marks = new Map<string, unknown>();
  readonly #known = new Set<unknown>();

  keep(key: string, mark: unknown, { outputs, executionCount }: CellRecord): void {
    this.#kept.set(key, { mark, outputs, executionCount });
  }

  /** To be told the mark of each cell that changed. False when it is the one it had before. */
  hasChanged(key: string, mark: unknown): boolean {
    return this.#marks.get(key) !== mark;
  }

  /**
   * To be called when the mark has changed. When the change undid a clearing, gives what the cell had before that, once; null when it is a
   * clearing, or when that is not known any more.
   */
  undone(key: string, mark: unknown): Kept | null {
    const before = this.#marks.get(key);
    const isNew = mark !== undefined && !this.#known.has(mark);
    this.#marks.set(key, mark);
    this.#known.add(mark);
    const kept = this.#kept.get(key);
    if (isNew || !kept || kept.mark !== before) return null;
    this.#kept.delete(key);
    return kept;
  }

  has(key: string, mark: unknown): boolean {
    return this.#kept.get(key)?.mark === mark;
  }

  /** The cell has new outputs: old ones must not come over them. */
  forget(key: string): void {
    this.#kept.delete(key);
  }
}
