/**
 * Contents of messages about output, read without trust: a kernel may leave out fields or send other types, and the reader must neither throw
 * nor pass on what later breaks. The messaging protocol (5.3) says what each field means.
 */
import { type DataOutput, type ErrorOutput, type StreamName, streamName } from '../../preload/output-change.ts';
import { exactText } from '../kernels/exact-json.ts';
import type { JupyterMessage } from '../kernels/messages.ts';
import { cleanText } from './clean-text.ts';
import type { RawPayload } from './run-protocol.ts';

/** An error's message and traceback are kept up to these many UTF-16 units; an exception may carry a whole data set. */
const VALUE_LIMIT = 32 * 1024;
const TRACEBACK_LIMIT = 256 * 1024;

export function streamContent(content: Record<string, unknown>): { name: StreamName; text: string } {
  return { name: streamName(content.name), text: typeof content.text === 'string' ? content.text : '' };
}

/** Content of display_data, execute_result and update_display_data. */
export function dataContent(type: 'display_data' | 'execute_result', content: Record<string, unknown>): DataOutput<RawPayload> {
  const data = record(content.data);
  const exact = exactTexts(data);
  const displayId = displayIdOf(content);
  return {
    type,
    data,
    metadata: record(content.metadata),
    executionCount: type === 'execute_result' ? countOf(content) : null,
    ...(displayId === null ? {} : { displayId }),
    ...(exact === null ? {} : { exact }),
  };
}

function exactTexts(data: Record<string, RawPayload>): Record<string, string> | null {
  const found = Object.entries(data).flatMap(([mime, payload]): [string, string][] => {
    const text = exactText(payload);
    return text === undefined ? [] : [[mime, text]];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

export function displayIdOf(content: Record<string, unknown>): string | null {
  const id = record(content.transient).display_id;
  return typeof id === 'string' && id !== '' ? id : null;
}

export function errorContent(content: Record<string, unknown>): ErrorOutput {
  const traceback = Array.isArray(content.traceback) ? content.traceback : [];
  return {
    type: 'error',
    ename: shortened(text(content.ename), VALUE_LIMIT),
    evalue: shortened(text(content.evalue), VALUE_LIMIT),
    traceback: boundedLines(traceback.map(text)),
  };
}

export function countOf(content: Record<string, unknown>): number | null {
  return typeof content.execution_count === 'number' ? content.execution_count : null;
}

/** The payloads of an execute_reply, which IPython still uses for `?` and `exit`. */
export function replyPayloads(message: JupyterMessage): Record<string, unknown>[] {
  return Array.isArray(message.content.payload) ? message.content.payload.map(record) : [];
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}

/** Beginning and end of a text that is too long, with a word about the rest. */
function shortened(value: string, limit: number): string {
  if (value.length <= limit) return cleanText(value);
  const half = Math.floor(limit / 2);
  const left = (value.length - 2 * half).toLocaleString('en');
  return cleanText(`${value.slice(0, half)}\n… ${left} characters left out …\n${value.slice(value.length - half)}`);
}

function boundedLines(lines: readonly string[]): string[] {
  let room = TRACEBACK_LIMIT;
  const kept: string[] = [];
  // From the end: the last frames and the message say most.
  for (let index = lines.length - 1; index >= 0 && room > 0; index -= 1) {
    const line = shortened(lines[index]!, Math.min(room, TRACEBACK_LIMIT / 2));
    kept.push(line);
    room -= line.length;
  }
  if (kept.length < lines.length) kept.push(`… ${lines.length - kept.length} frames left out …`);
  return kept.reverse();
}
