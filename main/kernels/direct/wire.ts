/**
 * Frames on the wire ↔ messages (Jupyter messaging protocol 5.x, "The wire protocol"). Pure. The signature is checked before anything is
 * parsed, and whatever is wrong with a frame is a WireError: the reader drops that frame and goes on.
 */
import { isAscii } from 'node:buffer';
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { keepExact } from '../exact-json.ts';
import type { Channel, JupyterMessage, OutgoingMessage } from '../messages.ts';
import { parsePythonJson } from './json.ts';

/** Between routing identities (or the iopub topic) and the message proper. */
const DELIMITER = Buffer.from('<IDS|MSG>');

/** Signature, header, parent header, metadata, content. */
const FIXED_FRAMES = 5;

/** Below this the question costs as much as the decoding. */
const ASCII_CHECK_BYTES = 4096;

/** The version this side speaks; a kernel must accept any 5.x. */
const PROTOCOL_VERSION = '5.3';

export type WireFault = 'no-delimiter' | 'too-few-frames' | 'bad-signature' | 'bad-json' | 'bad-header' | 'too-large';

export class WireError extends Error {
  override name = 'WireError';
  readonly fault: WireFault;
  constructor(fault: WireFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Signs and checks with the key of a connection file. An empty key means that the kernel does not sign. */
export interface Signer {
  sign(parts: readonly Uint8Array[]): string;
  verify(parts: readonly Uint8Array[], signature: Uint8Array): boolean;
}

/** Throws when the scheme names a hash that is not there: `hmac-sha256` is the protocol's, others are rare but legal. */
export function createSigner(key: string, scheme: string): Signer {
  if (key === '') return { sign: () => '', verify: () => true };
  if (!scheme.startsWith('hmac-')) throw new Error(`The kernel's signature scheme ${scheme} is not known. Use hmac-sha256.`);
  const hash = scheme.slice('hmac-'.length);
  // Made once: a text would be made a key for every message.
  const secret = createSecretKey(key, 'utf8');
  const sign = (parts: readonly Uint8Array[]): string => {
    const hmac = createHmac(hash, secret);
    for (const part of parts) hmac.update(part);
    return hmac.digest('hex');
  };
  sign([]);
  return {
    sign,
    verify: (parts, signature) => {
      const expected = Buffer.from(sign(parts));
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    },
  };
}

export interface Sender {
  signer: Signer;
  /** Session id of this client, in every header. */
  session: string;
}

/** The frames of one message. `messageId` must be unique. */
export function encodeMessage(message: OutgoingMessage, messageId: string, sender: Sender, date: Date): Uint8Array[] {
  const header = {
    msg_id: messageId,
    msg_type: message.type,
    username: 'cellwright',
    session: sender.session,
    date: date.toISOString(),
    version: PROTOCOL_VERSION,
  };
  const parts = [header, message.parentHeader ?? {}, message.metadata ?? {}, message.content].map((part) =>
    Buffer.from(wellFormedJson(part)),
  );
  return [DELIMITER, Buffer.from(sender.signer.sign(parts)), ...parts, ...(message.buffers ?? [])];
}

/**
 * JSON without lone surrogates: each becomes U+FFFD. ipykernel reads their escapes, can't write them again, and then answers nothing at all.
 * `JSON.stringify` leaves no other escape that begins with `\\ud`.
 */
function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\ud') ? text.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (found) => (found.length > 2 ? '\ufffd' : found)) : text;
}

/** The message in `frames`. Throws WireError. Buffers are views of the frames, not copies. */
export function decodeMessage(channel: Channel, frames: readonly Uint8Array[], signer: Signer): JupyterMessage {
  const start = frames.findIndex((frame) => DELIMITER.equals(frame));
  if (start === -1) throw new WireError('no-delimiter', 'A frame without the delimiter is no Jupyter message.');
  const [signature, ...rest] = frames.slice(start + 1);
  if (!signature || rest.length < FIXED_FRAMES - 1) throw new WireError('too-few-frames', `A message has ${FIXED_FRAMES} parts at least.`);
  const signed = rest.slice(0, FIXED_FRAMES - 1);
  if (!signer.verify(signed, signature)) throw new WireError('bad-signature', 'The signature does not match the message.');
  const texts = signed.map(readText);
  const [header, parent, metadata, content] = texts.map(parsePart);
  if (!isHeader(header)) throw new WireError('bad-header', 'The header has no msg_id or no msg_type.');
  keepExact(header.msg_type, content ?? {}, texts[FIXED_FRAMES - 2] ?? '');
  return {
    channel,
    header,
    parent_header: parent ?? {},
    metadata: metadata ?? {},
    content: content ?? {},
    buffers: rest.slice(FIXED_FRAMES - 1),
  };
}

function parsePart(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WireError('bad-json', 'A message part is not an object.');
  return value as Record<string, unknown>;
}

function readText(frame: Uint8Array): string {
  try {
    return textOf(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength));
  } catch (cause) {
    // Node's limit for one string, about half a gigabyte.
    throw new WireError('too-large', `A message part of ${frame.byteLength} bytes is too large to read.`, { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return parsePythonJson(text);
  } catch (cause) {
    throw new WireError('bad-json', 'A message part is not JSON.', { cause });
  }
}

/** ASCII, which most messages are, is read several times faster when nothing has to be decoded. */
function textOf(bytes: Buffer): string {
  return bytes.length > ASCII_CHECK_BYTES && isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}

function isHeader(value: Record<string, unknown> | undefined): value is Record<string, unknown> & JupyterMessage['header'] {
  return typeof value?.msg_id === 'string' && typeof value.msg_type === 'string';
}
