/**
 * One MCP session with a running server, message by message over HTTP. It says of each message what became of it: answered, not delivered, or cut off
 * in the middle. Only who knows that can try again without doing something twice.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type Endpoint, isToken, proofOf } from './endpoint-file.ts';
import { EventReader } from './event-reader.ts';

const HELLO_LIMIT_MS = 3_000;
/** Between two streams. */
const FOLLOW_PAUSE_MS = 500;

/** `undelivered`: the server has not seen it. `cut`: it may have, and nobody heard its answer. */
export type Delivery = 'answered' | 'undelivered' | 'cut';

export class ServerLink {
  readonly endpoint: Endpoint;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #onMessage: (message: JSONRPCMessage) => void;
  readonly #gone = new AbortController();
  #sessionId: string | null = null;
  #protocolVersion: string | null = null;

  constructor(endpoint: Endpoint, headers: Readonly<Record<string, string>>, onMessage: (message: JSONRPCMessage) => void) {
    this.endpoint = endpoint;
    this.#headers = headers;
    this.#onMessage = onMessage;
  }

  /** Sends a message and passes on everything that comes back for it. */
  async send(message: JSONRPCMessage): Promise<Delivery> {
    let response: Response;
    try {
      response = await fetch(this.endpoint.url, {
        method: 'POST',
        headers: { ...this.#allHeaders(), 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(message),
        signal: this.#gone.signal,
      });
    } catch (error) {
      return causeOf(error) === 'ECONNREFUSED' ? 'undelivered' : 'cut';
    }
    this.#sessionId = response.headers.get('mcp-session-id') ?? this.#sessionId;
    if (response.status === 404 || response.status === 401 || response.status === 503) {
      await response.body?.cancel();
      return 'undelivered';
    }
    const awaited = 'method' in message && 'id' in message ? message.id : null;
    const answered = await this.#read(response, awaited);
    return awaited === null || answered ? 'answered' : 'cut';
  }

  /**
   * Keeps a stream open for what the server says by itself, and for being known to be here. Resolves when the server is gone, or doesn't know
   * this session any more.
   */
  async follow(): Promise<void> {
    while (!this.dropped) {
      const known = await this.#followOnce();
      if (!known || this.dropped || !(await isThere(this.endpoint))) return;
      await delay(FOLLOW_PAUSE_MS);
    }
  }

  /** False when the server knows no such session. */
  async #followOnce(): Promise<boolean> {
    try {
      const response = await fetch(this.endpoint.url, {
        headers: { ...this.#allHeaders(), accept: 'text/event-stream' },
        signal: this.#gone.signal,
      });
      if (response.status === 404) return false;
      await this.#read(response, null);
    } catch {
      // Ended: by the server's end or by ours.
    }
    return true;
  }

  /** Tells the server that the client has gone. */
  async end(): Promise<void> {
    const ended = fetch(this.endpoint.url, { method: 'DELETE', headers: this.#allHeaders(), signal: AbortSignal.timeout(HELLO_LIMIT_MS) });
    await ended.then((response) => response.body?.cancel()).catch(() => {});
    this.drop();
  }

  /** Ends all that is open here without a word. */
  drop(): void {
    this.#gone.abort();
  }

  get dropped(): boolean {
    return this.#gone.signal.aborted;
  }

  #allHeaders(): Record<string, string> {
    return {
      ...this.#headers,
      authorization: `Bearer ${this.endpoint.token}`,
      ...(this.#sessionId === null ? {} : { 'mcp-session-id': this.#sessionId }),
      ...(this.#protocolVersion === null ? {} : { 'mcp-protocol-version': this.#protocolVersion }),
    };
  }

  /** True when the answer with this id came. */
  async #read(response: Response, awaited: string | number | null): Promise<boolean> {
    let answered = false;
    const take = (text: string): void => {
      const message = JSON.parse(text) as JSONRPCMessage;
      if ('id' in message && !('method' in message) && message.id === awaited) answered = true;
      if ('result' in message && typeof message.result.protocolVersion === 'string') this.#protocolVersion = message.result.protocolVersion;
      this.#onMessage(message);
    };
    try {
      if (response.headers.get('content-type')?.includes('text/event-stream')) await readEvents(response, take);
      else {
        const text = await response.text();
        if (text !== '' && response.ok) take(text);
      }
    } catch {
      // The connection broke, or was dropped: `answered` says how far it came.
    }
    return answered;
  }
}

async function readEvents(response: Response, take: (data: string) => void): Promise<void> {
  const reader = new EventReader(take);
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) reader.add(decoder.decode(chunk as Uint8Array, { stream: true }));
}

/** Whether the server of this endpoint is there and has the token. The token itself is not sent for this. */
export async function isThere({ url, token }: Endpoint): Promise<boolean> {
  if (url === '') return false;
  const nonce = randomBytes(24).toString('base64url');
  try {
    const response = await fetch(new URL(`/hello?nonce=${nonce}`, url), { signal: AbortSignal.timeout(HELLO_LIMIT_MS) });
    const { proof } = (await response.json()) as { proof?: unknown };
    return typeof proof === 'string' && isToken(proof, proofOf(token, nonce));
  } catch {
    return false;
  }
}

function causeOf(error: unknown): string | undefined {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code;
}
