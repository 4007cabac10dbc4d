/**
 * What the `python` tool answers (SPEC section 3): one text for reading and the same as structure. Pure. The hard part is to say after a failure
 * exactly what is still true: which cell failed, which state is left, and what has to be sent again.
 */
import { truncationNotice } from '../output-sink.ts';
import type { RunDone } from '../run-protocol.ts';
import type { KernelMode } from './agent-session.ts';
import { agentText, type StatusEvent } from './display-content.ts';
import type { AgentImage, CellOutput } from './output-protocol.ts';

/** UTF-16 units of a failure that the code did not show. */
const FAILURE_LIMIT = 2_000;

export type CellStatus = 'pending' | 'running' | 'complete' | 'error';

export interface PythonCell {
  /** From 0. */
  index: number;
  title: string | null;
  code: string;
  /** The end of its text when it was too long for the whole. */
  output: string;
  status: CellStatus;
  /** By the kernel's clock; null until it has run. */
  durationMs: number | null;
  executionCount: number | null;
  /** 0 when complete, 1 after an exception, what `sys.exit` was given; null when nothing of this kind ended it. */
  exitCode: number | null;
  statusEvents: StatusEvent[];
}

/** A cell of a call whose turn has not come. */
export function pendingCell(index: number, code: string, title: string | null): PythonCell {
  return { index, title, code, output: '', status: 'pending', durationMs: null, executionCount: null, exitCode: null, statusEvents: [] };
}

export interface Sizes {
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
}

export interface Truncation extends Sizes {
  /** The cells whose text is not shown whole. */
  cells: (Sizes & { index: number; artifactId: string | null })[];
}

/** An image without its bytes. */
export type ImageNote = Pick<AgentImage, 'mime' | 'bytes' | 'artifactId'> & { cell: number };

export interface PythonStructure {
  cells: PythonCell[];
  jsonOutputs: unknown[];
  images: ImageNote[];
  statusEvents: StatusEvent[];
  /** Null when all text is shown. */
  truncation: Truncation | null;
  /** Holds the whole text of the last cell that is not shown whole. */
  artifactId: string | null;
  stdinRequested: boolean;
  cancelled: boolean;
}

export interface PythonResult {
  text: string;
  isError: boolean;
  /** With their bytes, for whoever shows them. */
  images: (AgentImage & { cell: number })[];
  /** JSON values of each cell. */
  json: readonly unknown[][];
  structuredContent: PythonStructure;
}

/** A call when it is over. `outputs` and `lines` go with `cells`. */
export interface CallRecord {
  mode: KernelMode;
  /** Their `output` and `statusEvents` are not filled in yet. */
  cells: readonly PythonCell[];
  outputs: readonly CellOutput[];
  /** What is said after each cell's own output. */
  lines: readonly (readonly string[])[];
  /** What this program tells about each cell itself. */
  events: readonly (readonly StatusEvent[])[];
  /** What ended the call outside of its cells; empty when nothing did. */
  callLines: readonly string[];
  /** Variables of cells that completed are gone. */
  stateLost: boolean;
  cancelled: boolean;
}

export function pythonResult(call: CallRecord): PythonResult {
  const cells = call.cells.map((cell, index) => ({
    ...cell,
    output: withLines(call.outputs[index]!.text.output, call.lines[index]!),
    statusEvents: [...call.events[index]!, ...call.outputs[index]!.statusEvents],
  }));
  const images = call.outputs.flatMap((output, cell) => output.images.map((image) => ({ ...image, cell })));
  const truncation = truncationOf(call.outputs);
  return {
    text: textOf(call, cells),
    isError: call.callLines.length > 0 || cells.some(({ status }) => status === 'error'),
    images,
    json: call.outputs.map(({ json }) => json),
    structuredContent: {
      cells,
      jsonOutputs: call.outputs.flatMap(({ json }) => json),
      images: images.map(({ mime, bytes, artifactId, cell }) => ({ mime, bytes, artifactId, cell })),
      statusEvents: cells.flatMap(({ statusEvents }) => statusEvents),
      truncation,
      artifactId: truncation?.cells.findLast(({ artifactId }) => artifactId !== null)?.artifactId ?? null,
      stdinRequested: call.outputs.some(({ stdinRequested }) => stdinRequested),
      cancelled: call.cancelled,
    },
  };
}

