/**
 * Answers made of a file: the whole of it or the range asked for, streamed, never held in memory. For artifacts, which may be gigabytes,
 * and for payloads that were spilled.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { byteRange } from './byte-range.ts';
import { APP_ORIGIN } from './permissions.ts';

/** Headers of everything that is not our own page: no guessing of types, readable by our page alone, and without rights if it is shown as one. */
export const STRANGER_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': APP_ORIGIN,
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'referrer-policy': 'no-referrer',
};

export async function fileResponse(file: string, type: string, request: { method: string; headers: Headers }): Promise<Response> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) return refusal(404);
  const range = byteRange(request.headers.get('range'), found.size);
  const headers: Record<string, string> = {
    ...STRANGER_HEADERS,
    'content-type': type,
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
  };
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${found.size}` } });
  const { start, end } = range === 'whole' ? { start: 0, end: found.size - 1 } : range;
  headers['content-length'] = String(end - start + 1);
  if (range !== 'whole') headers['content-range'] = `bytes ${start}-${end}/${found.size}`;
  const status = range === 'whole' ? 200 : 206;
  if (request.method === 'HEAD' || end < start) return new Response(null, { status, headers });
  return new Response(Readable.toWeb(createReadStream(file, { start, end })) as ReadableStream<Uint8Array>, { status, headers });
}

/** An answer without content; what is not there and what may not be seen look the same. */
export function refusal(status: 400 | 404 | 405 | 410): Response {
  return new Response(null, { status, headers: { 'x-content-type-options': 'nosniff' } });
}
