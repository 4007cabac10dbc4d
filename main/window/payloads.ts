/**
 * From a raw MIME payload, as the kernel sent it or the file has it, to what a window gets and to what an address serves. A payload is
 * JSON: text may come as a list of lines, images as base64, and what outgrew the limits as a note that names a file. Pure.
 */
import type { WindowPayload } from '../../preload/contract.ts';
import { frameKind, isPlot } from '../../preload/frame-types.ts';
import type { DataOutput, Output } from '../../preload/output-change.ts';
import { storedExactJson } from '../documents/stored-outputs.ts';
import type { RawPayload, SpilledPayload } from '../execution/run-protocol.ts';

/** Larger text and JSON travel as an address: one message to a window must stay far below 1 MB, or the page stutters. */
export const MAX_INLINE_BYTES = 256 * 1024;

/** Types that a window shows from an address whatever their size: images, and what runs only inside the sandboxed frame. */
export function isServed(mime: string): boolean {
  const type = baseType(mime);
  return (
    type.startsWith('image/') || type.startsWith('video/') || type.startsWith('audio/') || isFramed(type) || type === 'application/pdf'
  );
}

/** Shown as a page of their own inside the sandboxed frame. */
export function isFramed(mime: string): boolean {
  return frameKind(mime) !== null;
}

export function isJson(mime: string): boolean {
  const type = baseType(mime);
  return type === 'application/json' || type.endsWith('+json');
}

/** The type without its parameters, in lower case. */
export function baseType(mime: string): string {
  return (mime.split(';')[0] ?? '').trim().toLowerCase();
}

export function isSpilled(payload: RawPayload): payload is SpilledPayload {
  return typeof payload === 'object' && payload !== null && typeof (payload as Partial<SpilledPayload>).$artifact === 'string';
}

/** Converts one output; `address` gives the URL of one of its types. Streams and errors pass as they are. */
export function toWindowOutput(output: Output<RawPayload>, address: (mime: string) => string): Output<WindowPayload> {
  if (output.type === 'stream' || output.type === 'error') return output;
  const { exact: _kept, ...rest } = output;
  const data: Record<string, WindowPayload> = {};
  for (const [mime, payload] of Object.entries(output.data)) {
    const shown = toWindowPayload(mime, payload, () => address(mime));
    const exact = shown.kind === 'inline' ? exactJson(output, mime) : null;
    data[mime] = shown.kind === 'inline' && exact !== null ? { ...shown, exact } : shown;
  }
  return { ...rest, data };
}

/** The JSON of a payload with all digits that the kernel wrote or the file has; null when the decoded value has them too. */
export function exactJson(output: DataOutput<RawPayload>, mime: string): string | null {
  return isJson(mime) ? (output.exact?.[mime] ?? storedExactJson(output, mime)) : null;
}

export function toWindowPayload(mime: string, payload: RawPayload, address: () => string): WindowPayload {
  if (isSpilled(payload)) return { kind: 'url', url: address(), bytes: payload.bytes };
  if (isServed(mime)) return { kind: 'url', url: address(), bytes: servedBytes(mime, payload) };
  const value = isJson(mime) ? payload : joinLines(payload);
  const bytes = Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return bytes <= MAX_INLINE_BYTES ? { kind: 'inline', value } : { kind: 'url', url: address(), bytes };
}

/** Text that nbformat may keep as a list of lines. Other JSON is left alone. */
export function joinLines(payload: RawPayload): unknown {
  return Array.isArray(payload) && payload.every((line) => typeof line === 'string') ? payload.join('') : payload;
}

/** Whether the payload is base64 of bytes: every media type but SVG, which is text. */
export function isBase64(mime: string): boolean {
  const type = baseType(mime);
  return type !== 'image/svg+xml' && (/^(image|video|audio)\//.test(type) || type === 'application/pdf');
}

/** The bytes that an address serves for a payload that is not in a file. */
export function payloadBytes(mime: string, payload: RawPayload): Buffer {
  const value = isJson(mime) ? payload : joinLines(payload);
  if (typeof value !== 'string') return Buffer.from(JSON.stringify(value) ?? '');
  // Node's decoder passes over line feeds, which nbformat puts into base64.
  return isBase64(mime) ? Buffer.from(value, 'base64') : Buffer.from(isJson(mime) ? JSON.stringify(value) : value);
}

function servedBytes(mime: string, payload: RawPayload): number {
  const value = joinLines(payload);
  if (typeof value !== 'string') return isPlot(mime) ? Buffer.byteLength(JSON.stringify(value) ?? '') : 0;
  return isBase64(mime) ? Math.floor((value.length * 3) / 4) : Buffer.byteLength(value);
}
