/**
 * A stream as an agent reads it: what a terminal would show, without colours and links. State is kept across chunks, so progress bars are one
 * line and a sequence cut in two never shows.
 */
import { withoutStyles } from './sgr.ts';
import { Terminal } from './terminal.ts';

export class PlainStream {
  readonly #terminal = new Terminal();

  /** Takes a chunk and gives the text that can't change any more. */
  write(chunk: string): string {
    return withoutStyles(this.#terminal.write(chunk).join(''));
  }

  /** The rest as it is now, which goes after what `write` gave. */
  rest(): string {
    return withoutStyles(this.#terminal.screen());
  }

  /** Copies what can still change, so that it doesn't keep the larger chunk alive that it was cut from. */
  detach(): void {
    this.#terminal.detach();
  }
}
