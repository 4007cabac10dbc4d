/**
 * What running code needs from a notebook: the narrow side of a document that execution sees, so that neither folder imports the other.
 * The document implements it; the program's rim (window, command line, agents) puts the two together.
 */
import type { RawOutputChange } from './run-protocol.ts';

export interface RunTarget {
  /** Source and type of a cell as they are now, or null when it is gone. */
  cell(key: string): { source: string; type: 'code' | 'markdown' | 'raw'; metadata: Record<string, unknown> } | null;
  /** A run of this cell was sent to the kernel: its outputs are cleared, its count is unset, and `source` is what the new outputs come from. */
  beginRun(key: string, source: string): void;
  /** The run that began last is over; late output may still come. */
  endRun(key: string): void;
  /** Names the kernel process that code goes to from now on: another name means that the variables of the one before are gone. */
  setKernelLife(life: string): void;
  setExecutionCount(key: string, count: number | null): void;
  /** Changes of one cell's outputs, in order. Ignored when the cell is gone. */
  applyOutputs(key: string, changes: readonly RawOutputChange[]): void;
  /** The kernel's own `language_info`, recorded when something was run (never by opening alone). */
  setLanguageInfo(info: Record<string, unknown>): void;
}
