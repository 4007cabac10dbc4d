/** What `cellwright run` prints: a line that changes in a terminal, lines that stay in a log. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CellProgress } from '../../../main/cli/run-notebook.ts';
import { RunProgress } from '../../../main/cli/run-progress.ts';
import { Terminal } from '../../../main/execution/terminal.ts';

const CELL: CellProgress = { key: 'a', place: 1, total: 2, state: 'running', durationMs: null, error: null };
const ERROR = { ename: 'ValueError', evalue: 'no\nmore', traceback: ['\x1b[31mTraceback\x1b[0m', 'ValueError: no'] };

let progress: RunProgress | null = null;
afterEach(() => progress?.end());

function open(columns: number | null): { progress: RunProgress; written: () => string } {
  let text = '';
  progress = new RunProgress({
    columns,
    write: (part) => {
      text += part;
    },
  });
  return { progress, written: () => text };
}

describe('in a log', () => {
  it('is one line per cell, without control characters', () => {
    const { progress, written } = open(null);
    progress.cell(CELL);
    progress.cell({ ...CELL, state: 'done', durationMs: 1_234 });
    progress.cell({ ...CELL, place: 2 });
    progress.cell({ ...CELL, place: 2, state: 'failed', durationMs: 50, error: ERROR });
    progress.end();
    expect(written()).toBe('[1/2] done in 1.2 s\n[2/2] failed in 0.1 s: ValueError: no\nTraceback\nValueError: no\n');
  });

  it('says what was skipped, cancelled or over the limit', () => {
    const { progress, written } = open(null);
    for (const state of ['skipped', 'cancelled', 'timeout'] as const) progress.cell({ ...CELL, state });
    expect(written()).toBe('[1/2] skipped\n[1/2] cancelled\n[1/2] timed out\n');
  });
});

describe('in a terminal', () => {
  function shown(text: string): string {
    const terminal = new Terminal();
    return terminal.write(text) + terminal.screen();
  }

  it('is one line that is gone in the end; failures and words stay', () => {
    const { progress, written } = open(80);
    progress.cell(CELL);
    expect(shown(written())).toBe('[1/2] running 0.0 s');
    progress.say('A word.');
    expect(shown(written())).toBe('A word.\n[1/2] running 0.0 s');
    progress.cell({ ...CELL, state: 'done', durationMs: 10 });
    progress.cell({ ...CELL, place: 2, state: 'failed', durationMs: 50, error: ERROR });
    progress.end();
    expect(shown(written())).toBe('A word.\n[2/2] failed in 0.1 s: ValueError: no\n\x1b[31mTraceback\x1b[0m\nValueError: no\n');
  });

  it('never wraps', () => {
    const { progress, written } = open(10);
    progress.cell(CELL);
    expect(shown(written()).length).toBeLessThan(10);
  });
});
