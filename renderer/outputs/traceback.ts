/**
 * Python tracebacks, as IPython prints them since version 7, read back into frames, so that the person's own frame can be shown first.
 * The format is text with colours and no contract: whatever is not understood gives `null`, and the text is shown as it came. Pure.
 */
import { stripAnsi } from './ansi.ts';

export interface TracebackLine {
  number: number | null;
  /** The line that was being executed. */
  current: boolean;
  /** Without colours. */
  text: string;
  /** Range of `text` that IPython marks as what failed, in UTF-16 units. */
  mark: readonly [number, number] | null;
}

export interface TracebackFrame {
  /** Place in the whole traceback. */
  step: number;
  /** `Cell In[3], line 2`, `~/project/load.py:14`. */
  place: string;
  /** Function with its arguments, `load(path)`, or null at the top of a cell. */
  call: string | null;
  /** The person's own code: a cell, or a file outside the installed packages and the standard library. */
  own: boolean;
  lines: readonly TracebackLine[];
  /** How often this frame follows itself directly; 1 is once. */
  repeats: number;
}

export interface TracebackPart {
  /** Place among the parts. */
  step: number;
  /** `KeyError: 'a'`; empty when the part has none. */
  title: string;
  frames: readonly TracebackFrame[];
  /** How the part before led to this one, e.g. `During handling of the above exception, another exception occurred:`. */
  relation: string | null;
}

export interface Traceback {
  /** In the order they were raised: the last one is the error itself. */
  parts: readonly TracebackPart[];
}

