/**
 * One HTTP request to a Jupyter server, with a limit for the whole of it. Node's own client: `fetch` has no say about certificates and
 * loses the reason of a failure. Every failure that is not an answer is a GatewayError.
 */
import http from 'node:http';
import https from 'node:https';
import { networkError, notJupyter, timeoutError } from './gateway-errors.ts';
import { accessHeaders, type GatewayServer, tlsOptions } from './gateway-server.ts';

/** Lists of kernels are small; what is larger comes from another program. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the server's base address, e.g. `api/kernels`. */
  path: string;
  body?: unknown;
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  text: string;
  /** Where a redirect points to. Redirects are not followed: they would carry the token to another server. */
  location?: string;
}

/** Throws GatewayError, or the signal's reason. */
export async function httpRequest(server: GatewayServer, request: HttpRequest): Promise<HttpAnswer> {
  const limit = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
  try {
    return await send(server, request, signal);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw limit.aborted ? timeoutError(server.url, request.timeoutMs, error) : networkError(server.url, error);
  }
}

function send(server: GatewayServer, { method, path, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const url = new URL(path, server.url);
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers: http.OutgoingHttpHeaders = { Accept: 'application/json', ...accessHeaders(server) };
  if (payload) Object.assign(headers, { 'Content-Type': 'application/json', 'Content-Length': payload.length });
  // A connection of its own: one kept alive may be closed by the server in the very moment of its use.
  const options = { method, headers, signal, agent: false as const, ...tlsOptions(server) };
  return new Promise((resolve, reject) => {
    const answered = (response: http.IncomingMessage): void => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) response.destroy(notJupyter(server.url, 'what answers there does not end'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        const { location } = response.headers;
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8'), ...(location ? { location } : {}) });
      });
    };
    const sent = url.protocol === 'https:' ? https.request(url, options, answered) : http.request(url, options, answered);
    sent.on('error', reject);
    sent.end(payload);
  });
}
