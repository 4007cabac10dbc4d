/**
 * The state of a kernel as it is shown, from the three things that are known of it. Whoever looks is told of changes only.
 */
import type { KernelState } from '../kernel.ts';

export type Phase = 'starting' | 'restarting' | 'running' | 'dead';

interface Known {
  phase: Phase;
  /** It works on code. */
  working: boolean;
  /** The server is heard. */
  beating: boolean;
}

export class ShownState {
  readonly #onChange: (state: KernelState) => void;
  #known: Known = { phase: 'starting', working: false, beating: true };
  #shown: KernelState = 'starting';

  constructor(onChange: (state: KernelState) => void) {
    this.#onChange = onChange;
  }

  get shown(): KernelState {
    return this.#shown;
  }

  get isRunning(): boolean {
    return this.#known.phase === 'running';
  }

  get isBeating(): boolean {
    return this.#known.beating;
  }

  know(change: Partial<Known>): void {
    this.#known = { ...this.#known, ...change };
    const state = stateOf(this.#known);
    if (state === this.#shown) return;
    this.#shown = state;
    this.#onChange(state);
  }
}

function stateOf({ phase, working, beating }: Known): KernelState {
  if (phase !== 'running') return phase;
  if (!beating) return 'not-responding';
  return working ? 'busy' : 'idle';
}
