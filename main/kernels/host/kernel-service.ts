/**
 * The host's side of kernels: makes and drops connections as main says and tells main what they show. The hard thing is overlap: a detach
 * may come while its attach is still shaking hands, so each kernel has one slot with an abort of its own.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../log/log.ts';
import type { KernelConnection } from '../connection.ts';
import { descriptorUse } from '../direct/descriptors.ts';
import { DirectConnection } from '../direct/direct-connection.ts';
import { ConnectionClosedError, KernelTimeoutError } from '../errors.ts';
import { GatewayConnection } from '../gateway/gateway-connection.ts';
import type { InfoReply, OutgoingMessage } from '../messages.ts';
import { nextActivity, noActivity } from './activity.ts';
import type { AttachParams, DetachReason, HostCalls, HostEvents } from './host-protocol.ts';
import type { RpcEndpoint } from './rpc.ts';
import { StatusTelling } from './status-telling.ts';

/** Ids of requests on control that have not become idle yet; older ones are forgotten, since not every kernel reports them. */
const MAX_CONTROL_IDS = 100;

type OpenConnection = DirectConnection | GatewayConnection;

/**
 * Called when a connection is about to be closed; its last messages have been given out. Null when the kernel ended before there was one, or is shut
 * down after its end: what waits for it, or is kept for it, ends all the same. What the listener gives is waited for before main is told.
 */
type DisconnectionListener = (kernelId: string, connection: KernelConnection | null, reason: DetachReason) => void | Promise<void>;

interface Slot {
  generation: number;
  pid: number | null;
  abort: AbortController;
  opening: Promise<unknown>;
  connection: OpenConnection | null;
  /** Fails what waits for an answer on this connection. */
  pending: Set<(error: Error) => void>;
  controlIds: Set<string>;
}

export class KernelService {
  readonly #endpoint: RpcEndpoint;
  readonly #log: Log;
  readonly #slots = new Map<string, Slot>();
  readonly #connectionListeners = new Set<(connection: KernelConnection) => void>();
  readonly #disconnectionListeners = new Set<DisconnectionListener>();

