/**
 * What can be had back from a damaged notebook: its cells, and where git left two versions of one, both of them. Pure: text in, cells out, and
 * a whole new notebook once it is clear which versions count.
 */

import { FIRST_MINOR_WITH_IDS, newCellId } from '../cell-ids.ts';
import { formatJson, USUAL_STYLE } from '../json-text.ts';
import { type CellFace, matchCells } from '../outside/match-cells.ts';
import { sameText } from '../outside/merge-cell.ts';
import { mergeOrder } from '../outside/merge-order.ts';
import { toLines } from '../source-lines.ts';
import { convertOldNotebook } from '../v3-convert.ts';
import { conflictSides } from './conflict-sides.ts';
import { type Fault, readLenient } from './lenient-json.ts';
import { isObject, type SoundCell, soundCells } from './sound-cells.ts';

export type Choice = 'ours' | 'theirs' | 'both' | { source: string };

export interface RecoveredCell {
  key: string;
  /** Null on the side that does not have the cell. The same on both sides where they agree. */
  ours: SoundCell | null;
  theirs: SoundCell | null;
  /** Both sides changed it, so somebody has to choose. */
  open: boolean;
  /** What is taken unless somebody chooses. */
  choice: 'ours' | 'theirs';
}

export interface Recovered {
  cells: RecoveredCell[];
  /** What was mended beside the cells, in sentences. */
  notes: string[];
  faults: Fault[];
  minor: number;
  metadata: string;
  /** Git's names of the two sides; null without conflict markers. */
  sides: { ours: string; theirs: string } | null;
}

/** Null when the text has nothing that looks like a notebook's cells. */
export function recover(text: string, name: string): Recovered | null {
  const sides = conflictSides(text);
  if (!sides) {
    const side = readSide(text, name);
    return side && { ...side, cells: side.cells.map((cell, place) => agreed(cell, place)), sides: null };
  }
  const [ours, theirs] = [readSide(sides.ours, name), readSide(sides.theirs, name)];
  if (!ours || !theirs) {
    const whole = ours ?? theirs;
    return whole && { ...whole, cells: whole.cells.map((cell, place) => agreed(cell, place)), sides: null };
  }
  const base = sides.base === null ? null : readSide(sides.base, name);
  const minor = Math.max(ours.minor, theirs.minor);
  return {
    cells: joinSides(ours.cells, theirs.cells, base?.cells ?? null),
    notes: [...new Set([...ours.notes, ...theirs.notes])],
    faults: ours.faults,
    minor,
    metadata: ours.metadata,
    sides: { ours: sides.names.ours || 'ours', theirs: sides.names.theirs || 'theirs' },
  };
}

interface SideCells extends Pick<Recovered, 'notes' | 'faults' | 'minor' | 'metadata'> {
  cells: SoundCell[];
}

const KNOWN_MINORS = [0, 1, 2, 3, 4, 5];

function readSide(text: string, name: string): SideCells | null {
  const { value, faults, places, cut } = readLenient(text);
  const notebook = findNotebook(value);
  if (!notebook) return null;
  const notes: string[] = [];
  if (notebook !== value) notes.push('The cells did not lie where a notebook has them.');
  if (Array.isArray(notebook.worksheets) && !Array.isArray(notebook.cells)) {
    const converted = convertOldNotebook(notebook, 3, name);
    const side = readSide(converted.text, name);
    return side && { ...side, faults, notes: ['It is of nbformat 3 and was converted.', ...side.notes] };
  }
  const known = KNOWN_MINORS.includes(notebook.nbformat_minor as number);
  const minor = known ? (notebook.nbformat_minor as number) : likelyMinor(notebook.cells as unknown[]);
  if (!known && !cut) notes.push(`Its nbformat version was missing; it is written as 4.${minor}.`);
  const { cells, dropped } = soundCells(notebook.cells as unknown[], {
    hasIds: minor >= FIRST_MINOR_WITH_IDS,
    placeOf: (object) => places.get(object),
    text,
  });
  if (dropped > 0) notes.push(`${dropped} ${dropped === 1 ? 'entry that is no cell was' : 'entries that are no cells were'} left out.`);
  if (cut) notes.push('What came after the place where the file is cut off is lost.');
  if (cells.length === 0) return null;
  return { cells, notes, faults, minor, metadata: metadataText(notebook.metadata, text, places) };
}

/** From 4.5 on cells have ids. */
function likelyMinor(cells: readonly unknown[]): number {
  return cells.some((cell) => isObject(cell) && 'id' in cell) ? FIRST_MINOR_WITH_IDS : FIRST_MINOR_WITH_IDS - 1;
}

function metadataText(metadata: unknown, text: string, places: ReturnType<typeof readLenient>['places']): string {
  if (!isObject(metadata)) return '{}';
  const place = places.get(metadata);
  return place && !place.faulty ? text.slice(place.start, place.end) : formatJson(metadata, USUAL_STYLE, 1);
}

