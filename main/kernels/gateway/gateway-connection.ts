/**
 * One kernel's connection through a Jupyter server, over as many websockets as it takes. The hard thing is a cut: the kernel goes on, the
 * server keeps what it says for the same session to fetch (most do), and nobody can tell whether that is all. So after a cut the kernel is asked
 * something; what it has not answered by then is lost, and outputs that ran through the cut get a line that says so.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log } from '../../log/log.ts';
import type { KernelConnection } from '../connection.ts';
import { performHandshake } from '../direct/handshake.ts';
import { Emitter } from '../emitter.ts';
import { ConnectionClosedError, KernelDeadError, KernelTimeoutError } from '../errors.ts';
import type { InfoReply, JupyterMessage, OutgoingMessage } from '../messages.ts';
import { GatewayApi } from './gateway-api.ts';
import { GatewayError } from './gateway-errors.ts';
import type { GatewayConnectionInfo } from './gateway-server.ts';
import { endIn, endMessage, type KernelEnd, sessionOf } from './kernel-end.ts';
import { type KernelSocket, openKernelSocket } from './kernel-socket.ts';
import { OpenRequests } from './open-requests.ts';

/** The first attempt follows at once; from then on each waits longer, up to the limit, for as long as it takes. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** How often the server is asked whether it still has the kernel: it tells nobody of one that it culled, and not every kernel says goodbye. */
const LOOK_MS = 10_000;

/** One attempt: a server accepts once it has heard of the kernel. */
const RECONNECT_LIMIT_MS = 60_000;

export interface GatewayOpenOptions {
  kernelId: string;
  connection: GatewayConnectionInfo;
  knownInfo: InfoReply | null;
  timeoutMs: number;
  signal: AbortSignal;
  log: Log;
}

interface Events {
  message: JupyterMessage;
  heartbeat: boolean;
  ended: KernelEnd;
  lost: string;
}

interface WaitingSend {
  message: OutgoingMessage;
  messageId: string;
  resolve: (messageId: string) => void;
  reject: (error: Error) => void;
}

export class GatewayConnection implements KernelConnection {
  readonly kernelId: string;
  readonly #server: GatewayConnectionInfo;
  readonly #api: GatewayApi;
  readonly #log: Log;
  readonly #emitter: Emitter<Events>;
  readonly #session = randomUUID();
  readonly #over = new AbortController();
  readonly #requests = new OpenRequests();
  /** What we asked on control for ourselves. */
  readonly #asides = new Set<string>();
  #info: InfoReply | null = null;
  #socket: KernelSocket | null = null;
  #waiting: WaitingSend[] = [];
  #kernelSession: string | null = null;
  #cutAt: number | null = null;
  /** What was asked after the last cut, and the requests that were open then. */
  #probe: { id: string; before: string[] } | null = null;
  #end: KernelEnd | null = null;
  #looking: NodeJS.Timeout | undefined;

