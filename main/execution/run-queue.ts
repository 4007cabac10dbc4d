/**
 * Cells that wait for the kernel, in the order they were asked for. A cell is in the queue at most once: whoever asks for it again waits for
 * the same turn. Knows nothing of kernels or documents.
 */
import type { RunDone } from './run-protocol.ts';

/** How a cell's turn ended. `skipped`: nothing was run, because the cell is gone, isn't code, or its tags say so. */
export type CellOutcome = 'done' | 'failed' | 'cancelled' | 'skipped';

export interface TurnResult {
  outcome: CellOutcome;
  /** For `failed`: how the run ended, and the error its reply told (null when the kernel died). */
  failure: { status: RunDone['status']; error: RunDone['error'] } | null;
}

export interface RunOptions {
  /** Go on with the next cell after an error. */
  allowErrors: boolean;
  allowStdin: boolean;
}

export interface Turn extends RunOptions {
  readonly key: string;
  readonly result: Promise<TurnResult>;
  settle(result: TurnResult): void;
}

export interface RunSummary {
  /** `failed`: a cell failed. `cancelled`: none failed, but cells were not run or not to their end. */
  status: 'ok' | 'failed' | 'cancelled';
  cells: { key: string; outcome: CellOutcome }[];
  /** The first cell that failed. */
  failure: ({ key: string } & NonNullable<TurnResult['failure']>) | null;
}

export class RunQueue {
  readonly #waiting = new Map<string, Turn>();

  get size(): number {
    return this.#waiting.size;
  }

  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** The turns of these cells, in order; those that wait already, or are `next` in line, keep their place and their options. */
  add(keys: readonly string[], options: RunOptions, next: Turn | null): Turn[] {
    return [...new Set(keys)].map((key) => {
      if (next?.key === key) return next;
      const turn = this.#waiting.get(key) ?? newTurn(key, options);
      this.#waiting.set(key, turn);
      return turn;
    });
  }

  /** Takes out the next turn. */
  next(): Turn | null {
    for (const [key, turn] of this.#waiting) {
      this.#waiting.delete(key);
      return turn;
    }
    return null;
  }

  /** Takes out all turns; the caller settles them. */
  clear(): Turn[] {
    const turns = [...this.#waiting.values()];
    this.#waiting.clear();
    return turns;
  }
}

/** Resolves when each turn is over. */
export async function summaryOf(turns: readonly Turn[]): Promise<RunSummary> {
  const results = await Promise.all(turns.map(async ({ key, result }) => ({ key, ...(await result) })));
  const failed = results.find(({ outcome }) => outcome === 'failed');
  const cancelled = results.some(({ outcome }) => outcome === 'cancelled');
  return {
    status: failed ? 'failed' : cancelled ? 'cancelled' : 'ok',
    cells: results.map(({ key, outcome }) => ({ key, outcome })),
    failure: failed?.failure ? { key: failed.key, ...failed.failure } : null,
  };
}

function newTurn(key: string, { allowErrors, allowStdin }: RunOptions): Turn {
  let settle: (result: TurnResult) => void = () => {};
  const result = new Promise<TurnResult>((resolve) => {
    settle = resolve;
  });
  return { key, allowErrors, allowStdin, result, settle };
}
