/**
 * Answers under `output://`: one MIME payload of one output. With a theme in the query HTML, SVG, scripts and plots come as a page for the
 * sandboxed frame; without one everything comes as its bare bytes, which nothing shows as a page. An address whose output was replaced
 * gives 410.
 */
import { randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import type { RawPayload, SpilledPayload } from '../execution/run-protocol.ts';
import { framePage, widgetPage } from './frame-page.ts';
import type { OpenNotebook } from './open-notebook.ts';
import { readOutputAddress } from './output-address.ts';
import { baseType, exactJson, isFramed, isJson, isSpilled, joinLines, payloadBytes } from './payloads.ts';
import { fileResponse, realFileIn, refusal, STRANGER_HEADERS } from './served-files.ts';

/** Types that are served under their own name. Any other is plain text or plain bytes, so that a cell can't invent a page. */
const OWN_TYPE = /^(image\/(png|jpeg|gif|webp|bmp|avif|svg\+xml)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/(pdf|json)|text\/plain)$/;

/** `find` takes a document's id in lower case, as hosts of URLs are. */
export async function serveOutput(
  request: { url: string; method: string; headers: Headers },
  find: (docId: string) => OpenNotebook | undefined,
): Promise<Response> {
  const address = readOutputAddress(request.url);
  if (!address) return refusal(400);
  const { cellKey, index, revision, mime } = address;
  const notebook = find(address.docId);
  if (!notebook) return refusal(404);
  if (!notebook.feed.isCurrent(cellKey, index, revision)) return refusal(410);
  const output = notebook.document.outputs(cellKey)[index];
  if (!output || output.type === 'stream' || output.type === 'error' || !Object.hasOwn(output.data, mime)) return refusal(404);
  const payload = output.data[mime];
  // A file from elsewhere may hold what looks like a note of ours: only files of this notebook's own artifacts are ever read.
  if (isSpilled(payload) && !(await liesIn(payload.file, notebook.artifactFolder))) return refusal(404);
  const theme = new URL(request.url).searchParams.get('theme');
  if (theme === null || !isFramed(mime)) return bare(mime, payload, exactJson(output, mime), request);
  const { html, headers } = framePage({
    mime,
    content: await payloadText(payload),
    trusted: notebook.document.trusted,
    dark: theme === 'dark',
    nonce: randomBytes(16).toString('base64url'),
  });
  return new Response(html, { headers });
}

/** The page of a widget; there is none for a notebook that is not trusted. */
export function serveWidgetPage(url: string, modelId: string, document: Pick<OpenNotebook['document'], 'trusted'> | undefined): Response {
  if (!document?.trusted) return refusal(404);
  const { html, headers } = widgetPage({ modelId, dark: new URL(url).searchParams.get('theme') === 'dark' });
  return new Response(html, { headers });
}

/** `exact` is the payload's JSON where the value has lost digits. */
async function bare(
  mime: string,
  payload: RawPayload,
  exact: string | null,
  request: { method: string; headers: Headers },
): Promise<Response> {
  const type = servedType(mime);
  if (isSpilled(payload) && (payload.encoding !== 'json' || isJson(mime))) return fileResponse(payload.file, type, request);
  const value = isSpilled(payload) ? await spilledValue(payload) : payload;
  const headers = { ...STRANGER_HEADERS, 'content-type': type, 'cache-control': 'no-store' };
  return new Response(exact ?? new Uint8Array(payloadBytes(mime, value)), { headers });
}

export function servedType(mime: string): string {
  const type = baseType(mime);
  if (type.endsWith('+json')) return 'application/json; charset=utf-8';
  if (!OWN_TYPE.test(type)) return type.startsWith('text/') || isFramed(type) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
  return /^(text|application\/json)/.test(type) ? `${type}; charset=utf-8` : type;
}

async function payloadText(payload: RawPayload): Promise<string> {
  const value = joinLines(isSpilled(payload) ? await spilledValue(payload) : payload);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function spilledValue(payload: SpilledPayload): Promise<unknown> {
  const text = await readFile(payload.file, 'utf8');
  return payload.encoding === 'json' ? JSON.parse(text) : text;
}

/** Whether a file is in a folder once every link is followed. */
async function liesIn(file: string, folder: string): Promise<boolean> {
  const realFolder = await realpath(folder).catch(() => null);
  return realFolder !== null && (await realFileIn(file, realFolder)) !== null;
}
