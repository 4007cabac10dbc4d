/**
 * Messages that have been received and not been handled yet, in order. A kernel may send faster than its output can be read, and a publisher that
 * is held up drops messages, so they are always taken in: a few stay in memory, the rest waits on the disk. When the disk has no room they stay
 * in memory after all, because nothing may be lost.
 */
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Bytes that wait in memory: more makes no difference to the speed, less makes every short flood write to the disk. */
const MEMORY_BYTES = 8 * 1024 * 1024;

type Frames = Uint8Array[];

/** Where a message lies in the file: the lengths of its frames, one after the other. */
interface Stored {
  position: number;
  lengths: number[];
}

let files = 0;

export class Backlog {
  readonly #folder: string;
  readonly #memoryBytes: number;
  #inMemory: Frames[] = [];
  #memoryUsed = 0;
  /** Later than everything in `#inMemory`. */
  #waiting: (Stored | Frames)[] = [];
  #next = 0;
  #handle: number | null = null;
  #written = 0;
  #diskFailed = false;

  constructor(folder = tmpdir(), memoryBytes = MEMORY_BYTES) {
    this.#folder = folder;
    this.#memoryBytes = memoryBytes;
  }

  get isEmpty(): boolean {
    return this.#inMemory.length === 0 && this.#next === this.#waiting.length;
  }

  push(frames: Frames): void {
    const bytes = sizeOf(frames);
    if (this.#next === this.#waiting.length && this.#memoryUsed + bytes <= this.#memoryBytes) {
      this.#inMemory.push(frames);
      this.#memoryUsed += bytes;
    } else this.#waiting.push(this.#store(frames) ?? frames);
  }

  /** The oldest message. Throws when there is none, and the file system's error when it can't be read back; then it is the next one's turn. */
  shift(): Frames {
    const first = this.#inMemory.shift();
    if (first) {
      this.#memoryUsed -= sizeOf(first);
      return first;
    }
    const next = this.#waiting[this.#next];
    if (!next) throw new Error('The backlog is empty.');
    this.#next += 1;
    try {
      return Array.isArray(next) ? next : this.#load(next);
    } finally {
      if (this.#next === this.#waiting.length) this.#startOver();
    }
  }

  close(): void {
    this.#inMemory = [];
    this.#waiting = [];
    this.#next = 0;
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
  }

  #store(frames: Frames): Stored | null {
    if (this.#diskFailed) return null;
    const position = this.#written;
    try {
      this.#handle ??= openUnnamed(this.#folder);
      for (const frame of frames) this.#written += writeFully(this.#handle, frame, this.#written);
      return { position, lengths: frames.map((frame) => frame.length) };
    } catch {
      this.#written = position;
      this.#diskFailed = true;
      return null;
    }
  }

  #load({ position, lengths }: Stored): Frames {
    let at = position;
    return lengths.map((length) => {
      const frame = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) {
        const read = readSync(this.#handle!, frame, done, length - done, at + done);
        if (read === 0) throw new Error('The file of waiting messages was cut short.');
        done += read;
      }
      at += length;
      return frame;
    });
  }

  /** Everything has been handled: the file is empty again, and a disk that was full gets another chance. */
  #startOver(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#written = 0;
    this.#diskFailed = false;
    if (this.#handle !== null) ftruncateSync(this.#handle, 0);
  }
}

function sizeOf(frames: Frames): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}

/** A file that is gone with its handle, also when the process is killed; where the system doesn't allow that, its name stays until it is closed. */
function openUnnamed(folder: string): number {
  files += 1;
  const file = path.join(folder, `cellwright-${process.pid}-${files}.backlog`);
  const handle = openSync(file, 'wx+', 0o600);
  try {
    unlinkSync(file);
  } catch {
    // Windows: open files keep their name.
  }
  return handle;
}

function writeFully(handle: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, position + done);
  return bytes.length;
}
