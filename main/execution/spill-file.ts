/**
 * The file that takes a whole stream while only its ends stay in memory. Writing is asynchronous: text that comes faster waits as the text it is,
 * and past a limit whoever brings more waits for the disk, so that a kernel faster than the disk can't fill the memory. A failure is kept and told
 * once; what was written stays.
 */
import { close, openSync, write, writeSync } from 'node:fs';
import { BLOCK_BYTES, freeBlock, takeBlock } from './blocks.ts';
import { isHighSurrogate } from './surrogates.ts';

/** Bytes that may be on their way to the disk at once. */
const IN_FLIGHT_LIMIT = 16 * 1024 * 1024;
/** UTF-16 units that may wait for room among those. A single text may be as long as it is: it is in memory already. */
const WAITING_LIMIT = 4 * 1024 * 1024;
/** Text is gathered up to a block, or for a moment: a write for each printed line costs more than the line. */
const GATHER_MS = 100;
/** A file without new text is closed, since descriptors are few; later text opens it again. */
const IDLE_CLOSE_MS = 2_000;

/** Text is encoded in pieces of this many UTF-16 units, */
const PIECE_UNITS = 64 * 1024;
/** each of which has at most this many bytes of UTF-8. */
const PIECE_BYTES = 3 * PIECE_UNITS;

export class SpillFile {
  readonly file: string;
  readonly #onFailure: (error: Error) => void;
  #handle: number | null;
  #position = 0;
  #inFlight = 0;
  #failure: Error | null = null;
  /** What is not on its way yet. */
  #block: Buffer | null = null;
  #filled = 0;
  /** What there was no room for yet; of the first of them, the units that were encoded. */
  #waiting: string[] = [];
  #first = 0;
  #encoded = 0;
  #waitingUnits = 0;
  /** The first half of a surrogate pair, whose second half comes with the next text. */
  #half = '';
  #gathering: NodeJS.Timeout | null = null;
  #idle: NodeJS.Timeout | null = null;
  #settled: (() => void)[] = [];
  #ended = false;

  /** Makes the file. Throws the file system's error; a later failure goes to `onFailure`, once. */
  constructor(file: string, onFailure: (error: Error) => void) {
    this.file = file;
    this.#onFailure = onFailure;
    this.#handle = openSync(file, 'wx', 0o600);
  }

  get failure(): Error | null {
    return this.#failure;
  }

  append(text: string): void {
    if (this.#failure || this.#ended || text === '') return;
    const whole = this.#half + text;
    const end = isHighSurrogate(whole, whole.length - 1) ? whole.length - 1 : whole.length;
    this.#half = whole.slice(end);
    const isAlone = this.#waitingUnits === 0;
    this.#wait(end === whole.length ? whole : whole.slice(0, end));
    this.#encodeWaiting(() => this.#inFlight + BLOCK_BYTES <= IN_FLIGHT_LIMIT);
    if (!isAlone) this.#encodeWaiting(() => this.#waitingUnits > WAITING_LIMIT);
    this.#gather();
  }

  /** Resolves when everything appended so far is on its way no more. */
  settled(): Promise<void> {
    if (this.#waitingUnits === 0) this.#writeBlock();
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  /** Ends the file. Idempotent. */
  end(): void {
    if (this.#ended) return;
    // Alone, a half becomes U+FFFD.
    this.#wait(this.#half);
    this.#half = '';
    this.#ended = true;
    this.#goOn();
    this.#closeWhenIdle();
  }

  #wait(text: string): void {
    if (text === '' || this.#failure) return;
    this.#waiting.push(text);
    this.#waitingUnits += text.length;
  }

  /** Encodes what waits, piece by piece, for as long as `goesOn`. */
  #encodeWaiting(goesOn: () => boolean): void {
    while (this.#waitingUnits > 0 && !this.#failure && goesOn()) {
      const text = this.#waiting[this.#first]!;
      const from = this.#encoded;
      let to = Math.min(text.length, from + PIECE_UNITS);
      if (to < text.length && isHighSurrogate(text, to - 1)) to -= 1;
      this.#encode(from === 0 && to === text.length ? text : text.slice(from, to));
      if (this.#failure) return;
      this.#encoded = to;
      this.#waitingUnits -= to - from;
      if (to === text.length) this.#next();
    }
  }

  #next(): void {
    // Not kept any longer than it is needed, and not moved for each that goes: many small texts may wait.
    this.#waiting[this.#first] = '';
    this.#first += 1;
    this.#encoded = 0;
    if (this.#waitingUnits > 0) return;
    this.#waiting = [];
    this.#first = 0;
  }

  /** After a write, or at the end: what waits has its turn, and where no more will come, or somebody waits for the file, so has the last block. */
  #goOn(): void {
    this.#encodeWaiting(() => this.#inFlight + BLOCK_BYTES <= IN_FLIGHT_LIMIT);
    if (this.#waitingUnits === 0 && (this.#ended || this.#settled.length > 0)) this.#writeBlock();
    this.#gather();
  }

  /** What has begun a block is written soon, also when nothing comes after it. */
  #gather(): void {
    if (this.#filled > 0) this.#gathering ??= setTimeout(() => this.#writeBlock(), GATHER_MS);
  }

  /** Adds a piece to the block. Encoding into memory that is there costs a fifth of making a buffer for each. */
  #encode(piece: string): void {
    if (BLOCK_BYTES - this.#filled < PIECE_BYTES) this.#writeBlock();
    this.#block ??= takeBlock();
    this.#filled += this.#block.write(piece, this.#filled, 'utf8');
  }

  #writeBlock(): void {
    if (this.#gathering) clearTimeout(this.#gathering);
    this.#gathering = null;
    const block = this.#block;
    const length = this.#filled;
    this.#block = null;
    this.#filled = 0;
    if (!block || length === 0 || this.#failure) return;
    const position = this.#position;
    this.#position += length;
    try {
      this.#handle ??= openSync(this.file, 'r+');
      if (this.#inFlight + length <= IN_FLIGHT_LIMIT) this.#writeLater(this.#handle, block, length, position);
      else {
        writeFully(this.#handle, block.subarray(0, length), position);
        freeBlock(block);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #writeLater(handle: number, block: Buffer, length: number, position: number): void {
    this.#inFlight += length;
    write(handle, block, 0, length, position, (error, written) => {
      this.#inFlight -= length;
      if (error) this.#fail(error);
      else if (written < length) {
        try {
          writeFully(handle, block.subarray(written, length), position + written);
        } catch (cause) {
          this.#fail(cause as Error);
        }
      }
      freeBlock(block);
      this.#goOn();
      if (this.#inFlight > 0) return;
      for (const resolve of this.#settled.splice(0)) resolve();
      this.#closeWhenIdle();
    });
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#waiting = [];
    this.#first = 0;
    this.#waitingUnits = 0;
    this.#closeWhenIdle();
    this.#onFailure(error);
  }

  #closeWhenIdle(): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#ended || this.#failure) this.#close();
    else {
      this.#idle = setTimeout(() => this.#close(), IDLE_CLOSE_MS);
      this.#idle.unref();
    }
  }

  #close(): void {
    if (this.#inFlight > 0 || this.#handle === null) return;
    const handle = this.#handle;
    this.#handle = null;
    close(handle, (error) => {
      // Some file systems say only now that the disk is full.
      if (error) this.#fail(error);
    });
  }
}

/** Writes all of it, however little the disk takes at once. */
function writeFully(handle: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, position + done);
}
