/** The `python` calls of a session as a notebook: every cell that ran, in order, with the end of its text as output. */
import { randomUUID } from 'node:crypto';
import type { AgentCall, CardCell } from '../../preload/agent-sessions.ts';
import { toLines } from '../documents/source-lines.ts';

/** nbformat 4.5, in the usual form. */
export function sessionNotebook(calls: readonly AgentCall[]): string {
  const cells = calls
    .flatMap(({ tool, card }) => (tool === 'python' && card.kind === 'cells' ? card.cells : []))
    .filter(({ status }) => status !== 'pending');
  return `${JSON.stringify({ cells: cells.flatMap(notebookCells), metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

function notebookCells(cell: CardCell): object[] {
  const outputs = cell.text === '' ? [] : [{ name: 'stdout', output_type: 'stream', text: toLines(cell.text) }];
  const code = {
    cell_type: 'code',
    execution_count: cell.executionCount,
    id: newId(),
    metadata: {},
    outputs,
    source: toLines(cell.code),
  };
  if (cell.title === '') return [code];
  return [{ cell_type: 'markdown', id: newId(), metadata: {}, source: toLines(`**${cell.title}**`) }, code];
}

function newId(): string {
  return randomUUID().slice(0, 8);
}
