/**
 * The host's side of comms: tells main what a kernel's widgets say and sends what windows say to them. Nothing is looked at before somebody follows
 * the kernel. The hard part is pace: a loop that moves a slider sends thousands of messages a second, and a message that is being worked on
 * holds up those after it, so each sent one is told of when the kernel is done with it.
 */
import { record } from '../execution/message-content.ts';
import type { KernelConnection } from '../kernels/connection.ts';
import { ConnectionClosedError } from '../kernels/errors.ts';
import type { KernelService } from '../kernels/host/kernel-service.ts';
import type { RpcEndpoint } from '../kernels/host/rpc.ts';
import type { JupyterMessage } from '../kernels/messages.ts';
import { CommBatch } from './comm-batch.ts';
import { commEvent } from './comm-messages.ts';
import type { CommEvents, CommFollow, CommSend } from './comm-protocol.ts';

/** One frame of the screen. */
const GATHER_MS = 16;
/** Bytes per millisecond that are told in the long run; more would slow main and the windows for values that nobody sees. */
const BYTES_PER_MS = 8192;
/** Above this much, what waits is told at once: messages that can't be joined must not pile up here. */
const HELD_LIMIT = 16 * 1024 * 1024;

class FollowedComms {
  readonly #kernelId: string;
  readonly #endpoint: RpcEndpoint;
  readonly #open = new Set<string>();
  /** Messages of this side that the kernel has not become idle after. */
  readonly #sent = new Set<string>();
  readonly #batch = new CommBatch();
  #timer: NodeJS.Timeout | null = null;
  #nextFlush = 0;

  constructor({ kernelId, open }: CommFollow, endpoint: RpcEndpoint) {
    this.#kernelId = kernelId;
    this.#endpoint = endpoint;
    for (const commId of open) this.#open.add(commId);
  }

  connected(connection: KernelConnection): void {
    // What was under way belongs to a connection that is gone.
    for (const messageId of this.#sent) this.#batch.add({ kind: 'done', messageId });
    this.#sent.clear();
    connection.onMessage((message) => this.#receive(message));
  }

  async send(connection: KernelConnection, { messageId, commId, data, buffers }: CommSend): Promise<null> {
    this.#open.add(commId);
    this.#sent.add(messageId);
    try {
      await connection.send({ channel: 'shell', type: 'comm_msg', messageId, content: { comm_id: commId, data }, buffers });
    } catch (error) {
      this.#sent.delete(messageId);
      throw error;
    }
    return null;
  }

  #receive(message: JupyterMessage): void {
    if (message.channel !== 'iopub') return;
    const type: string = message.header.msg_type;
    if (type === 'status') this.#status(message);
    else if (type.startsWith('comm_')) this.#comm(message);
  }

  #status({ parent_header, content }: JupyterMessage): void {
    const { msg_id: messageId } = parent_header;
    if (messageId === undefined || content.execution_state !== 'idle' || !this.#sent.delete(messageId)) return;
    this.#batch.add({ kind: 'done', messageId });
    this.#flushSoon();
  }

  #comm(message: JupyterMessage): void {
    const event = commEvent(message, (commId) => this.#open.has(commId));
    if (!event || event.kind === 'done') return;
    if (event.kind === 'open') this.#open.add(event.commId);
    if (event.kind === 'close') this.#open.delete(event.commId);
    if (event.kind === 'update' && Object.keys(event.state).length === 0) return;
    this.#batch.add(event);
    if (this.#batch.weight > HELD_LIMIT) this.flush();
    else this.#flushSoon();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), Math.max(GATHER_MS, this.#nextFlush - performance.now()));
  }

  /** Tells what waits. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#nextFlush = performance.now() + this.#batch.weight / BYTES_PER_MS;
    for (const events of this.#batch.take()) {
      this.#endpoint.emit('comm.events', { kernelId: this.#kernelId, events } satisfies CommEvents['comm.events']);
    }
  }
}

export class CommService {
  readonly #endpoint: RpcEndpoint;
  readonly #kernels: KernelService;
  readonly #followed = new Map<string, FollowedComms>();

  constructor(endpoint: RpcEndpoint, kernels: KernelService) {
    this.#endpoint = endpoint;
    this.#kernels = kernels;
    kernels.onConnection((connection) => this.#followed.get(connection.kernelId)?.connected(connection));
    endpoint.handle('comm.follow', (follow: CommFollow) => this.#follow(follow));
    endpoint.handle('comm.unfollow', ({ kernelId }: Pick<CommFollow, 'kernelId'>) => {
      this.#followed.delete(kernelId);
      return null;
    });
    // What was told before the answer is heard before it.
    endpoint.handle('comm.flush', ({ kernelId }: Pick<CommFollow, 'kernelId'>) => {
      this.#followed.get(kernelId)?.flush();
      return null;
    });
    endpoint.handle('comm.send', (send: CommSend) => this.#send(send));
  }

  /** Answers once nothing of what the kernel says from now on is missed. */
  #follow(follow: CommFollow): null {
    const { kernelId } = follow;
    if (this.#followed.has(kernelId)) return null;
    const followed = new FollowedComms(follow, this.#endpoint);
    this.#followed.set(kernelId, followed);
    const connection = this.#kernels.connection(kernelId);
    if (connection) followed.connected(connection);
    return null;
  }

  #send(send: CommSend): Promise<null> {
    const connection = this.#kernels.connection(send.kernelId);
    const followed = this.#followed.get(send.kernelId);
    if (!connection || !followed) throw new ConnectionClosedError('The kernel is not connected.');
    return followed.send(connection, { ...send, data: record(send.data) });
  }
}
