/**
 * A notebook file as text with known places: what stands before the cells, each cell's own slice, what stands between and after them.
 * Values of it never change; an edit makes a new one that shares every untouched slice, so what was not touched can't change.
 */
import { NotebookOpenError } from './errors.ts';
import { detectStyle } from './file-style.ts';
import { type JsonNode, type JsonScanner, scanAtOnce, scanInSlices } from './json-spans.ts';
import { type FileStyle, newline, separator } from './json-text.ts';
import { type Member, membersOf, type NewValue, type ObjectText, spliceMembers } from './object-splice.ts';

/** Nesting depth of the lines of cells, and of the members in a cell. */
export const CELL_DEPTH = 2;
export const MEMBER_DEPTH = 3;

/** A run of bytes in some buffer. */
export interface Slice {
  bytes: Buffer;
  start: number;
  end: number;
}

export interface RawCell extends ObjectText {
  /** What stands between the bracket or cell before and this cell. */
  lead: Slice;
}

/** A part of the top-level object outside of the cells, with the members that lie in it. */
interface Region extends Slice {
  members: readonly Member[];
}

export interface NotebookFile {
  style: FileStyle;
  /** From the first byte (byte order mark included) to the bracket that opens the cells. */
  head: Region;
  cells: readonly RawCell[];
  /** Between the last cell and the closing bracket. */
  trail: Slice;
  /** From the closing bracket to the last byte. */
  tail: Region;
  /** The file holds bare NaN or Infinity, which most readers refuse. */
  hasBareTokens: boolean;
}

/** Reads the text without blocking. `start` skips a byte order mark. Throws JsonSyntaxError. */
export function scanNotebook(bytes: Buffer, start = 0): Promise<JsonScanner> {
  return scanInSlices(bytes, { start, keepDepth: MEMBER_DEPTH });
}

/** The same at once, with its structure, for small files. Throws JsonSyntaxError and NotebookOpenError. */
export function parseNotebookAtOnce(bytes: Buffer, start = 0): NotebookFile {
  return notebookFromScan(bytes, scanAtOnce(bytes, { start, keepDepth: MEMBER_DEPTH }));
}

/** The structure of a text that was read. Throws NotebookOpenError when it is JSON but no notebook. */
export function notebookFromScan(bytes: Buffer, scanner: JsonScanner): NotebookFile {
  const root = scanner.root;
  if (root.kind !== 'object') throw notNotebook(`Its top level is ${article(root.kind)}, not an object.`);
  const cells = root.children!.findLast((member) => member.key === 'cells');
  if (!cells) throw notNotebook('It has no "cells".');
  if (cells.kind !== 'array') throw notNotebook(`Its "cells" is ${article(cells.kind)}, not an array.`);
  const members = membersOf(root);
  const inHead = members.filter((member) => member.start < cells.start);
  const inTail = members.filter((member) => member.start > cells.start);
  const elements = cells.children!;
  const closing = cells.end - 1;
  return {
    style: detectStyle(bytes, root),
    head: { bytes, start: 0, end: cells.start + 1, members: inHead },
    cells: elements.map((element, index) => rawCell(bytes, element, index, index === 0 ? cells.start + 1 : elements[index - 1]!.end)),
    trail: { bytes, start: elements.at(-1)?.end ?? cells.start + 1, end: closing },
    tail: { bytes, start: closing, end: bytes.length, members: inTail },
    hasBareTokens: scanner.hasBareTokens,
  };
}

function rawCell(bytes: Buffer, element: JsonNode, index: number, leadStart: number): RawCell {
  if (element.kind !== 'object') throw notNotebook(`Its cells[${index}] is ${article(element.kind)}, not an object.`);
  return {
    bytes,
    start: element.start,
    end: element.end,
    // As they were read, without a copy of each: members of an object have keys.
    members: element.children as Member[],
    lead: { bytes, start: leadStart, end: element.start },
  };
}

function article(kind: JsonNode['kind']): string {
  return kind === 'array' || kind === 'object' ? `an ${kind}` : kind === 'literal' ? 'a plain value' : `a ${kind}`;
}

export function notNotebook(detail: string): NotebookOpenError {
  return new NotebookOpenError(
    'not-notebook',
    `The file is JSON but not a notebook. ${detail}`,
    'Open it in a text editor to see what it is.',
  );
}

/** A member of the top-level object other than the cells: its text, or null when it is missing. */
export function topMember(file: NotebookFile, key: string): Slice | null {
  for (const region of [file.tail, file.head]) {
    const member = region.members.findLast((candidate) => candidate.key === key);
    if (member) return { bytes: region.bytes, start: member.start, end: member.end };
  }
  return null;
}

