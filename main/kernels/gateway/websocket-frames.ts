/**
 * Frames of a Jupyter server's kernel websocket → messages. Pure. Three forms: the subprotocol `v1.kernel.websocket.jupyter.org`, where the
 * kernel's bytes pass unchanged, and the two older ones without it. Python's bare NaN is in all of them, so the library's own
 * reader won't do; what it writes is fine once buffers are copies of their own.
 */
import type { KernelMessage } from '@jupyterlab/services';
import { parsePythonJson } from '../direct/json.ts';
import { WireError } from '../direct/wire.ts';
import { keepExact } from '../exact-json.ts';
import type { Channel, JupyterMessage, OutgoingMessage } from '../messages.ts';

export const PROTOCOL_V1 = 'v1.kernel.websocket.jupyter.org';

/** Channel, header, parent header, metadata, content. */
const FIXED_PARTS = 5;

const CHANNELS: ReadonlySet<string> = new Set<Channel>(['shell', 'control', 'iopub', 'stdin']);

/** The message in a frame, for the subprotocol that was agreed on (empty for none). Throws WireError. */
export function decodeFrame(data: string | ArrayBuffer, protocol: string): JupyterMessage {
  if (protocol === PROTOCOL_V1) return decodeV1(data);
  if (typeof data === 'string') return messageOf(parse(data), []);
  return decodeOldBinary(data);
}

/** The message as the library sends it. It writes the whole memory behind a view, so each buffer becomes exactly its own. */
export function encodable(message: OutgoingMessage, messageId: string, session: string): KernelMessage.IMessage {
  const { channel, type, content, metadata = {}, parentHeader = {}, buffers = [] } = message;
  const header = { msg_id: messageId, msg_type: type, username: 'cellwright', session, date: new Date().toISOString(), version: '5.3' };
  return { channel, header, parent_header: parentHeader, metadata, content, buffers: buffers.map(exactly) } as KernelMessage.IMessage;
}

function exactly(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** Number of offsets, then the offsets (all 64 bit, little endian), then the parts one after the other. */
function decodeV1(data: string | ArrayBuffer): JupyterMessage {
  if (typeof data === 'string') throw new WireError('too-few-frames', 'A frame of this subprotocol is binary.');
  const view = new DataView(data);
  const count = offsetAt(view, 0);
  if (count < FIXED_PARTS + 1 || (count + 1) * 8 > data.byteLength) throw tooShort();
  const offsets = Array.from({ length: count }, (_, index) => offsetAt(view, (index + 1) * 8));
  const [channel, header, parent, metadata, content, ...buffers] = partsOf(data, offsets);
  if (!channel || !header || !parent || !metadata || !content) throw tooShort();
  const json = text(content);
  const [parsedHeader, parsedParent, parsedMetadata] = [header, parent, metadata].map((part) => parse(text(part)));
  const message = messageOf(
    { channel: text(channel), header: parsedHeader, parent_header: parsedParent, metadata: parsedMetadata, content: parse(json) },
    buffers,
  );
  keepExact(message.header.msg_type, message.content, json);
  return message;
}

/** Number of parts, then their offsets (32 bit, big endian); the first part is the message as JSON, the others are its buffers. */
function decodeOldBinary(data: ArrayBuffer): JupyterMessage {
  const view = new DataView(data);
  const count = data.byteLength < 4 ? 0 : view.getUint32(0);
  if (count < 1 || (count + 1) * 4 > data.byteLength) throw tooShort();
  const offsets = Array.from({ length: count }, (_, index) => view.getUint32((index + 1) * 4));
  const [json, ...buffers] = partsOf(data, [...offsets, data.byteLength]);
  return messageOf(parse(text(json ?? new Uint8Array())), buffers);
}

function offsetAt(view: DataView, at: number): number {
  if (at + 8 > view.byteLength) throw tooShort();
  return Number(view.getBigUint64(at, true));
}

/** Views between neighbouring offsets, not copies. */
function partsOf(data: ArrayBuffer, offsets: readonly number[]): Uint8Array[] {
  return offsets.slice(0, -1).map((start, index) => {
    const end = offsets[index + 1] ?? 0;
    if (start > end || end > data.byteLength) throw tooShort();
    return new Uint8Array(data, start, end - start);
  });
}

function messageOf(value: unknown, buffers: Uint8Array[]): JupyterMessage {
  const { channel, header, parent_header, metadata, content } = record(value) ?? {};
  if (typeof channel !== 'string' || !CHANNELS.has(channel)) throw new WireError('bad-header', 'The message names no channel.');
  const head = record(header);
  if (typeof head?.msg_id !== 'string' || typeof head.msg_type !== 'string')
    throw new WireError('bad-header', 'The header has no msg_id or no msg_type.');
  return {
    channel: channel as Channel,
    header: head as unknown as JupyterMessage['header'],
    parent_header: record(parent_header) ?? {},
    metadata: record(metadata) ?? {},
    content: record(content) ?? {},
    buffers,
  };
}

function text(bytes: Uint8Array): string {
  try {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  } catch (cause) {
    // Node's limit for one string, about half a gigabyte.
    throw new WireError('too-large', `A message part of ${bytes.byteLength} bytes is too large to read.`, { cause });
  }
}

function parse(json: string): unknown {
  try {
    return parsePythonJson(json);
  } catch (cause) {
    throw new WireError('bad-json', 'A message part is not JSON.', { cause });
  }
}

function record(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

function tooShort(): WireError {
  return new WireError('too-few-frames', 'The frame is cut off.');
}
