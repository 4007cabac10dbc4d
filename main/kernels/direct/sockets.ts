/**
 * The whole ZeroMQ boundary: five sockets to one kernel. Nothing else imports `zeromq`. Only ever connects: a bind at the descriptor limit
 * aborts the process inside libzmq. Shell and stdin share one identity, else input requests find nobody.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { context, Dealer, Request, type Socket, Subscriber } from 'zeromq';
import type { ConnectionInfo } from '../connection.ts';
import type { Channel } from '../messages.ts';

/** libzmq's own default (1023) is five per kernel and one per monitor: about 170 kernels. */
const MAX_SOCKETS = 65_536;

/** libzmq's default of 100 ms costs a fifth of a kernel's start, because the first connect comes before the kernel listens. */
const RECONNECT_MS = 10;

/** Waited after a receive that failed for no reason of ours, so that a lasting fault does not spin. */
const RECEIVE_RETRY_MS = 100;

const COMMON = {
  // Closing must not wait for a kernel that reads no more.
  linger: 0,
  // No limit: the default of 1000 drops messages in a flood.
  receiveHighWaterMark: 0,
  reconnectInterval: RECONNECT_MS,
} as const;

/** No limit here either: a send that blocks would hold up every later one. */
const SENDING = { ...COMMON, sendHighWaterMark: 0 } as const;

export interface SocketListener {
  /** One multipart message. May throw: the error goes to `onError` and the reader lives. */
  onFrames(channel: Channel, frames: Uint8Array[]): void;
  onError(channel: Channel, error: unknown): void;
}

export interface KernelSockets {
  /** Resolves when the socket has taken the message. Messages of one channel keep their order. */
  send(channel: Exclude<Channel, 'iopub'>, frames: Uint8Array[]): Promise<void>;
  /** Resolves when the kernel's iopub has answered for the first time: what it publishes from now on arrives. */
  readonly iopubUp: Promise<void>;
  /** One heartbeat: true when the kernel echoed it in time. Not to be called while another is on its way. */
  beat(timeoutMs: number): Promise<boolean>;
  /** True while a message has been received but not been read. */
  readonly hasUnread: boolean;
  close(): void;
}

/** Opens and connects all five. Throws with code EMFILE when descriptors or sockets have run out; then none stays open. */
export function openSockets(connection: ConnectionInfo, identity: string, listener: SocketListener): KernelSockets {
  if (context.maxSockets < MAX_SOCKETS) context.maxSockets = MAX_SOCKETS;
  const opened: Socket[] = [];
  const keep = <S extends Socket>(socket: S, port: number): S => {
    opened.push(socket);
    socket.connect(address(connection, port));
    return socket;
  };
  try {
    const shell = keep(new Dealer({ ...SENDING, routingId: identity }), connection.shell_port);
    const stdin = keep(new Dealer({ ...SENDING, routingId: identity }), connection.stdin_port);
    const control = keep(new Dealer({ ...SENDING, routingId: identity }), connection.control_port);
    const iopub = new Subscriber(COMMON);
    const iopubUp = new Promise<void>((resolve) => iopub.events.on('handshake', () => resolve()));
    iopub.subscribe();
    keep(iopub, connection.iopub_port);
    // Relaxed and correlated: after a missed beat the next may be sent, and a late echo does not count for it.
    const heartbeat = keep(new Request({ ...SENDING, relaxed: true, correlate: true }), connection.hb_port);
    for (const [channel, socket] of [
      ['shell', shell],
      ['stdin', stdin],
      ['control', control],
      ['iopub', iopub],
    ] as const) {
      void readAll(channel, socket, listener);
    }
    const senders = { shell: sendQueue(shell), stdin: sendQueue(stdin), control: sendQueue(control) };
    return {
      send: (channel, frames) => senders[channel](frames),
      iopubUp,
      beat: (timeoutMs) => beat(heartbeat, timeoutMs),
      get hasUnread() {
        return [shell, stdin, control, iopub].some((socket) => !socket.closed && socket.readable);
      },
      close: () => closeAll(opened),
    };
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

function closeAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.close();
}

function address({ transport, ip }: ConnectionInfo, port: number): string {
  return transport === 'ipc' ? `ipc://${ip}-${port}` : `tcp://${ip}:${port}`;
}

/** Two sends at once on one socket throw EBUSY, so each waits for the one before it. */
function sendQueue(socket: Dealer): (frames: Uint8Array[]) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return (frames) => {
    const sent = last.then(() => socket.send(frames));
    last = sent.catch(() => {});
    return sent;
  };
}

async function readAll(channel: Channel, socket: Dealer | Subscriber, listener: SocketListener): Promise<void> {
  while (!socket.closed) {
    try {
      const frames = await socket.receive();
      listener.onFrames(channel, frames);
    } catch (error) {
      // A close ends the pending receive with an error of its own.
      if (socket.closed) return;
      listener.onError(channel, error);
      if (isSocketError(error)) await delay(RECEIVE_RETRY_MS);
    }
  }
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && 'errno' in error;
}

async function beat(socket: Request, timeoutMs: number): Promise<boolean> {
  try {
    socket.receiveTimeout = timeoutMs;
    await socket.send(BEAT);
    await socket.receive();
    return true;
  } catch {
    return false;
  }
}

const BEAT = Buffer.from('beat');
