/**
 * A JSON reader that checks the whole text but keeps only where things are: spans for the upper levels, nothing for what lies deeper.
 * The hard part is that it can stop after any number of bytes and go on later, even inside a string, so that 200 MB never block main:
 * hence an explicit stack and one flat state machine. It reads bytes, so every offset is a byte offset in the file.
 */
import { expectedReason, JsonSyntaxError, tokenReason } from './json-errors.ts';
import { escapeEnd, keyText, numberEnd, skipPlain, textAfter, wordEnd } from './json-tokens.ts';
import { nextTurn } from './pacing.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'literal';

/** A value of one of the kept levels. `start` and `end` (exclusive) are byte offsets in the scanned buffer. */
export interface JsonNode {
  kind: JsonKind;
  /** Key of an object's member, else null. */
  key: string | null;
  /** Offset of the key's opening quote, -1 without a key. */
  keyStart: number;
  start: number;
  end: number;
  /** Number of members or elements, also where they are not kept. */
  count: number;
  /** Members or elements in file order (duplicate keys included), null below the kept levels and for plain values. */
  children: JsonNode[] | null;
}

export interface ScanOptions {
  /** First byte to read; what lies before it (a byte order mark) is skipped but counts in offsets. */
  start?: number;
  end?: number;
  /** Values nested deeper than this are checked but not kept; 0 keeps only the top value. */
  keepDepth: number;
}

/** Python's reader gives up at about 1,000 levels; deeper text is never a notebook, and our own writer recurses. */
export const MAX_DEPTH = 2_000;
/** Kept values cost about 100 bytes each; a text that would make more of them than this is no notebook but an attack on memory. */
const MAX_NODES = 5_000_000;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

const STATE = { value: 0, firstElement: 1, firstKey: 2, key: 3, colon: 4, afterValue: 5, done: 6, inString: 7, inKey: 8 } as const;
type State = (typeof STATE)[keyof typeof STATE];

const OBJECT = 1;
const ARRAY = 0;

export class JsonScanner {
  /** The text has a bare NaN, Infinity or -Infinity: Python writes them though JSON has no such values. */
  hasBareTokens = false;
  /** There is a carriage return between values; inside of them is none. */
  hasCarriageReturn = false;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #end: number;
  readonly #keep: number;
  readonly #kinds = new Uint8Array(MAX_DEPTH + 1);
  readonly #open: JsonNode[] = [];
  #pos: number;
  #state: State = STATE.value;
  #depth = 0;
  #nodes = 0;
  #root: JsonNode | null = null;
  #key: string | null = null;
  #keyStart = -1;
  #stringStart = 0;