/** The file with another text for a top-level member, which is added after the cells when it is missing. */
export function withTopMember(file: NotebookFile, key: string, value: NewValue): NotebookFile {
  for (const part of ['tail', 'head'] as const) {
    const region = file[part];
    const member = region.members.findLast((candidate) => candidate.key === key);
    if (member) return { ...file, [part]: replaceInRegion(region, member, value) };
  }
  const label = Buffer.from(separator(file.style, 1) + JSON.stringify(key) + file.style.colon);
  const { bytes, start, end, members } = file.tail;
  const text = Buffer.concat([Buffer.from(']'), label, value.text, bytes.subarray(start + 1, end)]);
  const keyStart = 1 + separator(file.style, 1).length;
  const added: Member = { key, keyStart, start: 1 + label.length, end: 1 + label.length + value.text.length, count: value.count };
  const shift = label.length + value.text.length - start;
  return { ...file, tail: { bytes: text, start: 0, end: text.length, members: [added, ...members.map((member) => moved(member, shift))] } };
}

function replaceInRegion(region: Region, target: Member, value: NewValue): Region {
  const text = Buffer.concat([
    region.bytes.subarray(region.start, target.start),
    value.text,
    region.bytes.subarray(target.end, region.end),
  ]);
  const growth = value.text.length - (target.end - target.start);
  const members = region.members.map((member) => {
    if (member === target) return { ...moved(member, -region.start), end: target.end - region.start + growth, count: value.count };
    return moved(member, member.start > target.start ? growth - region.start : -region.start);
  });
  return { bytes: text, start: 0, end: text.length, members };
}

function moved(member: Member, by: number): Member {
  return { ...member, keyStart: member.keyStart + by, start: member.start + by, end: member.end + by };
}

/** A cell for `arrange`: its text, and its index in the file before, or -1 for a new cell. */
export interface PlacedCell {
  raw: ObjectText;
  from: number;
}

/**
 * The file with these cells. Two cells that followed each other before keep what stood between them; other neighbours get the file's usual
 * separator.
 */
export function arrange(file: NotebookFile, placed: readonly PlacedCell[]): NotebookFile {
  if (placed.length === 0) {
    const nothing: Slice = { bytes: Buffer.alloc(0), start: 0, end: 0 };
    return { ...file, cells: [], trail: file.cells.length === 0 ? file.trail : nothing };
  }
  const first = file.cells[0];
  const opening = first ? first.lead : textSlice(newline(file.style, CELL_DEPTH));
  const between = file.cells[1]?.lead ?? textSlice(first ? betweenFrom(file, first.lead) : separator(file.style, CELL_DEPTH));
  const cells = placed.map(({ raw, from }, index): RawCell => {
    const old = from === -1 ? undefined : file.cells[from]!;
    const neighbours = old && index > 0 && from > 0 && placed[index - 1]!.from === from - 1;
    const lead = index === 0 ? opening : neighbours ? old.lead : between;
    if (old === raw && old.lead === lead) return old;
    return { bytes: raw.bytes, start: raw.start, end: raw.end, members: raw.members, lead };
  });
  return { ...file, cells, trail: first ? file.trail : textSlice(newline(file.style, CELL_DEPTH - 1)) };
}

/** A separator in the manner of what stands before the only cell. */
function betweenFrom(file: NotebookFile, lead: Slice): string {
  const text = lead.bytes.toString('latin1', lead.start, lead.end);
  return text.includes('\n') ? `,${text}` : file.style.indent === null ? file.style.comma : ', ';
}

function textSlice(text: string): Slice {
  const bytes = Buffer.from(text);
  return { bytes, start: 0, end: bytes.length };
}

/** The cell with some members changed; `from` its file's style. */
export function changeCell(cell: ObjectText, changes: ReadonlyMap<string, NewValue | null>, style: FileStyle): ObjectText {
  return changes.size === 0 ? cell : spliceMembers(cell, changes, style, MEMBER_DEPTH);
}

/** The whole text as few pieces as possible: neighbours in one buffer are one piece. */
export function filePieces(file: NotebookFile): Buffer[] {
  const pieces: Buffer[] = [];
  let run: Slice = { ...file.head };
  const add = (next: Slice): void => {
    if (next.bytes === run.bytes && next.start === run.end) run.end = next.end;
    else if (next.end > next.start) {
      if (run.end > run.start) pieces.push(run.bytes.subarray(run.start, run.end));
      run = { bytes: next.bytes, start: next.start, end: next.end };
    }
  };
  for (const cell of file.cells) {
    add(cell.lead);
    add(cell);
  }
  add(file.trail);
  add(file.tail);
  pieces.push(run.bytes.subarray(run.start, run.end));
  return pieces;
}

export function fileBytes(file: NotebookFile): Buffer {
  return Buffer.concat(filePieces(file));
}
