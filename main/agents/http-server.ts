/**
 * MCP over Streamable HTTP on loopback. Nothing is answered without the token but a proof that this is the server; a page in a browser can't reach it
 * whatever it sends, since `Host` and `Origin` are checked first. The hard part is knowing when a client has gone: HTTP has no end, so an open stream
 * of messages counts as being there.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { errorFields, type Log } from '../log/log.ts';
import type { AgentService, Connection } from './agent-service.ts';
import { type Endpoint, endpointFile, isToken, newToken, proofOf, readEndpoint, writeEndpoint } from './endpoint-file.ts';
import { identityOf } from './http-identity.ts';

/** A request's body; a cell may hold an image. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** A client whose stream broke has this long to open another. */
const GONE_MS = 15_000;
/** A client that opens no stream and sends nothing for this long has gone. */
const SILENT_MS = 30 * 60_000;
const MAX_SESSIONS = 100;
/** Longer than clients keep a connection that is not used. Were it closed here first, a call that is just being sent on it would fail. */
const KEEP_ALIVE_MS = 15 * 60_000;

export interface HttpServerOptions {
  profile: string;
  service: AgentService;
  /** What an agent may reach whose client names no folders. */
  defaultFolders: () => string[];
  window: boolean;
  version: string;
  log: Log;
}

interface Session {
  transport: StreamableHTTPServerTransport;
  connection: Connection;
  /** Open streams of messages. */
  streams: number;
  gone: NodeJS.Timeout | null;
}

export class AgentHttpServer {
  readonly endpoint: Endpoint;
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  readonly #sessions = new Map<string, Session>();

  private constructor(options: HttpServerOptions, server: Server, endpoint: Endpoint) {
    this.#options = options;
    this.#server = server;
    this.endpoint = endpoint;
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        options.log.error('agents.http-failed', errorFields(error));
        if (!response.headersSent) refuse(response, 500, 'Internal error');
        else response.destroy();
      });
    });
  }

  /** Listens, and says where in the profile's file. Throws when no port can be had. */
  static async start(options: HttpServerOptions): Promise<AgentHttpServer> {
    const file = endpointFile(options.profile);
    const earlier = await readEndpoint(file);
    const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS });
    await listen(server, earlier?.port ?? 0).catch(() => listen(server, 0));
    const { port } = server.address() as AddressInfo;
    const endpoint: Endpoint = {
      url: `http://127.0.0.1:${port}/mcp`,
      port,
      token: earlier?.token ?? newToken(),
      pid: process.pid,
      window: options.window,
      version: options.version,
    };
    const running = new AgentHttpServer(options, server, endpoint);
    await writeEndpoint(file, endpoint);
    return running;
  }

  async close(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) this.#end(id);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
    const file = endpointFile(this.#options.profile);
    const present = await readEndpoint(file);
    // Another server may have taken over meanwhile.
    if (present?.pid === process.pid && present.url === this.endpoint.url) await writeEndpoint(file, { ...this.endpoint, url: '', pid: 0 });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { port, token } = this.endpoint;
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    if (!hosts.includes(request.headers.host ?? '')) return refuse(response, 403, 'Wrong host');
    const { origin } = request.headers;
    if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) return refuse(response, 403, 'Wrong origin');
    const url = new URL(request.url ?? '/', `http://${hosts[0]}`);
    if (url.pathname === '/hello' && request.method === 'GET') return hello(response, token, url.searchParams.get('nonce') ?? '');
    if (url.pathname !== '/mcp') return refuse(response, 404, 'Nothing here');
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!isToken(given, token)) {
      response.setHeader('www-authenticate', 'Bearer');
      return refuse(response, 401, 'Wrong token');
    }
    await this.#mcp(request, response);
  }

  async #mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (id !== undefined && !session) return refuse(response, 404, 'Session not found', -32001);
    if (request.method !== 'POST') {
      if (!session) return refuse(response, 400, 'No session');
      if (request.method === 'GET') this.#follow(session, response);
      return session.transport.handleRequest(request, response);
    }
    const body = await jsonBody(request);
    if (body === undefined) return refuse(response, 400, 'The body is no JSON, or too large', -32700);
    if (session) {
      this.#seen(session);
      return session.transport.handleRequest(request, response, body);
    }
    if (!isInitializeRequest(body)) return refuse(response, 400, 'No session');
    if (this.#sessions.size >= MAX_SESSIONS) return refuse(response, 503, 'Too many agents');
    const begun = await this.#begin(request, body.params.clientInfo);
    await begun.handleRequest(request, response, body);
  }

  async #begin(
    request: IncomingMessage,
    client: { name: string; title?: string | undefined; version: string },
  ): Promise<StreamableHTTPServerTransport> {
    const { service, defaultFolders } = this.#options;
    const connection = service.connect(identityOf(request.headers, client, defaultFolders()));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        const session: Session = { transport, connection, streams: 0, gone: null };
        this.#sessions.set(id, session);
        this.#seen(session);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    transport.onclose = () => {
      connection.close();
      if (transport.sessionId) this.#end(transport.sessionId);
    };
    // The SDK's own class does not fit its interface under exactOptionalPropertyTypes, which asks for less than it gives.
    await connection.server.connect(transport as Parameters<typeof connection.server.connect>[0]);
    return transport;
  }

  #follow(session: Session, response: ServerResponse): void {
    session.streams += 1;
    if (session.gone) clearTimeout(session.gone);
    response.on('close', () => {
      session.streams -= 1;
      if (session.streams === 0) this.#endIn(session, GONE_MS);
    });
  }

  #seen(session: Session): void {
    if (session.streams === 0) this.#endIn(session, SILENT_MS);
  }

  #endIn(session: Session, ms: number): void {
    if (session.gone) clearTimeout(session.gone);
    session.gone = setTimeout(() => {
      if (session.transport.sessionId) this.#end(session.transport.sessionId);
    }, ms);
    session.gone.unref();
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    if (session.gone) clearTimeout(session.gone);
    session.connection.close();
    session.connection.server.close().catch((error: unknown) => this.#options.log.warn('agents.close-failed', errorFields(error)));
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function hello(response: ServerResponse, token: string, nonce: string): void {
  if (!/^[A-Za-z0-9_-]{16,128}$/.test(nonce)) refuse(response, 400, 'No nonce');
  else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ proof: proofOf(token, nonce) }));
  }
}

function refuse(response: ServerResponse, status: number, message: string, code = -32000): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

/** Undefined when it is no JSON or too large. */
async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}
