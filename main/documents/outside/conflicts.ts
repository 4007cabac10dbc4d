/**
 * Cells that were changed here and in the file, each in its way. Both versions are kept until somebody says which one counts: until then a
 * save leaves the file's version of such a cell in the file. A choice that is undone is no choice any more, and the conflict is back.
 */
import type { CellContent } from './merge-cell.ts';
import { sameText } from './merge-cell.ts';
import type { Conflict } from './merge-plan.ts';

type Text = Pick<CellContent, 'type' | 'source'>;

/** What was chosen, told by what undoing it brings back. */
export interface Choice {
  /** What stood here when another version than this one was chosen: the conflict is open again while that stands here. */
  before: Text | null;
  /** The cell that holds the file's version where both were kept: the conflict is open again when it is gone. */
  copy: string | null;
}

interface Entry {
  conflict: Conflict;
  settled: Choice | null;
}

export class Conflicts {
  readonly #entries = new Map<string, Entry>();
  readonly #present: (key: string) => Text | null;

  /** `present` gives the cell as it is here now, or null when it is gone. */
  constructor(present: (key: string) => Text | null) {
    this.#present = present;
  }

  add(conflicts: readonly Conflict[]): void {
    for (const conflict of conflicts) this.#entries.set(conflict.key, { conflict, settled: null });
  }

  /** What the file has now for these cells was merged without a conflict. */
  drop(keys: Iterable<string>): void {
    for (const key of keys) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  open(): Conflict[] {
    return [...this.#entries.values()].filter((entry) => this.#isOpen(entry)).map(({ conflict }) => conflict);
  }

  get count(): number {
    return this.#entries.size === 0 ? 0 : this.open().length;
  }

  /** Cells whose version in the file must not be replaced by a save. */
  kept(): Set<string> {
    return new Set(this.open().flatMap(({ kind, key }) => (kind === 'both' ? [key] : [])));
  }

  settle(key: string, choice: Choice): void {
    const entry = this.#entries.get(key);
    if (entry) entry.settled = choice;
  }

  /** After a save the choices are in the file. */
  forgetSettled(): void {
    for (const [key, entry] of this.#entries) if (!this.#isOpen(entry)) this.#entries.delete(key);
  }

  #isOpen({ conflict, settled }: Entry): boolean {
    const now = this.#present(conflict.key);
    if (!now) return false;
    if (settled?.copy) return this.#present(settled.copy) === null;
    if (settled) return settled.before !== null && sameText(settled.before, now);
    return conflict.kind !== 'both' || !sameText(conflict.theirs!, now);
  }
}
