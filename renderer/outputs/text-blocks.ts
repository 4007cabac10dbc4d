/**
 * Long text cut into blocks of whole lines, so that a stream that grows sixty times a second redraws only its last block. A block's end
 * depends on the line it ends in and not on a count from the start: when old text is taken away in front, the blocks behind it stay the
 * same objects. Pure; the splitter keeps nothing but the last result.
 */
import type { AnsiStyle } from './ansi.ts';
import { endStyle, PLAIN, parseAnsi, sameStyle } from './ansi.ts';
import { movesCursor, settleText } from './terminal-text.ts';

export interface TextBlock {
  /** Unique within one splitter: the key under which the block is drawn. */
  id: number;
  text: string;
  /** Line feeds in `text`, and one more when it does not end in one. */
  lines: number;
  start: AnsiStyle;
  end: AnsiStyle;
  /** No escape sequence or address in it: one text node is enough. */
  plain: boolean;
  /** Ends where a later growth of the text can't move its end. */
  closed: boolean;
}

export interface BlockSize {
  /** Lines after which a block may end, and after which it must. */
  min: number;
  max: number;
  /** Power of two: one line in so many ends a block. */
  spread: number;
}

const WHOLE: BlockSize = { min: 60, max: 240, spread: 64 };
/** Pieces of one coloured block, whose lines are many elements each: small, since the last piece is drawn with each growth. */
export const PIECES: BlockSize = { min: 6, max: 24, spread: 8 };
/** A line longer than this is cut: one endless line would be one endless block. Drawn, the cut looks like a wrapped line. */
const MAX_CHARACTERS = 24_000;
/** How many old blocks are tried when the text no longer matches at a place: what a burst can push out in front in one frame. */
const RESYNC = 16;

export function createSplitter(size: BlockSize = WHOLE): (text: string, start?: AnsiStyle) => readonly TextBlock[] {
  let lastText: string | null = null;
  let blocks: readonly TextBlock[] = [];
  let nextId = 0;
  let lastStart = PLAIN;
  return (text, start = PLAIN) => {
    if (text === lastText && sameStyle(start, lastStart)) return blocks;
    lastText = text;
    lastStart = start;
    const task: SplitTask = { previous: blocks, start, size, nextId: () => nextId++ };
    blocks = split(text, task) ?? split(settleText(text), task) ?? [];
    return blocks;
  };
}

interface SplitTask {
  previous: readonly TextBlock[];
  start: AnsiStyle;
  size: BlockSize;
  nextId: () => number;
}

/** Null when the new part of the text moves a cursor and must be settled as a whole first. */
function split(text: string, { previous, start, size, nextId }: SplitTask): TextBlock[] | null {
  const blocks: TextBlock[] = [];
  let at = 0;
  let candidate = 0;
  let style = start;
  while (at < text.length) {
    const reused = findReusable(text, at, style, previous, candidate);
    if (reused === -1) {
      const block = readBlock(text, at, { start: style, size, nextId });
      if (block === null) return null;
      // The open block at the end grows: it keeps its key, so that the page keeps its element.
      const grown = previous[candidate];
      const isGrowth = grown && !grown.closed && block.text.startsWith(grown.text);
      blocks.push(isGrowth ? { ...block, id: grown.id } : block);
    } else {
      blocks.push(previous[reused]!);
      candidate = reused + 1;
    }
    at += blocks.at(-1)!.text.length;
    style = blocks.at(-1)!.end;
  }
  return blocks;
}

function findReusable(text: string, at: number, style: AnsiStyle, previous: readonly TextBlock[], from: number): number {
  const last = Math.min(previous.length, from + RESYNC);
  for (let index = from; index < last; index += 1) {
    const block = previous[index]!;
    const isWhole = block.closed || at + block.text.length === text.length;
    if (isWhole && text.startsWith(block.text, at) && sameStyle(block.start, style)) return index;
  }
  return -1;
}

function readBlock(text: string, at: number, { start, size, nextId }: Omit<SplitTask, 'previous'>): TextBlock | null {
  const { end, lines, closed } = blockEnd(text, at, size);
  const content = text.slice(at, end);
  if (movesCursor(content)) return null;
  const isPlain = !content.includes('\x1b');
  return {
    id: nextId(),
    text: content,
    lines,
    start,
    end: isPlain ? start : endStyle(content, start),
    plain: isPlain && sameStyle(start, PLAIN) && !content.includes('://'),
    closed,
  };
}

function blockEnd(text: string, at: number, { min, max, spread }: BlockSize): { end: number; lines: number; closed: boolean } {
  let end = at;
  let lines = 0;
  while (end < text.length) {
    const feed = text.indexOf('\n', end);
    const next = feed === -1 ? text.length : feed + 1;
    if (next - at > MAX_CHARACTERS) {
      // Whole lines so far, or a cut through one line that is too long by itself.
      if (lines > 0) return { end, lines, closed: true };
      return { end: safeCut(text, at + MAX_CHARACTERS), lines: 1, closed: true };
    }
    const line = end;
    end = next;
    lines += 1;
    if (feed !== -1 && (lines >= max || (lines >= min && isBoundary(text, line, feed, spread)))) return { end, lines, closed: true };
  }
  return { end, lines, closed: false };
}

/** Which lines end a block depends on each line alone. Its two ends are enough to tell lines apart. */
function isBoundary(text: string, start: number, end: number, spread: number): boolean {
  let hash = end - start;
  for (let at = start; at < end; at += 1) {
    if (at === start + 24) at = Math.max(at, end - 24);
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return ((hash ^ (hash >>> 7) ^ (hash >>> 15)) & (spread - 1)) === 0;
}

/** Never inside a surrogate pair, nor inside an escape sequence: one that starts just before the cut goes to the next block. */
function safeCut(text: string, at: number): number {
  const sequence = text.lastIndexOf('\x1b', at);
  if (sequence >= 0 && sequence > at - 64 && parseAnsi(text.slice(sequence, at)).pending !== '') return sequence;
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