const CHAIN = /^(The above exception was the direct cause of|During handling of the above exception)/;
const HEADING = /^(Traceback \(most recent call last\):?|\S.*\s{2,}Traceback \(most recent call last\))$/;
const RULE = /^-{20,}$/;
const SKIPPED = /^\s*\[?\.\.\. skipping (?:similar frames: .*?\((\d+) times\)|hidden (\d+) frame)/;
const PLACE = new RegExp(
  [
    '^\\s*(?:File )?(?<ipython7><ipython-input-[^>]+>) in (?<call7>.+)$',
    '^\\s*(?<cell>(?:Cell|Input) In ?\\[\\d+\\](?:, line \\d+)?)(?:,? in (?<callCell>.+?))?$',
    '^\\s*File (?<file>.+?:\\d+)(?:,? in (?<callFile>.+))?$',
    '^\\s*File (?<quoted>"[^"]+", line \\d+)(?:, in (?<callQuoted>.+))?$',
    '^\\s*(?<path7>(?:~|/|[A-Za-z]:\\\\)\\S*\\.py) in (?<callPath7>.+)$',
  ].join('|'),
);
const EXCERPT = /^(-+> ?|\s*)(\d+)( .*|)$/;
const LIBRARY =
  /[\\/](?:site-packages|dist-packages)[\\/]|[\\/]lib(?:64)?[\\/]python\d|[\\/]Lib[\\/](?!site-packages)|^<(?!ipython-input)|<frozen /;

/** Null when this is no traceback of IPython's. */
export function parseTraceback(traceback: readonly string[]): Traceback | null {
  const parts: { step: number; title: string; frames: TracebackFrame[]; relation: string | null }[] = [];
  let part: (typeof parts)[number] = { step: 0, title: '', frames: [], relation: null };
  const close = (relation: string | null): void => {
    if (part.frames.length > 0 || part.title !== '') parts.push(part);
    part = { step: parts.length, title: '', frames: [], relation };
  };
  for (const [step, entry] of traceback.entries()) {
    const plain = stripAnsi(entry);
    const trimmed = plain.trim();
    if (trimmed === '' || RULE.test(trimmed) || HEADING.test(trimmed)) continue;
    const skipped = SKIPPED.exec(trimmed);
    if (CHAIN.test(trimmed)) close(trimmed);
    else if (skipped) countSkipped(part.frames, Number(skipped[1] ?? 0));
    else {
      const frame = parseFrame(entry, step);
      if (frame) {
        addFrame(part.frames, frame.frame);
        if (frame.title !== '') part.title = frame.title;
      } else if (part.title === '') part.title = trimmed;
      else part.title += `\n${trimmed}`;
    }
  }
  close(null);
  return parts.some(({ frames }) => frames.length > 0) ? { parts } : null;
}

/** The frame to show first: the innermost of the person's own, else the innermost. */
export function mainFrame(part: TracebackPart): TracebackFrame | null {
  return part.frames.findLast((frame) => frame.own) ?? part.frames.at(-1) ?? null;
}

/** A recursion of a thousand steps is one frame that says so. */
function addFrame(frames: TracebackFrame[], frame: TracebackFrame): void {
  const last = frames.at(-1);
  const isSame = last && last.place === frame.place && last.call === frame.call;
  if (isSame) frames[frames.length - 1] = { ...last, repeats: last.repeats + 1 };
  else frames.push(frame);
}

function countSkipped(frames: TracebackFrame[], times: number): void {
  const last = frames.at(-1);
  if (last) frames[frames.length - 1] = { ...last, repeats: last.repeats + times };
}

/** A frame's entry: a line that says where, then numbered source lines. A SyntaxError's has source, caret and the error's own title. */
function parseFrame(entry: string, step: number): { frame: TracebackFrame; title: string } | null {
  const [first = '', ...rest] = entry.replace(/\n+$/, '').split('\n');
  const found = PLACE.exec(stripAnsi(first))?.groups;
  if (!found) return null;
  const place = found.cell ?? found.file ?? found.quoted ?? found.ipython7 ?? found.path7 ?? '';
  const call = found.callCell ?? found.callFile ?? found.callQuoted ?? found.call7 ?? found.callPath7 ?? null;
  const isNumbered = rest.length > 0 && rest.every((line) => line === '' || EXCERPT.test(stripAnsi(line)));
  const source = isNumbered ? { lines: rest.map(parseExcerptLine), title: '' } : parseSyntax(rest);
  const hasSource = !source.lines.some(({ text }) => text.includes('Could not get source'));
  return {
    frame: {
      step,
      place: place.replace(/^"(.+)", line (\d+)$/, '$1:$2'),
      call: tidyCall(call),
      own: !LIBRARY.test(place) && hasSource,
      lines: hasSource ? numbered(source.lines, place) : [],
      repeats: 1,
    },
    title: source.title,
  };
}

/** A single source line without a number has the one that its place names. */
function numbered(lines: readonly TracebackLine[], place: string): readonly TracebackLine[] {
  const number = /(?:line |:)(\d+)$/.exec(place)?.[1];
  const only = lines.length === 1 ? lines[0]! : null;
  return number && only?.number === null ? [{ ...only, number: Number(number) }] : lines;
}

function tidyCall(call: string | null): string | null {
  const name = call?.trim() ?? '';
  return name === '' || name === '<module>' || name.startsWith('<cell line') || name === '<module>()' ? null : name;
}

function parseExcerptLine(line: string): TracebackLine {
  const plain = stripAnsi(line);
  const match = EXCERPT.exec(plain);
  if (!match) return { number: null, current: false, text: plain, mark: null };
  const head = match[1]!.length + match[2]!.length + 1;
  return { number: Number(match[2]), current: match[1]!.includes('-'), text: plain.slice(head), mark: markedRange(line, head) };
}

/** IPython 8 and later give a background to the expression that failed. */
function markedRange(line: string, head: number): readonly [number, number] | null {
  let column = 0;
  let isMarked = false;
  let start = -1;
  let end = -1;
  for (const [, codes, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (codes !== undefined) isMarked = nextMarked(isMarked, codes);
    else if (text !== undefined) {
      if (isMarked && start === -1) start = column;
      column += text.length;
      if (isMarked) end = column;
    }
  }
  return start >= head ? [start - head, end - head] : null;
}

function nextMarked(isMarked: boolean, codes: string): boolean {
  const list = codes.split(';').map(Number);
  let marked = isMarked;
  for (let at = 0; at < list.length; at += 1) {
    const code = list[at]!;
    if (code === 38) at += list[at + 1] === 5 ? 2 : 4;
    else if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) marked = true;
    else if (code === 49 || code === 0) marked = code === 0 && marked && list.length > 1;
  }
  return marked;
}

/** Source line and caret of a SyntaxError; the lines after the caret are the title. A frame without numbers has only source. */
function parseSyntax(rest: readonly string[]): { lines: TracebackLine[]; title: string } {
  const plain = rest.map(stripAnsi);
  const caret = plain.findIndex((line) => /^\s*[\^~]+\s*$/.test(line));
  const titleAt = plain.findIndex((line, index) => index > caret && /^[A-Za-z_][\w.]*(?:Error|Exception|Warning)\b/.test(line));
  const source = plain.slice(0, caret >= 0 ? caret : titleAt >= 0 ? titleAt : plain.length);
  const title = titleAt >= 0 ? plain.slice(titleAt).join('\n') : '';
  const indent = Math.min(...source.filter((line) => line.trim()).map((line) => /^ */.exec(line)![0].length), 4);
  const lines = source.map((line, index): TracebackLine => {
    const isLast = index === source.length - 1;
    const mark = isLast && caret >= 0 ? caretRange(plain[caret]!, indent, line.length) : null;
    return { number: null, current: isLast, text: line.slice(indent), mark };
  });
  return { lines, title };
}

function caretRange(caret: string, indent: number, length: number): readonly [number, number] | null {
  const start = caret.search(/[\^~]/) - indent;
  const end = caret.trimEnd().length - indent;
  return start >= 0 && start <= length ? [start, end] : null;
}
