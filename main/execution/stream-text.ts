/**
 * The text of one stream output: a terminal in front, a bounded window behind, and the difference between what was said last and what is
 * true now as a few splices. Differences are taken when somebody asks, so a flood between two questions costs no more than one redraw.
 */
import { StreamWindow, WINDOW_LIMITS, type WindowLimits } from './stream-window.ts';
import { isHighSurrogate, isLowSurrogate } from './surrogates.ts';
import { Terminal } from './terminal.ts';

export interface Splice {
  at: number;
  remove: number;
  insert: string;
}

export interface LeftOut {
  lines: number;
  bytes: number;
  at: number;
}

/** A message is read in slices of this many units: the window then never holds much more than its limit. */
const SLICE_UNITS = 1024 * 1024;
/**
 * Text kept from a message larger than this is copied, so that the message itself can go. What is kept lies together, so of smaller messages
 * never more than two are kept alive beyond it.
 */
const DETACH_UNITS = 1024 * 1024;

/** What the other side has been told. */
interface Told {
  headLength: number | null;
  tailStart: number;
  end: number;
  screen: string;
}

export class StreamText {
  readonly #terminal = new Terminal();
  readonly #window: StreamWindow;
  #told: Told | null = null;
  #changed = false;

  constructor(limits: WindowLimits = WINDOW_LIMITS) {
    this.#window = new StreamWindow(limits);
  }

  write(text: string): void {
    for (let from = 0; from < text.length; from += SLICE_UNITS) {
      const slice = from === 0 && text.length <= SLICE_UNITS ? text : text.slice(from, from + SLICE_UNITS);
      for (const settled of this.#terminal.write(slice)) this.#window.push(settled);
    }
    if (text.length > DETACH_UNITS) {
      this.#terminal.detach();
      this.#window.detach();
    }
    this.#changed = true;
  }

  /** True while the last words of `take` or `takeAll` are out of date. */
  get changed(): boolean {
    return this.#changed;
  }

  get leftOut(): LeftOut | null {
    return this.#window.omitted;
  }

  /** UTF-16 units kept in memory, about. */
  get weight(): number {
    return (this.#window.head?.length ?? 0) + this.#window.end - this.#window.tailStart;
  }

  /** The whole text as it is now. */
  text(): string {
    return (this.#window.head ?? '') + this.#window.tail() + this.#terminal.screen();
  }

  /** The whole text, which counts as told from now on. */
  takeAll(): string {
    const screen = this.#terminal.screen();
    this.#tell(screen);
    return (this.#window.head ?? '') + this.#window.tail() + screen;
  }

  /** The splices that bring the text last told up to date, to be applied in order. */
  take(): Splice[] {
    const told = this.#told;
    if (!told) return [{ at: 0, remove: 0, insert: this.takeAll() }];
    const screen = this.#terminal.screen();
    const splices = this.#difference(told, screen);
    this.#tell(screen);
    return splices;
  }

  #tell(screen: string): void {
    const { head, tailStart, end } = this.#window;
    this.#told = { headLength: head?.length ?? null, tailStart, end, screen };
    this.#changed = false;
  }

  #difference(told: Told, screen: string): Splice[] {
    const { head, tailStart, end } = this.#window;
    const toldLength = (told.headLength ?? 0) + told.end - told.tailStart + told.screen.length;
    if (told.end < tailStart) {
      // Nothing after the head is left of what was told.
      const at = Math.min(head!.length, told.headLength ?? told.end);
      return [{ at, remove: toldLength - at, insert: head!.slice(at) + this.#window.tail() + screen }];
    }
    const splices: Splice[] = [];
    const cut = head === null ? 0 : told.headLength === null ? tailStart - head.length : tailStart - told.tailStart;
    if (cut > 0) splices.push({ at: head!.length, remove: cut, insert: '' });
    const next = (end > told.end ? this.#window.tail(told.end) : '') + screen;
    const change = spliceBetween(told.screen, next);
    if (change) splices.push({ ...change, at: change.at + toldLength - cut - told.screen.length });
    return splices;
  }
}

/** The smallest single splice that makes `after` of `before`, or null when they are equal. Never cuts a surrogate pair. */
export function spliceBetween(before: string, after: string): Splice | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = after.startsWith(before) ? before.length : 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (start > 0 && isHighSurrogate(before, start - 1)) start -= 1;
  let same = 0;
  while (same < shorter - start && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)) same += 1;
  if (same > 0 && isLowSurrogate(before, before.length - same)) same -= 1;
  return { at: start, remove: before.length - start - same, insert: after.slice(start, after.length - same) };
}