  constructor(bytes: Buffer, options: ScanOptions) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#pos = options.start ?? 0;
    this.#end = options.end ?? bytes.length;
    this.#keep = options.keepDepth;
  }

  /** The whole value; only to be asked for after `advance` returned true. */
  get root(): JsonNode {
    if (!this.#root) throw new Error('The text has not been read to its end yet.');
    return this.#root;
  }

  /** Offset of the first byte that was not read yet. */
  get position(): number {
    return this.#pos;
  }

  /** Reads about `budget` bytes more. True when the text was read to its end. Throws JsonSyntaxError. */
  advance(budget = Number.POSITIVE_INFINITY): boolean {
    const bytes = this.#bytes;
    const stop = Math.min(this.#end, this.#pos + budget);
    let pos = this.#pos;
    while (pos < stop) {
      if (this.#state >= STATE.inString) {
        pos = this.#string(pos, stop);
        continue;
      }
      const byte = bytes[pos]!;
      if (byte <= SPACE && (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09)) {
        pos += 1;
        if (byte === 0x0d) this.hasCarriageReturn = true;
        // Indentation is a tenth of a notebook.
        while (pos < stop && bytes[pos] === SPACE) pos += 1;
        continue;
      }
      switch (this.#state) {
        case STATE.afterValue:
          if (byte === COMMA) {
            this.#state = this.#kinds[this.#depth] === OBJECT ? STATE.key : STATE.value;
            pos += 1;
          } else pos = this.#close(byte, pos);
          break;
        case STATE.colon:
          if (byte !== COLON) this.#fail(pos, 'a colon is missing after the key');
          this.#state = STATE.value;
          pos += 1;
          break;
        case STATE.firstKey:
        case STATE.key:
          if (byte === QUOTE) {
            this.#stringStart = pos;
            this.#state = STATE.inKey;
            pos += 1;
          } else if (byte === 0x7d && this.#state === STATE.firstKey) pos = this.#close(byte, pos);
          else
            this.#fail(
              pos,
              byte === 0x7d ? 'a comma stands before "}"' : expectedReason(bytes, pos, 'a key in double quotes should stand here'),
            );
          break;
        case STATE.firstElement:
          if (byte === 0x5d) pos = this.#close(byte, pos);
          else pos = this.#value(byte, pos);
          break;
        case STATE.value:
          pos = this.#value(byte, pos);
          break;
        default:
          this.#fail(pos, 'there is more text after the end of the JSON value');
      }
    }
    this.#pos = pos;
    if (pos < this.#end) return false;
    if (this.#state !== STATE.done) this.#fail(this.#end, 'the text ends too early');
    return true;
  }

  #value(byte: number, pos: number): number {
    switch (byte) {
      case QUOTE:
        this.#stringStart = pos;
        this.#state = STATE.inString;
        return pos + 1;
      case 0x7b:
        return this.#openContainer('object', pos);
      case 0x5b:
        return this.#openContainer('array', pos);
      case 0x74:
        return this.#literal('true', pos);
      case 0x66:
        return this.#literal('false', pos);
      case 0x6e:
        return this.#literal('null', pos);
      case 0x4e:
        this.hasBareTokens = true;
        return this.#literal('NaN', pos);
      case 0x49:
        this.hasBareTokens = true;
        return this.#literal('Infinity', pos);
      default: {
        if (byte === 0x2d && this.#bytes[pos + 1] === 0x49) {
          this.hasBareTokens = true;
          return this.#literal('-Infinity', pos);
        }
        if (byte !== 0x2d && (byte < 0x30 || byte > 0x39)) {
          if (byte === 0x5d && this.#kinds[this.#depth] === ARRAY && this.#depth > 0) this.#fail(pos, 'a comma stands before "]"');
          this.#fail(pos, tokenReason(this.#bytes, pos));
        }
        const end = numberEnd(this.#bytes, pos, this.#end);
        this.#finish('number', pos, end);
        return end;
      }
    }
  }

  #literal(word: string, pos: number): number {
    const end = wordEnd(this.#bytes, word, pos, this.#end);
    this.#finish('literal', pos, end);
    return end;
  }

  /** Goes on inside a string or key, from `pos` to its end or to `stop`. */
  #string(from: number, stop: number): number {
    const bytes = this.#bytes;
    let pos = from;
    for (;;) {
      pos = skipPlain(bytes, this.#view, pos, stop);
      if (pos >= stop) return pos;
      const byte = bytes[pos]!;
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) this.#fail(pos, `a string holds an unescaped control character (0x${byte.toString(16).padStart(2, '0')})`);
      pos = escapeEnd(bytes, pos, this.#end);
    }
    if (this.#state === STATE.inKey) {
      if (this.#depth <= this.#keep) {
        this.#key = keyText(bytes, this.#stringStart, pos + 1);
        this.#keyStart = this.#stringStart;
      }
      this.#state = STATE.colon;
      return pos + 1;
    }
    this.#finish('string', this.#stringStart, pos + 1);
    return this.#depth > this.#keep && this.#kinds[this.#depth] === ARRAY ? this.#texts(pos + 1, stop) : pos + 1;
  }

  /** Over as many texts of an array as follow each other from `from`, the end of a value. */
  #texts(from: number, stop: number): number {
    let pos = from;
    let count = 0;
    for (let after = textAfter(this.#bytes, this.#view, pos, stop); after !== -1; after = textAfter(this.#bytes, this.#view, pos, stop)) {
      pos = after;
      count += 1;
    }
    if (count > 0 && this.#depth - 1 <= this.#keep) this.#open[this.#depth - 1]!.count += count;
    return pos;
  }

  #node(kind: JsonKind, start: number, end: number): JsonNode {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) this.#fail(start, `there are more than ${MAX_NODES.toLocaleString('en')} cells and fields`);
    const inObject = this.#depth > 0 && this.#kinds[this.#depth] === OBJECT;
    const node: JsonNode = {
      kind,
      key: inObject ? this.#key : null,
      keyStart: inObject ? this.#keyStart : -1,
      start,
      end,
      count: 0,
      children: null,
    };
    if (this.#depth === 0) this.#root = node;
    else this.#open[this.#depth - 1]!.children!.push(node);
    return node;
  }

  #openContainer(kind: 'object' | 'array', pos: number): number {
    if (this.#depth >= MAX_DEPTH) this.#fail(pos, `values are nested deeper than ${MAX_DEPTH.toLocaleString('en')} levels`);
    if (this.#depth <= this.#keep) {
      const node = this.#node(kind, pos, pos);
      if (this.#depth < this.#keep) node.children = [];
      this.#open[this.#depth] = node;
    }
    this.#depth += 1;
    this.#kinds[this.#depth] = kind === 'object' ? OBJECT : ARRAY;
    this.#state = kind === 'object' ? STATE.firstKey : STATE.firstElement;
    return pos + 1;
  }

  #close(byte: number, pos: number): number {
    const expected = this.#kinds[this.#depth] === OBJECT ? 0x7d : 0x5d;
    if (byte !== expected)
      this.#fail(pos, expectedReason(this.#bytes, pos, `a comma or "${String.fromCharCode(expected)}" should stand here`));
    this.#depth -= 1;
    if (this.#depth <= this.#keep) this.#open[this.#depth]!.end = pos + 1;
    this.#valueEnded();
    return pos + 1;
  }

  #finish(kind: JsonKind, start: number, end: number): void {
    if (this.#depth <= this.#keep) this.#node(kind, start, end);
    this.#valueEnded();
  }

  #valueEnded(): void {
    if (this.#depth === 0) this.#state = STATE.done;
    else {
      if (this.#depth - 1 <= this.#keep) this.#open[this.#depth - 1]!.count += 1;
      this.#state = STATE.afterValue;
    }
  }

  #fail(offset: number, reason: string): never {
    throw new JsonSyntaxError(this.#bytes, offset, reason);
  }
}

/** Bytes read in one go: up to 3 ms on a slow machine, where cells are many and small, so that main answers in between. */
export const SLICE_BYTES = 1_000_000;

/** Reads the whole text without blocking for longer than one slice. Throws JsonSyntaxError. */
export async function scanInSlices(bytes: Buffer, options: ScanOptions): Promise<JsonScanner> {
  const scanner = new JsonScanner(bytes, options);
  while (!scanner.advance(SLICE_BYTES)) await nextTurn();
  return scanner;
}

/** Reads the whole text at once; for small texts. Throws JsonSyntaxError. */
export function scanAtOnce(bytes: Buffer, options: ScanOptions): JsonScanner {
  const scanner = new JsonScanner(bytes, options);
  scanner.advance();
  return scanner;
}