/** A text with lines of this program after it. */
export function withLines(text: string, lines: readonly string[]): string {
  if (lines.length === 0) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines.join('\n')}`;
}

/** The failure in one line when the cell's text doesn't have it: code can replace the function that shows tracebacks. */
export function unshown(failure: RunDone['error'], text: string): string[] {
  if (!failure || failure.ename === '' || text.includes(failure.ename)) return [];
  return [agentText(`${failure.ename}: ${failure.evalue}`).slice(0, FAILURE_LIMIT)];
}

function textOf(call: CallRecord, cells: readonly PythonCell[]): string {
  const { length } = cells;
  const blocks = cells.flatMap((cell, index) => {
    if (cell.status === 'pending') return [];
    const body = bodyOf(call.outputs[index]!, call.lines[index]!);
    return length === 1 ? body : `[${index + 1}/${length}]${cell.title === null ? '' : ` ${cell.title}`}\n${body}`;
  });
  return [...blocks, ...(call.callLines.length > 0 ? [call.callLines.join('\n')] : []), ...failureSentences(call, cells)].join('\n\n');
}

function bodyOf(output: CellOutput, lines: readonly string[]): string {
  const notice = truncationNotice(output.text);
  const text = output.text.output.replace(/\n+$/, '');
  const said = [...(notice === null ? [] : [notice]), ...lines];
  if (text.trim() !== '' || said.length > 0) return withLines(text.trim() === '' ? '' : text, said);
  return output.hasData ? '(no text output)' : '(no output)';
}

/** For a call of several cells that did not all complete. */
function failureSentences({ mode, stateLost }: CallRecord, cells: readonly PythonCell[]): string[] {
  const { length } = cells;
  const complete = cells.filter(({ status }) => status === 'complete').length;
  if (length === 1 || complete === length) return [];
  const failed = cells.findIndex(({ status }) => status === 'error');
  const from = failed >= 0 ? failed : complete;
  const title = cells[from]!.title;
  const sentences = [
    failed >= 0
      ? `Cell ${failed + 1} of ${length} failed${title === null ? '' : ` (${title})`}.`
      : `The call ended before cell ${from + 1} of ${length}.`,
  ];
  const left = from + 1 + (failed >= 0 ? 1 : 0);
  if (left <= length) sentences.push(`${named(left, length)} ${left === length ? 'was' : 'were'} not run.`);
  if (complete > 0 && mode === 'per-call') sentences.push('The kernel was for this call alone, so send all cells again.');
  else if (complete > 0 && stateLost) sentences.push('The state of the earlier cells is gone with the kernel, so send all cells again.');
  else {
    if (complete > 0) sentences.push(`The state of ${named(1, complete).toLowerCase()} is kept.`);
    sentences.push(`Send only ${named(from + 1, length).toLowerCase()} again${failed >= 0 ? `, with cell ${failed + 1} put right` : ''}.`);
  }
  return [sentences.join(' ')];
}

function named(first: number, last: number): string {
  return first === last ? `Cell ${first}` : `Cells ${first}-${last}`;
}

/** What of the cells' texts is not shown; null when all of it is. */
export function truncationOf(outputs: readonly Pick<CellOutput, 'text'>[]): Truncation | null {
  const cells = outputs.flatMap(({ text }, index) => (text.truncated ? [{ index, ...sizesOf(text), artifactId: text.artifactId }] : []));
  if (cells.length === 0) return null;
  const all = outputs.map(({ text }) => sizesOf(text));
  const sum = (size: keyof Sizes): number => all.reduce((total, sizes) => total + sizes[size], 0);
  return {
    totalLines: sum('totalLines'),
    totalBytes: sum('totalBytes'),
    outputLines: sum('outputLines'),
    outputBytes: sum('outputBytes'),
    cells,
  };
}

function sizesOf({ totalLines, totalBytes, outputLines, outputBytes }: Sizes): Sizes {
  return { totalLines, totalBytes, outputLines, outputBytes };
}
