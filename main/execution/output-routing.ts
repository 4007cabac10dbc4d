/**
 * Which changes from the kernel host a notebook's cells take: those of each cell's latest run. The hard part is outputs that are cleared by hand while the
 * host still counts on them: until it has heard of that, its changes are for outputs that are gone, and their indices would hit others.
 */
import { isHostGone } from '../kernels/errors.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { errorFields, type Log } from '../log/log.ts';
import { newAreaState, nextAreaState } from './area-state.ts';
import type { AreaState, RunClear, RunEvents } from './run-protocol.ts';
import type { RunTarget } from './run-target.ts';

export class OutputRouting {
  readonly #target: RunTarget;
  readonly #log: Log;
  /** Of the run whose outputs a cell shows: changes of any other are late and not for it. */
  readonly #areas = new Map<string, AreaState>();
  /** Cells whose clearing the host hasn't confirmed, with the number of calls that are open. */
  readonly #clearing = new Map<string, number>();

  constructor(target: RunTarget, log: Log) {
    this.#target = target;
    this.#log = log;
  }

  /** The cell's outputs come from this run now; null: from none. */
  begin(key: string, runId: string | null): void {
    // Anew, so that the last one is the latest.
    this.#areas.delete(key);
    if (runId !== null) this.#areas.set(key, newAreaState(key, runId));
  }

  /** Where the outputs of all cells are, in the order of their runs. */
  get areas(): AreaState[] {
    return [...this.#areas.values()];
  }

  apply(kernel: Kernel | null, areas: RunEvents['run.changes']['areas']): void {
    for (const { areaId, runId, changes } of areas) {
      const area = this.#areas.get(areaId);
      if (area?.runId !== runId || this.#clearing.has(areaId)) continue;
      try {
        this.#target.applyOutputs(areaId, changes);
        this.#areas.set(areaId, nextAreaState(area, changes));
      } catch (error) {
        // The cell's outputs were changed by somebody who didn't say so. Begin anew rather than show what isn't so.
        this.#log.error('session.outputs-refused', errorFields(error));
        this.cleared(kernel, [areaId]);
      }
    }
  }

  /** These cells' outputs were cleared by hand. */
  cleared(kernel: Kernel | null, keys: readonly string[]): void {
    for (const key of kernel ? keys : []) if (this.#areas.has(key)) void this.#clear(kernel!, key);
  }

  async #clear(kernel: Kernel, key: string): Promise<void> {
    this.#clearing.set(key, (this.#clearing.get(key) ?? 0) + 1);
    this.#areas.set(key, newAreaState(key, this.#areas.get(key)!.runId));
    const clear: RunClear = { kernelId: kernel.id, areaId: key };
    try {
      await kernel.host.call('run.clear', clear);
    } catch (error) {
      // The next host is told where the outputs are.
      if (!isHostGone(error)) this.#log.warn('session.clear-failed', errorFields(error));
    }
    const left = (this.#clearing.get(key) ?? 1) - 1;
    if (left > 0) this.#clearing.set(key, left);
    else this.#clearing.delete(key);
  }
}
