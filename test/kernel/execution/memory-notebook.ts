/** A notebook that lives in memory: the cells as the tests give them, and their outputs as the changes make them. */
import type { RawOutputChange, RawPayload } from '../../../main/execution/run-protocol.ts';
import type { RunTarget } from '../../../main/execution/run-target.ts';
import { applyOutputChange, type Output } from '../../../preload/output-change.ts';

interface Cell {
  source: string;
  type: 'code' | 'markdown' | 'raw';
  metadata: Record<string, unknown>;
  outputs: Output<RawPayload>[];
  count: number | null;
  /** How often a run of it was begun. */
  begun: number;
}

export class MemoryNotebook implements RunTarget {
  readonly cells = new Map<string, Cell>();
  #made = 0;
  languageInfo: Record<string, unknown> | null = null;
  /** Every change that came, for tests that count. */
  changes = 0;
  largest = 0;

  /** Adds a code cell and gives its key. */
  code(source: string, metadata: Record<string, unknown> = {}, type: Cell['type'] = 'code'): string {
    const key = `cell-${this.#made++}`;
    this.cells.set(key, { source, type, metadata, outputs: [], count: null, begun: 0 });
    return key;
  }

  cell(key: string): Cell | null {
    return this.cells.get(key) ?? null;
  }

  beginRun(key: string): void {
    const cell = this.cells.get(key);
    if (!cell) return;
    cell.outputs = [];
    cell.count = null;
    cell.begun += 1;
  }

  endRun(): void {}

  setKernelLife(): void {}

  setExecutionCount(key: string, count: number | null): void {
    const cell = this.cells.get(key);
    if (cell) cell.count = count;
  }

  applyOutputs(key: string, changes: readonly RawOutputChange[]): void {
    this.changes += changes.length;
    for (const change of changes) if (change.op === 'text') this.largest = Math.max(this.largest, change.insert.length);
    const cell = this.cells.get(key);
    if (cell) cell.outputs = changes.reduce<Output<RawPayload>[]>(applyOutputChange, cell.outputs);
  }

  setLanguageInfo(info: Record<string, unknown>): void {
    this.languageInfo = info;
  }

  /** The text of a cell's streams, other outputs as their type. */
  text(key: string): string {
    return this.cell(key)!
      .outputs.map((output) => {
        if (output.type === 'stream') return output.text;
        if (output.type === 'error') return `<${output.ename}: ${output.evalue}>`;
        return `<${String(output.data['text/plain'])}>`;
      })
      .join('');
  }
}
