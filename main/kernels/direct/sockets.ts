/**
 * The whole ZeroMQ boundary: five sockets to one kernel. Nothing else imports `zeromq`. Only ever connects: a bind at the descriptor limit
 * aborts the process inside libzmq. Shell and stdin share one identity, else input requests find nobody.
 */
import { context, Dealer, Request, type Socket, Subscriber } from 'zeromq';
import type { ConnectionInfo } from '../connection.ts';
import type { Channel } from '../messages.ts';
import { ChannelReader, type SocketListener } from './channel-reader.ts';
import { failureToOpen } from './exhaustion.ts';
import { IdleMemory } from './idle-memory.ts';

/** libzmq's own default (1023) is five per kernel and one per monitor: about 170 kernels. */
const MAX_SOCKETS = 65_536;

/** libzmq's default of 100 ms costs a fifth of a kernel's start, because the first connect comes before the kernel listens. */
const RECONNECT_MS = 10;

/** A socket, and both ends of its monitor. */
const MONITORED_DESCRIPTORS = 3;

/**
 * Sockets whose monitor has only one end, because the last descriptor was taken in between. They are never closed: libzmq would wait for ever
 * for somebody to read that the monitor ends, in the one thread that closes all sockets.
 */
const halfMonitored: Subscriber[] = [];

/** Of the whole process: what one kernel's flood leaves is collected when all of them are quiet. */
const memory = new IdleMemory();

const COMMON = {
  // Closing must not wait for a kernel that reads no more.
  linger: 0,
  // No limit: the default of 1000 drops messages in a flood.
  receiveHighWaterMark: 0,
  reconnectInterval: RECONNECT_MS,
} as const;

/** No limit here either: a send that blocks would hold up every later one. */
const SENDING = { ...COMMON, sendHighWaterMark: 0 } as const;

export interface KernelSockets {
  /** Resolves when the socket has taken the message. Messages of one channel keep their order. */
  send(channel: Exclude<Channel, 'iopub'>, frames: Uint8Array[]): Promise<void>;
  /** Resolves when the kernel's iopub has answered for the first time: what it publishes from now on arrives. */
  readonly iopubUp: Promise<void>;
  /** One heartbeat: true when the kernel echoed it in time. Not to be called while another is on its way. */
  beat(timeoutMs: number): Promise<boolean>;
  /** True while a message has been received but not been handled. */
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
    // First, while no connection that is being made takes descriptors.
    const { iopub, iopubUp } = monitoredSubscriber();
    keep(iopub, connection.iopub_port);
    const shell = keep(new Dealer({ ...SENDING, routingId: identity }), connection.shell_port);
    const stdin = keep(new Dealer({ ...SENDING, routingId: identity }), connection.stdin_port);
    const control = keep(new Dealer({ ...SENDING, routingId: identity }), connection.control_port);
    // Relaxed and correlated: after a missed beat the next may be sent, and a late echo does not count for it.
    const heartbeat = keep(new Request({ ...SENDING, relaxed: true, correlate: true }), connection.hb_port);
    const readers = [
      new ChannelReader('shell', shell, listener),
      new ChannelReader('stdin', stdin, listener),
      new ChannelReader('control', control, listener),
      new ChannelReader('iopub', iopub, listener, memory),
    ];
    const senders = { shell: sendQueue(shell), stdin: sendQueue(stdin), control: sendQueue(control) };
    return {
      send: (channel, frames) => senders[channel](frames),
      iopubUp,
      beat: (timeoutMs) => beat(heartbeat, timeoutMs),
      get hasUnread() {
        return readers.some((reader) => reader.hasUnread);
      },
      close: () => closeAll(opened),
    };
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

/** Subscribed to everything, and not connected yet. Throws EMFILE with nothing left open. */
function monitoredSubscriber(): { iopub: Subscriber; iopubUp: Promise<void> } {
  const lack = failureToOpen(MONITORED_DESCRIPTORS);
  if (lack) throw lack;
  const iopub = new Subscriber(COMMON);
  try {
    const { events } = iopub;
    const iopubUp = new Promise<void>((resolve) => events.on('handshake', () => resolve()));
    iopub.subscribe();
    return { iopub, iopubUp };
  } catch (error) {
    halfMonitored.push(iopub);
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