  constructor(endpoint: RpcEndpoint, log: Log) {
    this.#endpoint = endpoint;
    this.#log = log;
    const handle = <M extends keyof HostCalls>(method: M, handler: (params: HostCalls[M]['params']) => Promise<HostCalls[M]['result']>) =>
      endpoint.handle(method, handler);
    handle('kernel.attach', (params) => this.#attach(params));
    handle('kernel.detach', ({ kernelId, reason }) => this.#detach(kernelId, reason));
    handle('kernel.send', ({ kernelId, message }) => this.#send(this.#slot(kernelId), message));
    handle('kernel.request', ({ kernelId, message, timeoutMs }) => this.#request(this.#slot(kernelId), message, timeoutMs));
    handle('host.descriptors', () => descriptorUse());
    handle('host.close', () => this.close());
  }

  connection(kernelId: string): KernelConnection | undefined {
    return this.#slots.get(kernelId)?.connection ?? undefined;
  }

  /** Called with every new connection once its handshake is done, before main knows of it. */
  onConnection(listener: (connection: KernelConnection) => void): () => void {
    this.#connectionListeners.add(listener);
    return () => this.#connectionListeners.delete(listener);
  }

  onDisconnection(listener: DisconnectionListener): () => void {
    this.#disconnectionListeners.add(listener);
    return () => this.#disconnectionListeners.delete(listener);
  }

  /** Process ids of the kernels attached here: what has to end when main is gone. */
  pids(): number[] {
    return [...this.#slots.values()].flatMap((slot) => (slot.pid === null ? [] : [slot.pid]));
  }

  /** Closes every connection; kernels go on. */
  async close(): Promise<null> {
    await Promise.all([...this.#slots.keys()].map((kernelId) => this.#detach(kernelId, 'shutdown')));
    return null;
  }

  /**
   * Nothing is waited for before the slot is there: what main says right after it, such as the detach of a kernel that has ended meanwhile, must
   * find it.
   */
  async #attach(params: AttachParams): Promise<InfoReply> {
    const { kernelId, generation, pid, knownInfo } = params;
    const closed = this.#detach(kernelId, 'restart');
    const abort = new AbortController();
    const opening = closed.then(() => this.#open(params, abort.signal));
    const slot: Slot = {
      generation,
      pid,
      abort,
      opening: opening.catch(() => {}),
      connection: null,
      pending: new Set(),
      controlIds: new Set(),
    };
    this.#slots.set(kernelId, slot);
    let opened: OpenConnection;
    try {
      opened = await opening;
    } catch (error) {
      if (this.#slots.get(kernelId) === slot) this.#slots.delete(kernelId);
      throw error;
    }
    slot.connection = opened;
    this.#watch(slot, opened);
    for (const listener of [...this.#connectionListeners]) listener(opened);
    if (opened instanceof DirectConnection) opened.begin();
    // Answered once the kernel is free: its idle ends a busy state whose own idle came while nobody listened.
    if (knownInfo) void this.#send(slot, { channel: 'shell', type: 'kernel_info_request', content: {} }).catch(() => {});
    return opened.info;
  }

  /** Throws ConnectionClosedError when it is aborted meanwhile. */
  async #open({ kernelId, connection, identity, knownInfo, timeoutMs }: AttachParams, signal: AbortSignal): Promise<OpenConnection> {
    mustBeWanted(signal);
    const options = { kernelId, knownInfo, timeoutMs, signal, log: this.#log };
    const opened =
      connection.transport === 'websocket'
        ? await GatewayConnection.open({ ...options, connection })
        : await DirectConnection.open({ ...options, connection, identity: identity ?? randomUUID() });
    if (signal.aborted) await opened.close();
    mustBeWanted(signal);
    return opened;
  }

  async #detach(kernelId: string, reason: DetachReason): Promise<null> {
    const slot = this.#slots.get(kernelId);
    if (!slot) {
      if (reason === 'shutdown') await Promise.all(this.#tellEnd(kernelId, null, reason));
      return null;
    }
    this.#slots.delete(kernelId);
    slot.abort.abort();
    await slot.opening;
    const { connection } = slot;
    if (reason === 'dead' && connection instanceof DirectConnection) await connection.drain();
    const told = this.#tellEnd(kernelId, connection, reason);
    await connection?.close();
    for (const fail of slot.pending) fail(new ConnectionClosedError('The kernel ended before it answered.'));
    await Promise.all(told);
    return null;
  }

  #tellEnd(...end: Parameters<DisconnectionListener>): (void | Promise<void>)[] {
    return [...this.#disconnectionListeners].map((listener) => listener(...end));
  }

  #watch(slot: Slot, connection: OpenConnection): void {
    const { kernelId } = connection;
    const { generation, controlIds } = slot;
    const { signal } = slot.abort;
    const telling = new StatusTelling((status) => this.#emit('kernel.status', { kernelId, generation, status }));
    signal.addEventListener('abort', () => telling.stop());
    const isGateway = connection instanceof GatewayConnection;
    let activity = noActivity;
    connection.onMessage((message) => {
      activity = nextActivity(activity, message, (id) => controlIds.has(id) || connection.isAside(message));
      if (activity.status && !signal.aborted) telling.heard(activity.status);
    });
    connection.onHeartbeat((beating) => this.#emit('kernel.heartbeat', { kernelId, generation, beating }));
    if (isGateway) connection.onEnded((end) => this.#emit('kernel.ended', { kernelId, generation, end }));
  }

  async #send(slot: Slot, message: OutgoingMessage): Promise<string> {
    if (!slot.connection) throw new ConnectionClosedError('The kernel is not connected yet.');
    if (message.channel !== 'control') return slot.connection.send(message);
    const messageId = message.messageId ?? randomUUID();
    slot.controlIds.add(messageId);
    for (const old of slot.controlIds) {
      if (slot.controlIds.size <= MAX_CONTROL_IDS) break;
      slot.controlIds.delete(old);
    }
    return slot.connection.send({ ...message, messageId });
  }

  #request(slot: Slot, message: OutgoingMessage, timeoutMs: number): Promise<Record<string, unknown>> {
    const { connection } = slot;
    if (!connection) throw new ConnectionClosedError('The kernel is not connected yet.');
    const messageId = message.messageId ?? randomUUID();
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(limit);
        slot.pending.delete(fail);
        stop();
        settle();
      };
      const fail = (error: Error): void => end(() => reject(error));
      const limit = setTimeout(() => fail(new KernelTimeoutError(`The kernel did not answer ${message.type} in time.`)), timeoutMs);
      const stop = connection.onMessage((reply) => {
        if (reply.channel === message.channel && reply.parent_header.msg_id === messageId) end(() => resolve(reply.content));
      });
      slot.pending.add(fail);
      this.#send(slot, { ...message, messageId }).catch(fail);
    });
  }

  #slot(kernelId: string): Slot {
    const slot = this.#slots.get(kernelId);
    if (!slot) throw new ConnectionClosedError('The kernel is not connected.');
    return slot;
  }

  #emit<N extends keyof HostEvents>(name: N, payload: HostEvents[N]): void {
    this.#endpoint.emit(name, payload);
  }
}

function mustBeWanted(signal: AbortSignal): void {
  if (signal.aborted) throw new ConnectionClosedError('The connection was closed before the kernel was ready.');
}
