/**
 * One live ZeroMQ connection to a kernel: sockets, signing and heartbeat put together. Lives in the kernel host. A bad frame is logged
 * with its fault and dropped, and a listener that throws is logged too: neither may stop what comes after.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log } from '../../log/log.ts';
import type { ConnectionInfo, KernelConnection } from '../connection.ts';
import { ConnectionClosedError } from '../errors.ts';
import type { Channel, InfoReply, JupyterMessage, OutgoingMessage } from '../messages.ts';
import { whenExhausted } from './exhaustion.ts';
import { performHandshake } from './handshake.ts';
import { type HeartbeatOptions, watchHeartbeat } from './heartbeat.ts';
import { type KernelSockets, openSockets } from './sockets.ts';
import { createSigner, decodeMessage, encodeMessage, type Sender, WireError } from './wire.ts';

export interface OpenOptions {
  kernelId: string;
  connection: ConnectionInfo;
  /** How the kernel's sockets know this side. */
  identity: string;
  knownInfo: InfoReply | null;
  timeoutMs: number;
  signal: AbortSignal;
  log: Log;
  heartbeat?: HeartbeatOptions;
}

/**
 * After the kernel's end: how often the sockets must be found empty in a row, and the longest wait for it. A flood that was larger than what could
 * be read while it lasted takes seconds.
 */
const DRAIN_STEP_MS = 10;
const DRAIN_EMPTY_STEPS = 4;
const DRAIN_LIMIT_MS = 10_000;

export class DirectConnection implements KernelConnection {
  readonly kernelId: string;
  readonly asked = new Set<string>();
  readonly #log: Log;
  readonly #sockets: KernelSockets;
  readonly #sender: Sender;
  readonly #messageListeners = new Set<(message: JupyterMessage) => void>();
  readonly #heartbeatListeners = new Set<(beating: boolean) => void>();
  #info: InfoReply | null = null;
  /** What came before anybody listened; null when it has been given out. */
  #early: JupyterMessage[] | null = [];
  #stopHeartbeat: () => void = () => {};
  #closed = false;

  /** Connects and resolves when the kernel answers and its iopub reaches us. Throws as `performHandshake`, and EMFILE or ENFILE. */
  static async open(options: OpenOptions): Promise<DirectConnection> {
    const connection = new DirectConnection(options);
    const over = new AbortController();
    const handshake = performHandshake(
      {
        iopubUp: connection.#sockets.iopubUp,
        send: (message) => connection.#sendAside(message),
        onMessage: (listener) => connection.onMessage(listener),
      },
      { ...options, signal: AbortSignal.any([options.signal, over.signal]) },
    );
    try {
      connection.#info = await Promise.race([handshake, whenExhausted(over.signal)]);
    } catch (error) {
      await connection.close();
      throw error;
    } finally {
      over.abort();
    }
    connection.#beat(options.heartbeat);
    return connection;
  }

  private constructor({ kernelId, connection, identity, log }: OpenOptions) {
    this.kernelId = kernelId;
    this.#log = log;
    this.#sender = { session: randomUUID(), signer: createSigner(connection.key, connection.signature_scheme) };
    this.#sockets = openSockets(connection, identity, {
      onFrames: (channel, frames) => this.#receive(channel, frames),
      onError: (channel, error) => log.warn('kernel.frame-dropped', { kernelId, channel, ...faultFields(error) }),
    });
  }

  get info(): InfoReply {
    if (!this.#info) throw new Error('The handshake is not done yet.');
    return this.#info;
  }

  async send(message: OutgoingMessage): Promise<string> {
    if (this.#closed) throw new ConnectionClosedError('The connection to the kernel is closed.');
    const messageId = message.messageId ?? randomUUID();
    await this.#sockets.send(message.channel, encodeMessage(message, messageId, this.#sender, new Date()));
    return messageId;
  }

  onMessage(listener: (message: JupyterMessage) => void): () => void {
    this.#messageListeners.add(listener);
    return () => this.#messageListeners.delete(listener);
  }

  /** Gives out what came before the listeners were there. To be called once, when they are. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const message of early) this.#give(message);
  }

  /** Whether a status message says nothing of the code that runs: the handshake's questions, and what other clients ask, perhaps on subshells. */
  isAside({ parent_header: { msg_id: id, msg_type: type, session } }: JupyterMessage): boolean {
    if (id !== undefined && this.asked.has(id)) return true;
    return session !== this.#sender.session && type !== 'execute_request';
  }

  onHeartbeat(listener: (beating: boolean) => void): () => void {
    this.#heartbeatListeners.add(listener);
    return () => this.#heartbeatListeners.delete(listener);
  }

  /** Waits until what a kernel that is gone had sent has been handled. Bounded. */
  async drain(): Promise<void> {
    const end = performance.now() + DRAIN_LIMIT_MS;
    for (let empty = 0; empty < DRAIN_EMPTY_STEPS && !this.#closed && performance.now() < end; ) {
      await delay(DRAIN_STEP_MS);
      empty = this.#sockets.hasUnread ? 0 : empty + 1;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopHeartbeat();
    this.#sockets.close();
  }

  #receive(channel: Channel, frames: Uint8Array[]): void {
    if (this.#closed) return;
    const message = decodeMessage(channel, frames, this.#sender.signer);
    this.#early?.push(message);
    this.#give(message);
  }

  #give(message: JupyterMessage): void {
    for (const listener of [...this.#messageListeners]) this.#tell(() => listener(message));
  }

  #sendAside(message: OutgoingMessage): Promise<string> {
    const messageId = randomUUID();
    this.asked.add(messageId);
    return this.send({ ...message, messageId });
  }

  #beat(options: HeartbeatOptions | undefined): void {
    this.#stopHeartbeat = watchHeartbeat(
      (timeoutMs) => this.#sockets.beat(timeoutMs),
      (beating) => {
        for (const listener of [...this.#heartbeatListeners]) this.#tell(() => listener(beating));
      },
      options,
    );
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error('kernel.listener-failed', { kernelId: this.kernelId, ...errorFields(error) });
    }
  }
}

function faultFields(error: unknown): Record<string, string> {
  return error instanceof WireError ? { fault: error.fault } : { fault: 'socket', ...(errorFields(error) as Record<string, string>) };
}
