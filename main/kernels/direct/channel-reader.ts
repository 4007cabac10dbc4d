/**
 * Reads one socket for as long as it is open. Two things make it more than a loop: while messages are there, `receive` never leaves the microtasks,
 * so the event loop has to be given its turns; and handling large messages may be slower than the kernel sends them, so what comes meanwhile is
 * taken out of the socket, where it would stay in memory, into a backlog that is bounded.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Channel } from '../messages.ts';
import { Backlog } from './backlog.ts';
import type { IdleMemory } from './idle-memory.ts';

/**
 * Bytes taken in or handled before the event loop gets its turn. zeromq gives it one after 512 messages: with large ones that is half a gigabyte,
 * whose memory is given back only then.
 */
const TURN_BYTES = 2 * 1024 * 1024;
/** After a message this large it is asked whether others wait. Asking costs as much as handling a small one. */
const LARGE_BYTES = 64 * 1024;
/** Most that is taken in before the next message is handled. */
const TAKE_IN_BYTES = 64 * 1024 * 1024;
/** Waited after a receive that failed for no reason of ours, so that a lasting fault does not spin. */
const RECEIVE_RETRY_MS = 100;

export interface SocketListener {
  /** One multipart message. May throw: the error goes to `onError` and the reader lives. */
  onFrames(channel: Channel, frames: Uint8Array[]): void;
  onError(channel: Channel, error: unknown): void;
}

/** What of a socket is needed to read it. */
export interface Receiver {
  readonly closed: boolean;
  /** True when `receive` would not have to wait. */
  readonly readable: boolean;
  receive(): Promise<Uint8Array[]>;
}

export class ChannelReader {
  readonly #channel: Channel;
  readonly #socket: Receiver;
  readonly #listener: SocketListener;
  readonly #backlog = new Backlog();
  readonly #memory: Pick<IdleMemory, 'used'> | null;
  /** Bytes taken out of the socket or handled. */
  #sinceTurn = 0;

  /** Reads from now on until the socket is closed. `memory` is told of what is read. */
  constructor(channel: Channel, socket: Receiver, listener: SocketListener, memory: Pick<IdleMemory, 'used'> | null = null) {
    this.#memory = memory;
    this.#channel = channel;
    this.#socket = socket;
    this.#listener = listener;
    void this.#run();
  }

  /** True while a message has been received but not been handled. */
  get hasUnread(): boolean {
    return !this.#socket.closed && (!this.#backlog.isEmpty || this.#socket.readable);
  }

  async #run(): Promise<void> {
    while (!this.#socket.closed) {
      let bytes = 0;
      try {
        const frames = this.#backlog.isEmpty ? await this.#socket.receive() : this.#backlog.shift();
        bytes = sizeOf(frames);
        this.#memory?.used(bytes);
        this.#listener.onFrames(this.#channel, frames);
        if (bytes >= LARGE_BYTES || !this.#backlog.isEmpty) await this.#takeIn();
      } catch (error) {
        // A close ends the pending receive with an error of its own.
        if (this.#socket.closed) break;
        this.#listener.onError(this.#channel, error);
        if (isSocketError(error)) await delay(RECEIVE_RETRY_MS);
      }
      if (this.#owesTurn(bytes)) await nextTurn();
    }
    this.#backlog.close();
  }

  /** Moves what waits in the socket to the backlog. */
  async #takeIn(): Promise<void> {
    for (let taken = 0; taken < TAKE_IN_BYTES && !this.#socket.closed && this.#socket.readable; ) {
      const frames = await this.#socket.receive();
      const bytes = sizeOf(frames);
      taken += bytes;
      this.#backlog.push(frames);
      if (this.#owesTurn(bytes)) await nextTurn();
    }
  }

  /** Counts bytes; true when the event loop has waited long enough for its turn. */
  #owesTurn(bytes: number): boolean {
    this.#sinceTurn += bytes;
    if (this.#sinceTurn < TURN_BYTES) return false;
    this.#sinceTurn = 0;
    return true;
  }
}

function sizeOf(frames: readonly Uint8Array[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && 'errno' in error;
}
