/**
 * The `python` calls of a session as a notebook: every cell that ran, in order, with its text, images, JSON and error. Cards have only the end
 * of a long text, so the whole is read from where it was kept; what is gone by now is said in its place.
 */
import { randomUUID } from 'node:crypto';
import type { AgentCall, CardCell, CardImage } from '../../preload/agent-sessions.ts';
import { toLines } from '../documents/source-lines.ts';
import { type FolderOf, readKept } from './kept-artifact.ts';

/** Bytes of one text or image, and of all together: a notebook is read as a whole by whatever opens it. */
const PART_LIMIT = 5_000_000;
const WHOLE_LIMIT = 100_000_000;

/** Room that is left for texts and images. */
interface Room {
  bytes: number;
}

/** nbformat 4.5, in the usual form. */
export async function sessionNotebook(calls: readonly AgentCall[], folderOf: FolderOf): Promise<string> {
  const ran = calls
    .flatMap(({ tool, card }) => (tool === 'python' && card.kind === 'cells' ? card.cells : []))
    .filter(({ status }) => status !== 'pending');
  const room: Room = { bytes: WHOLE_LIMIT };
  const cells: object[] = [];
  for (const cell of ran) cells.push(...titleCells(cell), await codeCell(cell, folderOf, room));
  const metadata = { language_info: { name: 'python' } };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

function titleCells({ title }: CardCell): object[] {
  const words = title.replace(/\s+/g, ' ').trim();
  if (words === '') return [];
  // A title is text: what would be markup in it is shown as it is.
  const source = `**${words.replace(/[\\`*_{}[\]<>()#+!|~$&]/g, '\\$&')}**`;
  return [{ cell_type: 'markdown', id: randomUUID(), metadata: {}, source: [source] }];
}

async function codeCell(cell: CardCell, folderOf: FolderOf, room: Room): Promise<object> {
  const { printed, error } = splitError(await wholeText(cell, folderOf, room), cell.status === 'error');
  const images = await Promise.all(cell.images.map((image) => imageOutput(image, folderOf, room)));
  const outputs = [
    ...(printed === '' ? [] : [streamOutput(printed)]),
    ...images,
    ...cell.json.map((value) => displayOutput({ 'application/json': value })),
    ...(error ? [error] : []),
  ];
  return {
    cell_type: 'code',
    execution_count: cell.executionCount,
    id: randomUUID(),
    metadata: {},
    outputs,
    source: toLines(cell.code),
  };
}

async function wholeText({ text, truncation }: CardCell, folderOf: FolderOf, room: Room): Promise<string> {
  const url = truncation?.artifactUrl ?? null;
  const whole = url === null ? null : await take(url, folderOf, room);
  if (whole) return whole.toString('utf8');
  return truncation ? `[Only the end of ${truncation.totalLines} lines is kept.]\n${text}` : text;
}

async function imageOutput({ url, mime }: CardImage, folderOf: FolderOf, room: Room): Promise<object> {
  const bytes = await take(url, folderOf, room);
  if (!bytes) return streamOutput(`[An image (${mime}) is not kept.]\n`);
  return displayOutput({ [mime]: mime === 'image/svg+xml' ? toLines(bytes.toString('utf8')) : bytes.toString('base64') });
}

async function take(url: string, folderOf: FolderOf, room: Room): Promise<Buffer | null> {
  const bytes = await readKept(url, folderOf, Math.min(PART_LIMIT, room.bytes));
  room.bytes -= bytes?.length ?? 0;
  return bytes;
}

function streamOutput(text: string): object {
  return { name: 'stdout', output_type: 'stream', text: toLines(text) };
}

function displayOutput(data: Record<string, unknown>): object {
  return { data, metadata: {}, output_type: 'display_data' };
}

/** The last line of a traceback. */
const RAISED = /^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Iteration|Warning|Group))(?:: ?(.*))?$/;
/** Where IPython begins one: with a rule above its head, or for a syntax error with the place. */
const RULE = '-'.repeat(75);
const PLACE = /^\s+(?:Cell In\[|File )/;

/** A failed cell's text ends with its traceback, which a notebook has as an output of its own. */
export function splitError(text: string, failed: boolean): { printed: string; error: object | null } {
  if (!failed) return { printed: text, error: null };
  const lines = text.replace(/\n+$/, '').split('\n');
  const last = lines.findLastIndex((line) => RAISED.test(line));
  const [, ename, evalue = ''] = RAISED.exec(lines[last] ?? '') ?? [];
  if (ename === undefined) return { printed: text, error: null };
  const ruled = lines.findIndex((line, index) => line === RULE && lines[index + 1]?.includes('Traceback (most recent call last)'));
  const begun = ruled >= 0 ? ruled : lines.slice(0, last).findLastIndex((line) => PLACE.test(line));
  const first = begun < 0 || begun > last ? last : begun;
  const before = lines.slice(0, first);
  const after = lines.slice(last + 1);
  const printed = [...before, ...after].map((line) => `${line}\n`).join('');
  return { printed, error: { ename, evalue, output_type: 'error', traceback: lines.slice(first, last + 1) } };
}