  /** Connects and resolves when the kernel answers. Throws GatewayError, KernelDeadError, and as `performHandshake`. */
  static async open(options: GatewayOpenOptions): Promise<GatewayConnection> {
    const connection = new GatewayConnection(options);
    const end = performance.now() + options.timeoutMs;
    try {
      await connection.#connectFirst(options);
      connection.#info = await performHandshake(
        {
          iopubUp: Promise.resolve(),
          send: (message) => connection.#askAside(message),
          onMessage: (listener) => connection.onMessage(listener),
        },
        { ...options, timeoutMs: Math.max(0, end - performance.now()), signal: AbortSignal.any([options.signal, connection.#over.signal]) },
      );
    } catch (error) {
      const end = connection.#end ?? (error instanceof KernelGoneError ? error.end : null);
      await connection.close();
      if (end) throw new KernelDeadError(endMessage(end), { cause: error });
      // The handshake speaks of ports, of which a server's kernel has none here.
      if (error instanceof KernelTimeoutError) throw silentKernel(options.timeoutMs, error);
      throw error;
    }
    connection.#look();
    return connection;
  }

  private constructor({ kernelId, connection, log }: GatewayOpenOptions) {
    this.kernelId = kernelId;
    this.#server = connection;
    this.#api = new GatewayApi(connection);
    this.#log = log;
    this.#emitter = new Emitter((error) => log.error('kernel.listener-failed', { kernelId, ...errorFields(error) }));
  }

  get info(): InfoReply {
    if (!this.#info) throw new Error('The handshake is not done yet.');
    return this.#info;
  }

  /** While the connection is cut it waits: what a person runs then is sent once the server is back. */
  async send(message: OutgoingMessage): Promise<string> {
    if (this.#over.signal.aborted) throw closed();
    const messageId = message.messageId ?? randomUUID();
    if (this.#socket) {
      this.#pass(this.#socket, message, messageId);
      return messageId;
    }
    return new Promise((resolve, reject) => this.#waiting.push({ message, messageId, resolve, reject }));
  }

  onMessage(listener: (message: JupyterMessage) => void): () => void {
    return this.#emitter.on('message', listener);
  }

  onHeartbeat(listener: (beating: boolean) => void): () => void {
    return this.#emitter.on('heartbeat', listener);
  }

  /** The kernel that this is a connection to has ended; nothing more comes. */
  onEnded(listener: (end: KernelEnd) => void): () => void {
    return this.#emitter.on('ended', listener);
  }

  onLost(listener: (messageId: string) => void): () => void {
    return this.#emitter.on('lost', listener);
  }

  /** Whether a status message is about something that says nothing of the code that runs: asked on control, or by another client. */
  isAside({ parent_header: { msg_id: id, msg_type: type, session } }: JupyterMessage): boolean {
    if (id !== undefined && this.#asides.has(id)) return true;
    return session !== this.#session && type !== 'execute_request';
  }

  async close(): Promise<void> {
    if (this.#over.signal.aborted) return;
    clearInterval(this.#looking);
    this.#over.abort(closed());
    this.#socket?.close();
    this.#socket = null;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
  }

  async #connectFirst({ timeoutMs, signal }: GatewayOpenOptions): Promise<void> {
    this.#socket = await this.#connect(timeoutMs, AbortSignal.any([signal, this.#over.signal]));
  }

  /** Throws GatewayError and KernelGoneError. */
  async #connect(timeoutMs: number, signal: AbortSignal): Promise<KernelSocket> {
    await this.#present(signal);
    return openKernelSocket({
      connection: this.#server,
      session: this.#session,
      timeoutMs,
      signal,
      onMessage: (message) => this.#receive(message),
      onError: (error) => this.#log.warn('kernel.frame-dropped', { kernelId: this.kernelId, ...errorFields(error) }),
      onBeat: (beating) => this.#emitter.emit('heartbeat', beating),
      onClosed: (reason) => void this.#cut(reason),
    });
  }

  /** Connects again, for as long as the kernel may still be there. */
  async #cut(reason: string): Promise<void> {
    this.#socket = null;
    this.#cutAt ??= performance.now();
    this.#log.warn('gateway.cut', { kernelId: this.kernelId, server: this.#server.url, reason });
    this.#emitter.emit('heartbeat', false);
    for (let pause = 0; !this.#over.signal.aborted; pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MS), MAX_PAUSE_MS)) {
      try {
        await delay(pause, undefined, { signal: this.#over.signal });
        return this.#resume(await this.#connect(RECONNECT_LIMIT_MS, this.#over.signal));
      } catch (error) {
        const end = endOf(error);
        if (end) return this.#ended(end);
        if (!this.#over.signal.aborted) this.#log.info('gateway.not-reconnected', { kernelId: this.kernelId, ...errorFields(error) });
      }
    }
  }

  #look(): void {
    this.#looking = setInterval(() => {
      if (!this.#socket) return;
      // What else goes wrong here shows on the socket.
      this.#present(this.#over.signal).catch((error: unknown) => {
        const end = endOf(error);
        if (end) this.#ended(end);
      });
    }, LOOK_MS);
  }

  /** Throws KernelGoneError when the server has the kernel no more, and GatewayError. */
  async #present(signal: AbortSignal): Promise<void> {
    const kernel = await this.#api.kernel(this.#server.serverKernelId, signal);
    if (!kernel) throw new KernelGoneError('gone');
    if (kernel.state === 'dead') throw new KernelGoneError('dead');
  }

  #resume(socket: KernelSocket): void {
    const seconds = Math.round((performance.now() - (this.#cutAt ?? performance.now())) / 1000);
    this.#cutAt = null;
    this.#log.info('gateway.reconnected', { kernelId: this.kernelId, server: this.#server.url, seconds });
    for (const parent of this.#requests.running()) this.#emitter.emit('message', gapNote(parent, this.#server.url, this.#session));
    this.#probe = { id: randomUUID(), before: this.#requests.onShell() };
    socket.send({ channel: 'shell', type: 'kernel_info_request', content: {} }, this.#probe.id);
    this.#socket = socket;
    for (const { message, messageId, resolve } of this.#waiting.splice(0)) {
      this.#pass(socket, message, messageId);
      resolve(messageId);
    }
    this.#emitter.emit('heartbeat', true);
  }

  #pass(socket: KernelSocket, message: OutgoingMessage, messageId: string): void {
    this.#requests.sent(message, messageId, this.#session);
    socket.send(message, messageId);
  }

  /** On both channels: a kernel that works answers on control only, and not every kernel answers there. */
  async #askAside(message: OutgoingMessage): Promise<string> {
    const aside = randomUUID();
    this.#asides.add(aside);
    await this.send({ ...message, channel: 'control', messageId: aside });
    return this.send({ ...message, channel: 'shell' });
  }

  #receive(message: JupyterMessage): void {
    if (this.#over.signal.aborted) return;
    const end = endIn(message, this.#kernelSession, this.#session);
    if (end) {
      this.#ended(end);
      return;
    }
    this.#kernelSession ??= sessionOf(message, this.#session);
    this.#requests.heard(message);
    this.#emitter.emit('message', message);
    if (message.channel === 'shell' && message.parent_header.msg_id === this.#probe?.id) this.#probed();
  }

  #probed(): void {
    const lost = this.#requests.giveUp(this.#probe?.before ?? []);
    this.#probe = null;
    if (lost.length > 0) this.#log.warn('gateway.lost', { kernelId: this.kernelId, requests: lost.length });
    for (const id of lost) this.#emitter.emit('lost', id);
  }

  #ended(end: KernelEnd): void {
    if (this.#over.signal.aborted) return;
    this.#end = end;
    this.#log.info('gateway.kernel-ended', { kernelId: this.kernelId, server: this.#server.url, end });
    void this.close();
    this.#emitter.emit('ended', end);
  }
}

/** The server does not have the kernel, or has it no more. */
class KernelGoneError extends Error {
  override name = 'KernelGoneError';
  readonly end: KernelEnd;
  constructor(end: KernelEnd) {
    super(endMessage(end));
    this.end = end;
  }
}

/** What a failed attempt says about the kernel; null when it is only about the way to it. */
function endOf(error: unknown): KernelEnd | null {
  if (error instanceof KernelGoneError) return error.end;
  return error instanceof GatewayError && error.fault === 'unauthorized' ? 'refused' : null;
}

function silentKernel(timeoutMs: number, cause: KernelTimeoutError): KernelTimeoutError {
  return new KernelTimeoutError(`The server has the kernel, but it did not answer within ${Math.round(timeoutMs / 1000)} seconds.`, {
    cause,
  });
}

function closed(): ConnectionClosedError {
  return new ConnectionClosedError('The connection to the kernel is closed.');
}

/** A line in the output, as a server puts one where it leaves something out. */
function gapNote(parent: JupyterMessage['parent_header'], server: string, session: string): JupyterMessage {
  const text = `[The connection to ${server} was cut while this ran. Some of the output may be missing.]\n`;
  const header = {
    msg_id: randomUUID(),
    msg_type: 'stream' as const,
    username: 'cellwright',
    session,
    date: new Date().toISOString(),
    version: '5.3',
  };
  return { channel: 'iopub', header, parent_header: parent, metadata: {}, content: { name: 'stderr', text }, buffers: [] };
}
