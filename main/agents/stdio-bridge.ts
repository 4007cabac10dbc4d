/**
 * Between an MCP client on stdin and stdout and the server of the running app. The client never learns that the app was restarted: its session is made
 * again under the same agent, and only the calls that were cut off in the middle are answered with an error that says so. What it can't make again are
 * kernels: the agent is told once that they are gone.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { errorFields, type Log } from '../log/log.ts';
import type { Endpoint } from './endpoint-file.ts';
import { type Delivery, ServerLink } from './server-link.ts';

/** Tries for one message; more means that something else is wrong. */
const ATTEMPTS = 3;

export interface BridgeOptions {
  client: Transport;
  /** Finds a server, and starts one when there is none. `lost` is the one that was there before. */
  locate: (lost: Endpoint | null) => Promise<Endpoint>;
  /** Who the agent is. */
  headers: Readonly<Record<string, string>>;
  log: Log;
}

/** The id of an `initialize` of our own; a client's ids are its own numbers or texts. */
const OWN_ID = 'cellwright-reconnect';

/** Tools whose calls leave something in a kernel. */
const RUNNING: readonly unknown[] = ['python', 'notebook_run'];
const KERNELS_GONE = '[Cellwright was closed or restarted since your last call. Kernels ended with it, and their variables are gone.]';

export class StdioBridge {
  readonly #options: BridgeOptions;
  #link: Promise<ServerLink> | null = null;
  #initialize: JSONRPCRequest | null = null;
  #lost: Endpoint | null = null;
  #ended = false;
  /** The client ran code through the present server. */
  #ran = false;
  /** It ran code through one that is gone, and does not know that yet. */
  #kernelsGone = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { client, log } = this.#options;
    client.onmessage = (message: JSONRPCMessage) => {
      this.#forward(message).catch((error: unknown) => {
        log.error('mcp.forward-failed', errorFields(error));
        this.#fail(message, `Error: Cellwright could not be reached: ${error instanceof Error ? error.message : String(error)}`);
      });
    };
    await client.start();
  }

  /** The client has gone. */
  async end(): Promise<void> {
    this.#ended = true;
    const link = await this.#link?.catch(() => null);
    await link?.end();
  }

  async #forward(message: JSONRPCMessage): Promise<void> {
    if (isInitialize(message)) {
      this.#initialize = message;
      await this.#begin(message);
      return;
    }
    const runs = isCall(message) && RUNNING.includes(message.params?.name);
    let delivery: Delivery = 'undelivered';
    for (let attempt = 0; attempt < ATTEMPTS && delivery === 'undelivered'; attempt += 1) {
      const link = await this.#connected();
      delivery = await link.send(message);
      if (delivery !== 'answered') this.#forget(link);
      else if (runs && !link.dropped) this.#ran = true;
    }
    if (delivery === 'answered' || this.#ended) return;
    // So that the sentence is true: the next call works.
    await this.#connected();
    if (delivery === 'cut') this.#kernelsGone = false;
    this.#fail(
      message,
      delivery === 'cut'
        ? 'Error: Cellwright was closed or restarted while this call was carried out, so it is not known how far it came. Cellwright is there again. Kernels were ended with it and their variables are gone. Look at the notebook with notebook_read before you send the call again.'
        : 'Error: Cellwright does not take the call. Try again in a moment.',
    );
  }

  /** The client's own `initialize`: its answer goes to the client. */
  async #begin(message: JSONRPCRequest): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const endpoint = await this.#options.locate(this.#lost);
      const link = new ServerLink(endpoint, this.#options.headers, (answer) => this.#toClient(answer));
      this.#link = Promise.resolve(link);
      if ((await link.send(message)) === 'answered') {
        void this.#follow(link);
        return;
      }
      this.#forget(link);
      if (attempt >= ATTEMPTS) throw new Error('The server gives no answer.');
    }
  }

  #connected(): Promise<ServerLink> {
    this.#link ??= this.#again().catch((error: unknown) => {
      this.#link = null;
      throw error;
    });
    return this.#link;
  }

  /** A session with a server that does not know this client, or not any more. */
  async #again(): Promise<ServerLink> {
    const params = this.#initialize?.params;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const endpoint = await this.#options.locate(this.#lost);
      const link = new ServerLink(endpoint, this.#options.headers, (answer) => {
        if (!('id' in answer) || answer.id !== OWN_ID) this.#toClient(this.#withNews(answer));
      });
      const initialize: JSONRPCMessage = { jsonrpc: '2.0', id: OWN_ID, method: 'initialize', ...(params ? { params } : {}) };
      if ((await link.send(initialize)) !== 'answered') {
        this.#lost = endpoint;
        continue;
      }
      await link.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      void this.#follow(link);
      this.#options.log.info('mcp.reconnected');
      return link;
    }
    throw new Error('The server gives no answer.');
  }

  #forget(link: ServerLink): void {
    if (link.dropped) return;
    this.#lost = link.endpoint;
    link.drop();
    this.#link = null;
    this.#kernelsGone ||= this.#ran;
    this.#ran = false;
  }

  /** The first answer of a tool after that says that kernels are gone. */
  #withNews(answer: JSONRPCMessage): JSONRPCMessage {
    const content = 'result' in answer ? answer.result.content : null;
    if (!this.#kernelsGone || !('result' in answer) || !Array.isArray(content)) return answer;
    this.#kernelsGone = false;
    return { ...answer, result: { ...answer.result, content: [...(content as unknown[]), { type: 'text', text: KERNELS_GONE }] } };
  }

  /** Hears when the server goes, and looks for another one at once: the window then shows that the agent is there. */
  async #follow(link: ServerLink): Promise<void> {
    await link.follow();
    if (this.#ended || link.dropped) return;
    this.#forget(link);
    await this.#connected().catch((error: unknown) => this.#options.log.warn('mcp.not-reconnected', errorFields(error)));
  }

  #fail(message: JSONRPCMessage, text: string): void {
    if (!('method' in message) || !('id' in message)) return;
    const { id } = message;
    this.#toClient(
      message.method === 'tools/call'
        ? { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } }
        : { jsonrpc: '2.0', id, error: { code: -32000, message: text } },
    );
  }

  #toClient(message: JSONRPCMessage): void {
    if (this.#ended) return;
    this.#options.client.send(message).catch((error: unknown) => this.#options.log.warn('mcp.client-gone', errorFields(error)));
  }
}

function isCall(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && message.method === 'tools/call';
}

function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message && message.method === 'initialize';
}
