/**
 * Reads the JSON of a file while the rest of the file is still on its way from the disk, so that opening takes as long as the slower of the two and
 * not as both. The hard thing is where the bytes that have come end: a number or an escape there may go on, so reading stops a little before.
 */
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
        await nextTurn();
      }
    } catch {
      // What is wrong is found and told when all of the file is there.
      this.#failed = true;
    }
  }

  /** The structure of the whole text; null when the text is wrong or has not come to its end. */
  get whole(): JsonScanner | null {
    return this.#ended ? this.#scanner : null;
  }
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
