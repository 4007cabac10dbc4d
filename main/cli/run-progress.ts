/**
 * What `cellwright run` says while it works, on stderr: in a terminal one line that changes, elsewhere one line per cell, so that a log shows where
 * time went.
 */
import { withoutStyles } from '../execution/sgr.ts';
import type { CellProgress } from './run-notebook.ts';

/** How often the terminal's line is drawn again while a cell runs. */
const TICK_MS = 500;

export interface ProgressOutput {
  write(text: string): void;
  /** Columns of the terminal, or null where the output is none. */
  columns: number | null;
}

export class RunProgress {
  readonly #output: ProgressOutput;
  #running: { text: string; since: number } | null = null;
  #ticking: NodeJS.Timeout | null = null;

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  cell(progress: CellProgress): void {
    const place = `[${progress.place}/${progress.total}]`;
    if (progress.state === 'running') {
      this.#running = { text: `${place} running`, since: performance.now() };
      this.#draw();
      if (this.#output.columns !== null) this.#ticking ??= setInterval(() => this.#draw(), TICK_MS);
      return;
    }
    this.#running = null;
    const { error } = progress;
    if (this.#output.columns === null || error) this.say(`${place} ${words(progress)}`);
    if (error) for (const line of error.traceback) this.say(this.#output.columns === null ? withoutStyles(line) : line);
  }

  /** A line that stays. */
  say(text: string): void {
    this.#clear();
    this.#output.write(`${text}\n`);
    this.#draw();
  }

  end(): void {
    if (this.#ticking) clearInterval(this.#ticking);
    this.#ticking = null;
    this.#running = null;
    this.#clear();
  }

  #draw(): void {
    const { columns } = this.#output;
    if (!this.#running || columns === null) return;
    const line = `${this.#running.text} ${seconds(performance.now() - this.#running.since)}`;
    this.#output.write(`\r\x1b[2K${line.slice(0, columns - 1)}`);
  }

  #clear(): void {
    if (this.#output.columns !== null) this.#output.write('\r\x1b[2K');
  }
}

function words({ state, durationMs, error }: CellProgress): string {
  const time = durationMs === null ? '' : ` in ${seconds(durationMs)}`;
  const what = error ? `: ${error.ename}: ${error.evalue.split('\n')[0]}` : '';
  switch (state) {
    case 'done':
      return `done${time}`;
    case 'failed':
      return `failed${time}${what}`;
    case 'timeout':
      return `timed out${time}${what}`;
    case 'cancelled':
      return 'cancelled';
    case 'skipped':
      return 'skipped';
    case 'running':
      return 'running';
  }
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
