/**
 * Reads the JSON of a file while the rest of the file is still on its way from the disk, so that opening takes as long as the slower of the two and
 * not as both. The hard thing is where the bytes that have come end: a number, an escape or a character there may go on, so reading stops a little
 * before.
 */
import { isUtf8 } from 'node:buffer';
import { JsonScanner, type ScanOptions, SLICE_BYTES } from './json-spans.ts';
import { nextTurn } from './pacing.ts';

/** Longest escape or word that can begin before the place where reading stops. */
const LONGEST_TOKEN = 16;
/** How far back a place is looked for that no number goes over. Without one the next bytes are waited for. */
const LOOK_BACK = 64_000;

export class GrowingScan {
  readonly #bytes: Buffer;
  readonly #scanner: JsonScanner;
  #failed = false;
  #ended = false;
  #checked = 0;

  /** `bytes` has room for the whole file already. */
  constructor(bytes: Buffer, options: ScanOptions) {
    this.#bytes = bytes;
    this.#scanner = new JsonScanner(bytes, options);
  }

  /** Reads as much as the first `available` bytes allow, in slices. */
  async upTo(available: number): Promise<void> {
    const stop = available === this.#bytes.length ? available : safeEnd(this.#bytes, available);
    try {
      while (!this.#failed && !this.#ended && this.#scanner.position < stop) {
        this.#ended = this.#scanner.advance(Math.min(SLICE_BYTES, stop - this.#scanner.position));
        this.#failed = !this.#isText(this.#scanner.position);
        await nextTurn();
      }
    } catch {
      // What is wrong is found and told when all of the file is there.
      this.#failed = true;
    }
  }

  /** Whether the bytes that were just read, and so are near, are UTF-8. A character that is not whole yet is left to the next ones. */
  #isText(until: number): boolean {
    const from = this.#checked;
    this.#checked = until === this.#bytes.length ? until : characterStart(this.#bytes, until);
    return isUtf8(this.#bytes.subarray(from, this.#checked));
  }

  /** The structure of the whole text; null when the text is wrong, is not UTF-8, or has not come to its end. */
  get whole(): JsonScanner | null {
    return this.#ended && !this.#failed ? this.#scanner : null;
  }
}

/** The end of what is there without the character that may go on: no character has more than three bytes after its first. */
function characterStart(bytes: Buffer, end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - 3); at -= 1) {
    if (bytes[at]! >= 0xc0) return at;
    if (bytes[at]! < 0x80) break;
  }
  return end;
}

/** The last place before `available` where no number, word or escape can go over what is there; 0 when there is none nearby. */
function safeEnd(bytes: Buffer, available: number): number {
  const last = available - LONGEST_TOKEN;
  for (let at = last; at > 0 && at > last - LOOK_BACK; at -= 1) {
    const byte = bytes[at]!;
    // No number holds a quote, a comma or a line feed.
    if (byte === 0x22 || byte === 0x2c || byte === 0x0a) return at;
  }
  return 0;
}
