/**
 * One websocket to one kernel on a Jupyter server, from its opening to its end. It is a KernelConnection of @jupyterlab/services, which knows
 * the address, the subprotocols and the sending. What it would do with messages is not wanted here: a bad one it throws into the
 * socket, which ends the process, and a restart it answers by connecting by itself. So each message is read before it, and it sees an empty one.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Kernel, KernelConnection, type KernelMessage, ServerConnection } from '@jupyterlab/services';
import WebSocket from 'ws';
import type { JupyterMessage, OutgoingMessage } from '../messages.ts';
import { GatewayError, networkError, statusError } from './gateway-errors.ts';
import { accessHeaders, type GatewayConnectionInfo, tlsOptions } from './gateway-server.ts';
import { decodeFrame, encodable } from './websocket-frames.ts';

/** Between pings. */
const BEAT_MS = 5_000;

/** This many beats without a single byte, and the connection is taken for cut: nothing else tells of a network that swallows everything. */
const MAX_MISSED = 3;

/** A new connection answers nothing until the server has heard of the kernel, for which servers allow a minute. */
const MAX_MISSED_AT_FIRST = 14;

/** For the closing handshake with a server that may be gone. */
const CLOSE_LIMIT_MS = 1_000;

/** Of a refusal's text. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface SocketListener {
  onMessage(message: JupyterMessage): void;
  /** A frame that can't be read, or that `onMessage` threw for. The socket lives on. */
  onError(error: unknown): void;
  /** `false` when the server has been silent for a beat, `true` when it is heard again. */
  onBeat(beating: boolean): void;
  /** The end, once, unless it was `close` that ended it. `reason` is for the log. */
  onClosed(reason: string): void;
}

export interface SocketOptions extends SocketListener {
  connection: GatewayConnectionInfo;
  /** Session id: a server gives what was missed to the same session that comes back. */
  session: string;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface KernelSocket {
  send(message: OutgoingMessage, messageId: string): void;
  close(): void;
}

/** What the library sees in place of every message. */
const NOTHING = {
  channel: 'shell',
  header: { msg_id: '', msg_type: 'cellwright_nothing', username: '', session: '', version: '5.3', date: '' },
  parent_header: {},
  metadata: {},
  content: {},
  buffers: [],
} as unknown as KernelMessage.IMessage;

/** Resolves when the server has accepted. Throws GatewayError, or the signal's reason. */
export function openKernelSocket(options: SocketOptions): Promise<KernelSocket> {
  const { connection, timeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let accepted = false;
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      clearTimeout(limit);
      wire.close();
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const abort = (): void => fail(signal.reason);
    const limit = setTimeout(() => fail(notConnected(connection.url, timeoutMs)), timeoutMs);
    signal.addEventListener('abort', abort);
    const wire = openWire(options, {
      onOpen: () => {
        accepted = true;
        signal.removeEventListener('abort', abort);
        clearTimeout(limit);
        resolve(wire);
      },
      onEnd: (error) => {
        if (!accepted) return fail(error);
        wire.close();
        options.onClosed(error.message);
      },
    });
  });
}

interface WireListener {
  onOpen(): void;
  /** May come more than once. */
  onEnd(error: Error): void;
}

function openWire(options: SocketOptions, { onOpen, onEnd }: WireListener): KernelSocket {
  const { connection, session } = options;
  let stopBeats = (): void => {};
  let socket: WebSocket | null = null;
  let closed = false;
  const ended = (error: Error): void => {
    if (!closed) onEnd(error);
  };
  /** The library makes its own socket of this class; our listeners are on it first. */
  class HeardSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: accessHeaders(connection), maxPayload: 0, perMessageDeflate: false, ...tlsOptions(connection) });
      socket = this;
      this.on('upgrade', ({ socket: stream }) => {
        this.on('open', () => {
          stopBeats = watchBeats(this, stream, options);
          onOpen();
        });
      });
      this.on('unexpected-response', (request, response) => {
        void refusal(connection, response).then((error) => {
          request.destroy();
          ended(error);
        });
      });
      this.on('error', (error) => ended(networkError(connection.url, error)));
      this.on('close', (code, reason) => ended(new Error(`closed with code ${code}${reason.length > 0 ? `: ${reason}` : ''}`)));
    }
  }
  const { serializer, ...settings } = ServerConnection.makeSettings({
    baseUrl: connection.url,
    wsUrl: connection.url.replace(/^http/, 'ws'),
    token: connection.token ?? '',
    // The token goes in a header: addresses end up in logs of servers and proxies.
    appendToken: false,
    WebSocket: HeardSocket as unknown as typeof globalThis.WebSocket,
  });
  const deserialize = (data: ArrayBuffer, protocol?: string): KernelMessage.IMessage => {
    try {
      options.onMessage(decodeFrame(data, protocol ?? ''));
    } catch (error) {
      options.onError(error);
    }
    return NOTHING;
  };
  const library = new KernelConnection({
    model: { id: connection.serverKernelId, name: '' },
    clientId: session,
    username: 'cellwright',
    handleComms: false,
    serverSettings: { ...settings, serializer: { ...serializer, deserialize } },
  });
  return {
    send: (message, messageId) => sendBy(library, encodable(message, messageId, session)),
    close: () => {
      if (closed) return;
      closed = true;
      stopBeats();
      library.dispose();
      setTimeout(() => socket?.terminate(), CLOSE_LIMIT_MS).unref();
    },
  };
}

/** The library keeps a future for each request; who waits for what is decided elsewhere. */
function sendBy(library: Kernel.IKernelConnection, message: KernelMessage.IMessage): void {
  if (message.channel === 'shell') library.sendShellMessage(message as KernelMessage.IShellMessage).dispose();
  else if (message.channel === 'control') library.sendControlMessage(message as KernelMessage.IControlMessage).dispose();
  else {
    const { content, parent_header } = message as KernelMessage.IInputReplyMsg;
    library.sendInputReply(content, parent_header);
  }
}

/** Any byte that comes counts, not only the answer to a ping: behind a large message the answer is late. Returns the function that ends it. */
function watchBeats(socket: WebSocket, stream: Socket, listener: SocketListener): () => void {
  const atFirst = stream.bytesRead;
  let before = atFirst;
  let missed = 0;
  socket.ping();
  const timer = setInterval(() => {
    const heard = stream.bytesRead > before;
    before = stream.bytesRead;
    if (heard && missed > 0) listener.onBeat(true);
    missed = heard ? 0 : missed + 1;
    if (missed === 1) listener.onBeat(false);
    if (missed > (before === atFirst ? MAX_MISSED_AT_FIRST : MAX_MISSED)) socket.terminate();
    else socket.ping();
  }, BEAT_MS);
  return () => clearInterval(timer);
}

function notConnected(server: string, timeoutMs: number): GatewayError {
  const what = `The server at ${server} did not connect us to the kernel within ${Math.round(timeoutMs / 1000)} seconds.`;
  return new GatewayError('timeout', what, 'The kernel may not come up there; try again, or look at the server’s own log.');
}

/** The server's reason for not accepting. */
async function refusal(connection: GatewayConnectionInfo, response: IncomingMessage): Promise<GatewayError> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_REFUSAL_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    // What has come says enough.
  }
  const { location } = response.headers;
  const answer = { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8'), ...(location ? { location } : {}) };
  return statusError(connection.url, 'connect to the kernel', answer, connection.token !== undefined);
}
