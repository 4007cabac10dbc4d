/**
 * What the runs of a kernel say to whoever has the outputs of untold runs, in the kernel host. Order is the point: it gets every message before
 * that can end a run, and main hears of no end before it has heard of the outputs.
 */
import type { JupyterMessage } from '../kernels/messages.ts';

/** What a cell says in the place of output that nobody may have received. */
export const MISSED = '[The connection to the kernel broke while this ran. Output of that moment may be missing.]';

export interface UntoldOutputs {
  take(kernelId: string, message: JupyterMessage): void;
  /** Messages for this run may have been missed: to be called before the first one after them is given. */
  missed(runId: string): void;
  /** What there is of this kernel is to be told to main now. `isEnd`: a run is over. */
  tell(kernelId: string, isEnd: boolean): void;
}