/** The notebook in a value: itself, the bare list of its cells, or the one that lies in it (as in an answer of a Jupyter server). */
function findNotebook(value: unknown): Record<string, unknown> | null {
  if (Array.isArray(value)) return value.some((item) => isObject(item) && 'cell_type' in item) ? { cells: value } : null;
  if (!isObject(value)) return null;
  if (Array.isArray(value.cells) || Array.isArray(value.worksheets)) return value;
  for (const inner of Object.values(value)) if (isObject(inner) && Array.isArray(inner.cells)) return inner;
  return null;
}

function agreed(cell: SoundCell, place: number): RecoveredCell {
  return { key: `r${place}`, ours: cell, theirs: cell, open: false, choice: 'ours' };
}

function joinSides(ours: readonly SoundCell[], theirs: readonly SoundCell[], base: readonly SoundCell[] | null): RecoveredCell[] {
  const match = matchFaces(ours, theirs);
  const ourKeys = ours.map((_cell, place) => `o${place}`);
  const theirKeys = theirs.map((_cell, place) => (match[place] === -1 ? `t${place}` : `o${match[place]}`));
  const cells = new Map<string, RecoveredCell>();
  const [ourBase, theirBase] = [ours, theirs].map((side) => (base ? matchFaces(base, side) : side.map(() => -1)));
  ours.forEach((cell, place) => {
    const place2 = match.indexOf(place);
    const their = place2 === -1 ? null : theirs[place2]!;
    const was = base?.[ourBase![place]!] ?? (place2 === -1 ? null : base?.[theirBase![place2]!]) ?? null;
    cells.set(ourKeys[place]!, joinCell(ourKeys[place]!, cell, their, was));
  });
  theirs.forEach((cell, place) => {
    if (match[place] === -1) cells.set(theirKeys[place]!, joinCell(theirKeys[place]!, null, cell, base?.[theirBase![place]!] ?? null));
  });
  const common = ourKeys.filter((key) => theirKeys.includes(key));
  return mergeOrder(common, ourKeys, theirKeys, new Set(cells.keys())).map((key) => cells.get(key)!);
}

/** Ids that were given here tell nothing. */
function matchFaces(base: readonly SoundCell[], theirs: readonly SoundCell[]): number[] {
  const face = ({ ownId, type, source }: SoundCell): CellFace => ({ id: ownId, type, source });
  return matchCells(base.map(face), theirs.map(face));
}

/** With what both came from known, a change on one side alone needs no choice. */
function joinCell(key: string, ours: SoundCell | null, theirs: SoundCell | null, base: SoundCell | null): RecoveredCell {
  const same = (a: SoundCell | null, b: SoundCell | null): boolean => a !== null && b !== null && sameText(a, b);
  if (same(ours, theirs)) return { key, ours, theirs, open: false, choice: 'ours' };
  if (base && same(ours, base)) return { key, ours, theirs, open: false, choice: 'theirs' };
  if (base && same(theirs, base)) return { key, ours, theirs, open: false, choice: 'ours' };
  return { key, ours, theirs, open: true, choice: ours ? 'ours' : 'theirs' };
}

/** How many cells still wait for a choice. */
export function openChoices({ cells }: Recovered, choices: ReadonlyMap<string, Choice>): number {
  return cells.filter(({ key, open }) => open && !choices.has(key)).length;
}

/** The whole notebook with these choices. */
export function repairedText({ cells, minor, metadata }: Recovered, choices: ReadonlyMap<string, Choice>): string {
  const ids = new Set<string>();
  const texts = cells.flatMap((cell) => chosenTexts(cell, choices.get(cell.key) ?? cell.choice, ids, minor));
  const list = texts.length === 0 ? '[]' : `[\n  ${texts.join(',\n  ')}\n ]`;
  return `{\n "cells": ${list},\n "metadata": ${metadata},\n "nbformat": 4,\n "nbformat_minor": ${minor}\n}\n`;
}

function chosenTexts({ ours, theirs }: RecoveredCell, choice: Choice, ids: Set<string>, minor: number): string[] {
  const chosen = choice === 'both' ? [ours, theirs] : choice === 'ours' ? [ours] : choice === 'theirs' ? [theirs] : [ours ?? theirs];
  return chosen
    .filter((cell) => cell !== null)
    .map((cell) => {
      const changes: Record<string, unknown> = {};
      if (typeof choice === 'object') changes.source = toLines(choice.source);
      // Two versions of a cell that are both kept can't share their id; sides of two versions of the format differ in having one.
      if (minor < FIRST_MINOR_WITH_IDS ? cell.id !== null : cell.id === null || ids.has(cell.id)) changes.id = freshId(minor, ids);
      const id = (changes.id as string | undefined) ?? cell.id;
      if (id !== null) ids.add(id);
      return Object.keys(changes).length === 0 ? cell.json : withFields(cell.json, changes);
    });
}

function freshId(minor: number, ids: ReadonlySet<string>): string | undefined {
  return minor < FIRST_MINOR_WITH_IDS ? undefined : newCellId(ids);
}

/** The cell with other values for some fields, without those that are undefined. */
function withFields(json: string, changes: Record<string, unknown>): string {
  const { value } = readLenient(json);
  return formatJson({ ...(value as object), ...changes }, USUAL_STYLE, 2);
}
