/**
 * The file that takes a whole stream while only its ends stay in memory. Writing is asynchronous up to a limit of bytes on their way; past it the
 * writer waits for the disk, so that a kernel faster than the disk can't fill the memory. A failure is kept and told once; what
 * was written stays.
 */
import { close, openSync, write, writeSync } from 'node:fs';
import { isHighSurrogate } from './surrogates.ts';

/** Bytes that may be on their way to the disk at once. */
const IN_FLIGHT_LIMIT = 16 * 1024 * 1024;
/** Text is encoded in pieces of this many UTF-16 units, so that a huge message needs no second copy of its size. */
const PIECE_UNITS = 1024 * 1024;
/** Text is gathered up to this many UTF-16 units, or for a moment: a write for each printed line costs more than the line. */
const GATHER_UNITS = 64 * 1024;
const GATHER_MS = 100;
/** A file without new text is closed, since descriptors are few; later text opens it again. */
const IDLE_CLOSE_MS = 2_000;

export class SpillFile {
  readonly file: string;
  readonly #onFailure: (error: Error) => void;
  #handle: number | null;
  #position = 0;
  #inFlight = 0;
  #failure: Error | null = null;
  #gathered = '';
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

  /** Bytes given to the disk so far. */
  get bytes(): number {
    return this.#position;
  }

  append(text: string): void {
    if (this.#failure || this.#ended) return;
    if (text.length >= GATHER_UNITS) {
      this.#writeGathered();
      // Usually nothing is left over, and joining would copy the whole text.
      this.#writeText(this.#gathered === '' ? text : this.#gathered + text);
      return;
    }
    this.#gathered += text;
    if (this.#gathered.length >= GATHER_UNITS) this.#writeGathered();
    else this.#gathering ??= setTimeout(() => this.#writeGathered(), GATHER_MS);
  }

  /** Resolves when everything appended so far is on its way no more. */
  settled(): Promise<void> {
    this.#writeGathered();
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  /** Ends the file. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#writeGathered();
    if (this.#gathered !== '' && !this.#failure) this.#write(encoded(this.#gathered));
    this.#gathered = '';
    this.#ended = true;
    this.#closeWhenIdle();
  }

  #writeGathered(): void {
    if (this.#gathering) clearTimeout(this.#gathering);
    this.#gathering = null;
    this.#writeText(this.#gathered);
  }

  /** Writes all but the first half of a surrogate pair at the end, whose second half comes with the next text. */
  #writeText(text: string): void {
    const end = isHighSurrogate(text, text.length - 1) ? text.length - 1 : text.length;
    this.#gathered = text.slice(end);
    for (let from = 0; from < end && !this.#failure; ) {
      let to = Math.min(end, from + PIECE_UNITS);
      if (to < end && isHighSurrogate(text, to - 1)) to += 1;
      this.#write(encoded(from === 0 && to === text.length ? text : text.slice(from, to)));
      from = to;
    }
  }

  #write(bytes: Buffer): void {
    const position = this.#position;
    this.#position += bytes.length;
    try {
      this.#handle ??= openSync(this.file, 'r+');
      if (this.#inFlight + bytes.length > IN_FLIGHT_LIMIT) writeFully(this.#handle, bytes, position);
      else this.#writeLater(this.#handle, bytes, position);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #writeLater(handle: number, bytes: Buffer, position: number): void {
    this.#inFlight += bytes.length;
    write(handle, bytes, 0, bytes.length, position, (error, written) => {
      this.#inFlight -= bytes.length;
      if (error) this.#fail(error);
      else if (written < bytes.length) {
        try {
          writeFully(handle, bytes.subarray(written), position + written);
        } catch (cause) {
          this.#fail(cause as Error);
        }
      }
      if (this.#inFlight > 0) return;
      for (const resolve of this.#settled.splice(0)) resolve();
      this.#closeWhenIdle();
    });
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
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

/** UTF-8. ASCII, which most output is, is only copied. */
function encoded(text: string): Buffer {
  return Buffer.from(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8');
}

/** Writes all of it, however little the disk takes at once. */
function writeFully(handle: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, position + done);
}
