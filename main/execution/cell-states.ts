/**
 * What each cell of a session is doing, as the window shows it. Values are replaced, never changed, so a listener may keep what it got.
 * Whether outputs are stale is the document's to say: only it knows every edit.
 */
import type { CellRun } from '../../preload/contract.ts';
import type { RunStatus } from './run-protocol.ts';

export type CellRunState = Omit<CellRun, 'stale'>;

export const IDLE_CELL: CellRunState = { state: 'idle', executionCount: null, startedAt: null, durationMs: null, input: null };

export class CellStates {
  readonly #states = new Map<string, CellRunState>();
  readonly #onChange: (keys: string[]) => void;

  constructor(onChange: (keys: string[]) => void) {
    this.#onChange = onChange;
  }

  get all(): ReadonlyMap<string, CellRunState> {
    return this.#states;
  }

  get(key: string): CellRunState {
    return this.#states.get(key) ?? IDLE_CELL;
  }

  set(keys: readonly string[], change: Partial<CellRunState>): void {
    if (keys.length === 0) return;
    for (const key of keys) this.#states.set(key, { ...this.get(key), ...change });
    this.#onChange([...keys]);
  }

  /** The cell is gone from the notebook. */
  delete(key: string): void {
    if (this.#states.delete(key)) this.#onChange([key]);
  }
}

/** The state a cell is in after its run. An error that the cell's tags announce counts as done. */
export function stateAfter(status: RunStatus, expected: boolean): 'done' | 'failed' | 'cancelled' {
  switch (status) {
    case 'ok':
      return 'done';
    case 'error':
      return expected ? 'done' : 'failed';
    case 'dead':
    case 'lost':
      return 'failed';
    case 'aborted':
    case 'cancelled':
      return 'cancelled';
  }
}

/** Cell tags that change how a run treats the cell, as nbclient reads them. */
export function runTags(metadata: Record<string, unknown>): { skip: boolean; mayRaise: boolean } {
  const tags = Array.isArray(metadata.tags) ? metadata.tags : [];
  return { skip: tags.includes('skip-execution'), mayRaise: tags.includes('raises-exception') };
}
