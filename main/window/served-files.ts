/**
 * Answers made of a file or of bytes: the whole or the range that was asked for. A file is streamed and never held in memory, because
 * artifacts may be gigabytes.
 */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type ByteRange, byteRange } from './byte-range.ts';
import { APP_ORIGIN } from './permissions.ts';

/**
 * Headers of everything that is not our own page: no guessing of types, readable by our page alone, and without rights if it is shown as
 * one.
 */
export const STRANGER_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': APP_ORIGIN,
  // The log viewer learns the size of the whole from it.
  'access-control-expose-headers': 'content-range, content-length',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox",
  'referrer-policy': 'no-referrer',
};

interface Asked {
  method: string;
  headers: Headers;
}

export async function fileResponse(file: string, type: string, request: Asked): Promise<Response> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) return refusal(404);
  return partResponse(found.size, type, request, ({ start, end }) => {
    return Readable.toWeb(createReadStream(file, { start, end })) as ReadableStream<Uint8Array>;
  });
}

export function bytesResponse(bytes: Buffer, type: string, request: Asked): Response {
  return partResponse(bytes.length, type, request, ({ start, end }) => new Uint8Array(bytes.subarray(start, end + 1)));
}

function partResponse(size: number, type: string, request: Asked, content: (range: ByteRange) => BodyInit): Response {
  const range = byteRange(request.headers.get('range'), size);
  const headers: Record<string, string> = {
    ...STRANGER_HEADERS,
    'content-type': type,
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
  };
  if (range === 'unsatisfiable') return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  const part = range === 'whole' ? { start: 0, end: size - 1 } : range;
  headers['content-length'] = String(part.end - part.start + 1);
  if (range !== 'whole') headers['content-range'] = `bytes ${part.start}-${part.end}/${size}`;
  const status = range === 'whole' ? 200 : 206;
  const isEmpty = request.method === 'HEAD' || size === 0;
  return new Response(isEmpty ? null : content(part), { status, headers });
}

/** Where a file really lies, or null unless that is below `folder`, whose own links must be followed already. */
export async function realFileIn(file: string, folder: string): Promise<string | null> {
  const real = await realpath(file).catch(() => null);
  return real !== null && isBelow(real, folder) ? real : null;
}

/** By their names alone; both absolute and without `..`. */
export function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** An answer without content; what is not there and what may not be seen look the same. */
export function refusal(status: 400 | 404 | 405 | 410): Response {
  return new Response(null, { status, headers: { 'x-content-type-options': 'nosniff' } });
}
