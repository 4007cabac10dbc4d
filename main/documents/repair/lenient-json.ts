/**
 * Reads JSON that is damaged: cut off, edited by hand, or with text in it that does not belong there. Nothing stops it; what it had to guess
 * is in `faults`, and an object without a fault in it keeps its place in the text, so that sound parts can be written as they were.
 */

import { isClosing, startsLikeStructure } from './string-ends.ts';

export interface Fault {
  /** UTF-16 offset in the text. */
  offset: number;
  what: string;
}

export interface Place {
  start: number;
  end: number;
  /** Something in it was missing or guessed. */
  faulty: boolean;
  /** The text ended inside of it. */
  cut: boolean;
}

export interface LenientResult {
  value: unknown;
  /** The first faults; damaged text may have one at every letter. */
  faults: Fault[];
  /** Where each object of the value stands. */
  places: WeakMap<object, Place>;
  cut: boolean;
}

const MAX_FAULTS = 100;
/** Deeper nesting is noise; the reader calls itself once for each level. */
const MAX_DEPTH = 200;

const WORDS = new Map<string, unknown>(
  Object.entries({
    true: true,
    false: false,
    null: null,
    True: true,
    False: false,
    None: null,
    NaN: null,
    Infinity: null,
    undefined: null,
  }),
);
/** What makes a word a fault. */
const SOUND_WORDS = ['true', 'false', 'null'];
const ESCAPES = new Map(Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

export function readLenient(text: string): LenientResult {
  const reader = new LenientReader(text);
  const value = reader.readAll();
  return { value, faults: reader.faults, places: reader.places, cut: reader.cut };
}

class LenientReader {
  readonly faults: Fault[] = [];
  readonly places = new WeakMap<object, Place>();
  cut = false;
  readonly #text: string;
  #pos = 0;
  #faultCount = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The first object or array of the text; null when there is none. */
  readAll(): unknown {
    const start = this.#text.search(/[[{]/);
    if (start === -1) {
      this.#fault(0, 'there is no JSON object in the text');
      return null;
    }
    if (
      this.#text
        .slice(0, start)
        .replace(/^\ufeff/, '')
        .trim() !== ''
    )
      this.#fault(0, 'there is text before the first brace');
    this.#pos = start;
    const value = this.#value(0, false);
    this.#skipBlanks();
    if (this.#pos < this.#text.length) this.#fault(this.#pos, 'there is more text after the end');
    return value;
  }

  #fault(offset: number, what: string): void {
    this.#faultCount += 1;
    if (this.faults.length < MAX_FAULTS) this.faults.push({ offset, what });
  }

  #end(): boolean {
    if (this.#pos < this.#text.length) return false;
    if (!this.cut) this.#fault(this.#pos, 'the text ends too early');
    this.cut = true;
    return true;
  }

  /** Blanks and comments. */
  #skipBlanks(): void {
    const blank = /[ \t\r\n]*/y;
    const oddBlank = /[\s\ufeff\0]+/y;
    const comment = /\/\/[^\n]*|#[^\n]*|\/\*.*?(?:\*\/|$)/sy;
    for (;;) {
      blank.lastIndex = this.#pos;
      blank.exec(this.#text);
      this.#pos = blank.lastIndex;
      oddBlank.lastIndex = this.#pos;
      if (oddBlank.test(this.#text)) {
        this.#fault(this.#pos, 'this blank is none in JSON');
        this.#pos = oddBlank.lastIndex;
        continue;
      }
      comment.lastIndex = this.#pos;
      const found = comment.exec(this.#text);
      if (!found || found[0] === '') return;
      this.#fault(this.#pos, 'JSON has no comments');
      this.#pos = comment.lastIndex;
    }
  }

  #value(depth: number, inArray: boolean): unknown {
    const char = this.#text[this.#pos];
    if (char === '{') return this.#container(depth, (start) => this.#object(start, depth, inArray));
    if (char === '[') return this.#container(depth, () => this.#array(depth));
    if (char === '"' || char === "'") return this.#string(char);
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    number.lastIndex = this.#pos;
    const digits = number.exec(this.#text)?.[0];
    if (digits) {
      this.#pos += digits.length;
      return Number(digits);
    }
    return this.#word();
  }

  #container(depth: number, read: (start: number) => unknown): unknown {
    if (depth < MAX_DEPTH) return read(this.#pos);
    this.#fault(this.#pos, 'values are nested too deeply');
    this.#pos += 1;
    return null;
  }

  #word(): unknown {
    const word = /[-\p{L}\p{N}_.+]+/uy;
    word.lastIndex = this.#pos;
    const found = word.exec(this.#text)?.[0];
    if (found === undefined) {
      this.#fault(this.#pos, `${JSON.stringify(this.#text[this.#pos])} does not belong here`);
      this.#pos += 1;
      return undefined;
    }
    if (!SOUND_WORDS.includes(found)) this.#fault(this.#pos, `${JSON.stringify(found.slice(0, 20))} does not belong here`);
    this.#pos += found.length;
    return WORDS.get(found);
  }

  #object(start: number, depth: number, inArray: boolean): Record<string, unknown> {
    const before = this.#faultCount;
    const value: Record<string, unknown> = {};
    this.#pos += 1;
    this.#members(value, depth, inArray);
    this.places.set(value, { start, end: this.#pos, faulty: this.#faultCount > before, cut: this.cut });
    return value;
  }

  #members(value: Record<string, unknown>, depth: number, inArray: boolean): void {
    for (let first = true; ; first = false) {
      const before = this.#pos;
      if (!this.#nextItem(first, '}')) return;
      const char = this.#text[this.#pos];
      // What can't stand in an object belongs to the array around it.
      if (char === ']' || (char === '{' && inArray)) {
        this.#fault(this.#pos, 'a "}" is missing');
        this.#pos = before;
        return;
      }
      if (char !== '"' && char !== "'") {
        this.#skipJunk('a key in double quotes should stand here');
        continue;
      }
      const key = this.#string(char);
      this.#skipBlanks();
      if (this.#text[this.#pos] === ':') this.#pos += 1;
      else if (!this.#end()) this.#fault(this.#pos, 'a colon is missing after the key');
      this.#skipBlanks();
      if (this.#end()) return;
      if (',}]'.includes(this.#text[this.#pos]!)) this.#fault(this.#pos, 'a value is missing');
      else {
        const member = this.#value(depth + 1, false);
        if (member !== undefined)
          Object.defineProperty(value, key, { value: member, enumerable: true, configurable: true, writable: true });
      }
    }
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#pos += 1;
    for (let first = true; ; first = false) {
      const before = this.#pos;
      if (!this.#nextItem(first, ']')) return items;
      const start = this.#pos;
      if (this.#text[start] === '}') {
        this.#fault(start, 'a "]" is missing');
        this.#pos = before;
        return items;
      }
      const item = this.#value(depth + 1, true);
      this.#skipBlanks();
      if (typeof item === 'string' && this.#text[this.#pos] === ':') {
        // A key: the array was never closed, and this is the next member of the object around it.
        this.#fault(start, 'a "]" is missing');
        this.#pos = before;
        return items;
      }
      if (item !== undefined) items.push(item);
    }
  }

  /** Goes to the next member or element. False at the end of the container, which is then behind. */
  #nextItem(first: boolean, close: '}' | ']'): boolean {
    this.#skipBlanks();
    if (this.#end()) return false;
    let commas = 0;
    for (; this.#text[this.#pos] === ','; commas += 1) {
      this.#pos += 1;
      this.#skipBlanks();
    }
    if (this.#end()) return false;
    if (this.#text[this.#pos] === close) {
      if (commas > 0) this.#fault(this.#pos, `a comma stands before "${close}"`);
      this.#pos += 1;
      return false;
    }
    if (commas > 1 || (first && commas > 0)) this.#fault(this.#pos, 'a value is missing before the comma');
    else if (!first && commas === 0 && !'}]'.includes(this.#text[this.#pos]!)) this.#fault(this.#pos, 'a comma is missing');
    return true;
  }

  /** Passes over what can't be read, to the next line or the next sign of structure. */
  #skipJunk(what: string): void {
    this.#fault(this.#pos, what);
    const sign = /[\n"{}[\],]/g;
    sign.lastIndex = this.#pos + 1;
    this.#pos = sign.exec(this.#text)?.index ?? this.#text.length;
  }

  #string(quote: string): string {
    const text = this.#text;
    if (quote === "'") this.#fault(this.#pos, 'JSON strings stand in double quotes');
    let result = '';
    let pos = this.#pos + 1;
    for (;;) {
      const special = quote === '"' ? /["\\\u0000-\u001f]/g : /['\\\u0000-\u001f]/g;
      special.lastIndex = pos;
      const at = special.exec(text)?.index ?? text.length;
      result += text.slice(pos, at);
      this.#pos = at;
      if (this.#end()) return result;
      if (text[at] === '\\') {
        const { value, length } = this.#escape(at);
        result += value;
        pos = at + length;
      } else if (text[at] === quote) {
        if (isClosing(text, at)) {
          this.#pos = at + 1;
          return result;
        }
        this.#fault(at, 'a quote inside of a string must be written \\"');
        result += quote;
        pos = at + 1;
      } else if (text[at] !== '\n') {
        this.#fault(at, 'a control character inside of a string must be escaped');
        result += text[at] === '\r' && text[at + 1] === '\n' ? '' : text[at];
        pos = at + 1;
      } else if (startsLikeStructure(text, at + 1)) {
        this.#fault(at, 'the string is not closed');
        return result.replace(/,\s*$/, '');
      } else {
        this.#fault(at, 'a line break inside of a string must be written \\n');
        result += '\n';
        pos = at + 1;
      }
    }
  }

  #escape(at: number): { value: string; length: number } {
    const letter = this.#text[at + 1];
    const hex = letter === 'u' ? /^[\da-fA-F]{4}/.exec(this.#text.slice(at + 2, at + 6))?.[0] : undefined;
    if (hex) return { value: String.fromCharCode(Number.parseInt(hex, 16)), length: 6 };
    const known = letter === undefined ? '' : ESCAPES.get(letter);
    if (known !== undefined) return { value: known, length: 2 };
    this.#fault(at, 'a string holds an unknown escape');
    return { value: '\\', length: 1 };
  }
}
