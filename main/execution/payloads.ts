/**
 * MIME payloads too large to travel: their bytes go to an artifact and a note travels in their place. The hard rule is that the payload can
 * be made again exactly as it was, character for character, so a form is only chosen after the way back was tried.
 */
import { exactText } from '../kernels/exact-json.ts';
import type { RawPayload, SpilledPayload } from './run-protocol.ts';

/** Larger payloads are spilled. Below it a message with one of them still travels well. */
export const PAYLOAD_LIMIT = 512 * 1024;

/** Bytes of a payload as they lie in the artifact, and how the payload is made of them again. */
export interface EncodedPayload {
  bytes: Buffer;
  encoding: SpilledPayload['encoding'];
}

/**
 * The payload's bytes when it is larger than the limit, else null. JSON that looks like a note of ours goes to an artifact whatever its size: a note
 * names a file, and only we may say which.
 */
export function encodeLarge(mime: string, payload: RawPayload): EncodedPayload | null {
  if (typeof payload !== 'string') {
    if (typeof payload !== 'object' || payload === null) return null;
    const json = exactText(payload) ?? JSON.stringify(payload);
    return json.length > PAYLOAD_LIMIT || looksSpilled(payload) ? { bytes: Buffer.from(json), encoding: 'json' } : null;
  }
  if (payload.length <= PAYLOAD_LIMIT) return null;
  if (holdsBytes(mime)) {
    const bytes = Buffer.from(payload, 'base64');
    const again = bytes.toString('base64');
    if (again === payload) return { bytes, encoding: 'base64' };
    if (payload.length === again.length + 1 && payload.endsWith('\n') && payload.startsWith(again)) return { bytes, encoding: 'base64-lf' };
  }
  const bytes = Buffer.from(payload);
  if (bytes.toString() === payload) return { bytes, encoding: 'utf8' };
  // Lone surrogates, which JSON can escape and UTF-8 can't hold.
  return { bytes: Buffer.from(JSON.stringify(payload)), encoding: 'json' };
}

/** A payload that is not in an artifact, as it may travel: JSON that looks like a note of ours becomes text. */
export function harmless(payload: RawPayload): RawPayload {
  return typeof payload === 'object' && payload !== null && looksSpilled(payload) ? JSON.stringify(payload) : payload;
}

function looksSpilled(payload: object): boolean {
  return Object.hasOwn(payload, '$artifact');
}

/** Whether a payload of this type is base64 of bytes: every image, sound and film but SVG, which is text. */
function holdsBytes(mime: string): boolean {
  const type = mime.toLowerCase();
  return !type.startsWith('image/svg') && (/^(?:image|video|audio)\//.test(type) || type === 'application/pdf');
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/javascript': 'js',
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
};

/** File extension for a type; `data` where the type doesn't say. */
export function extensionFor(mime: string): string {
  return EXTENSIONS[mime] ?? /^(?:image|video|audio)\/([a-z0-9]{2,5})$/.exec(mime)?.[1] ?? 'data';
}
