/** A cell in words, for a screen reader. Pure. */
import type { CellRun, StaleReason } from '../../preload/contract.ts';
import type { CellType } from '../../preload/notebook-model.ts';
import { spokenTime } from './time.ts';

const TYPES: Record<CellType, string> = { code: 'Code', markdown: 'Markdown', raw: 'Raw' };

const STALE: Record<StaleReason, string> = {
  edited: 'edited since',
  'kernel-restarted': 'kernel restarted since',
  'out-of-order': 'run before a cell above',
  'not-run': 'not run in this session',
};

/** `Code cell 3 of 31, run 12, done in 1 second`. */
export function cellLabel(type: CellType, index: number, count: number, run: CellRun): string {
  const parts = [`${TYPES[type]} cell ${index + 1} of ${count}`];
  if (type === 'code' && run.executionCount !== null) parts.push(`run ${run.executionCount}`);
  if (type === 'code') parts.push(...stateWords(run));
  return parts.join(', ');
}

function stateWords(run: CellRun): string[] {
  const time = run.durationMs === null ? '' : ` in ${spokenTime(run.durationMs)}`;
  const words: Record<CellRun['state'], string> = {
    idle: '',
    queued: 'waiting to run',
    running: run.input ? 'waiting for input' : 'running',
    done: `done${time}`,
    failed: `failed${run.durationMs === null ? '' : ` after ${spokenTime(run.durationMs)}`}`,
    cancelled: 'not run',
  };
  return [words[run.state], run.stale ? STALE[run.stale] : ''].filter(Boolean);
}

/** What stands in the brackets of the gutter: `[3]`, `[*]`, `[ ]`. */
export function countMark(run: CellRun): string {
  if (run.state === 'queued' || run.state === 'running') return '[*]';
  return `[${run.executionCount ?? ' '}]`;
}
