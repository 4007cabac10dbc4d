/**
 * Writes a file's pieces in order, in few calls and without joining large ones. A disk that hears of 50 MB at the last fsync alone stands idle while
 * they are written, so it is told of them on the way. The hard thing is that a disk tells a failure once: one that comes early must not get lost.
 */
import type { FileHandle } from 'node:fs/promises';

/** Small neighbours are joined up to this size, so that a file of thousands of pieces takes few calls. */
const JOIN_BYTES = 1_000_000;
/** Largest single write, so that the disk can be told in between; the system may take less, so every write loops. */
const WRITE_BYTES = 8_000_000;
/** The disk is told after so many bytes. A small file is told of once, at its end, which costs the least. */
const EARLY_SYNC_BYTES = 16_000_000;
/** On macOS each such call also empties the drive's own cache; on Windows it holds up the writes that follow. */
const TELLS_EARLY = process.platform === 'linux';

/** Resolves when all is written, though not yet surely on the disk: that is for the fsync that has to follow. */
export async function writePieces(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  const disk = new EarlySync(file);
  try {
    for (const part of joined(pieces)) {
      for (let at = 0; at < part.length; ) {
        const { bytesWritten } = await file.write(part, at, Math.min(WRITE_BYTES, part.length - at));
        at += bytesWritten;
        disk.written(bytesWritten);
      }
    }
  } finally {
    await disk.ended();
  }
  disk.check();
}

/** The same bytes in parts that are each large, or all that there is. */
function* joined(pieces: readonly Buffer[]): Generator<Buffer> {
  let small: Buffer[] = [];
  let smallBytes = 0;
  for (const piece of pieces) {
    if (smallBytes > 0 && smallBytes + piece.length > JOIN_BYTES) {
      yield small.length === 1 ? small[0]! : Buffer.concat(small);
      small = [];
      smallBytes = 0;
    }
    if (piece.length > JOIN_BYTES) yield piece;
    else {
      small.push(piece);
      smallBytes += piece.length;
    }
  }
  if (smallBytes > 0) yield small.length === 1 ? small[0]! : Buffer.concat(small);
}

class EarlySync {
  readonly #file: FileHandle;
  #waiting = 0;
  #running: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  written(bytes: number): void {
    this.#waiting += bytes;
    if (!TELLS_EARLY || this.#running || this.#waiting < EARLY_SYNC_BYTES) return;
    this.#waiting = 0;
    this.#running = this.#file
      .datasync()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running = null;
      });
  }

  async ended(): Promise<void> {
    await this.#running;
  }

  /** Throws what the disk told. */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
