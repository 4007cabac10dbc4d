/**
 * Writes text that comes in parts as a JSON array of lines. A part may end anywhere, also inside a surrogate pair, so the last, unfinished
 * line waits for the next part.
 */
import { type FileStyle, newline, separator } from './json-text.ts';

export class LineWriter {
  readonly #opening: string;
  readonly #between: string;
  readonly #closing: string;
  #parts: string[] = [];
  #empty = true;

  /** `depth` is the nesting depth of the line that holds the opening bracket. */
  constructor(style: FileStyle, depth: number) {
    this.#opening = `[${newline(style, depth + 1)}`;
    this.#between = separator(style, depth + 1);
    this.#closing = `${newline(style, depth)}]`;
  }

  /** The text of the lines that `part` completes. */
  push(part: string): string {
    let result = '';
    let start = 0;
    for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', start)) {
      this.#parts.push(part.slice(start, at + 1));
      result += this.#line();
      start = at + 1;
    }
    if (start < part.length) this.#parts.push(part.slice(start));
    return result;
  }

  end(): string {
    const rest = this.#parts.length > 0 ? this.#line() : '';
    return this.#empty ? '[]' : rest + this.#closing;
  }

  #line(): string {
    const text = JSON.stringify(this.#parts.join(''));
    this.#parts = [];
    const before = this.#empty ? this.#opening : this.#between;
    this.#empty = false;
    return before + text;
  }
}
