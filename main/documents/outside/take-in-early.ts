/**
 * Another version that changes thousands of cells, taken in in slices: cells that nobody has touched here take their new source before the rest is
 * merged in one turn, so that main answers in between. Each slice leaves a cell and what is known of its file agreeing, whatever is typed next.
 */
import type * as Y from 'yjs';
import { type CellFields, cellFields, setSource } from '../../../preload/notebook-model.ts';
import type { DocumentCells } from '../document-cells.ts';
import { sameJson } from '../json-text.ts';
import { nextTurn } from '../pacing.ts';
import { OUTSIDE_ORIGIN } from './apply-plan.ts';
import type { Comparison } from './compare-versions.ts';
import type { DiskVersion } from './read-version.ts';
import { withMyOutputs } from './take-in.ts';

/** Fewer changes than this take no longer than a frame, all at once. */
const MANY = 200;
/** Cells in one slice: a few milliseconds with everything that hears of them. */
const SLICE = 50;

/** The keys of the cells that were taken in. In `comparison` they count as the same from then on. */
export async function takeInEarly(cells: DocumentCells, ydoc: Y.Doc, version: DiskVersion, comparison: Comparison): Promise<string[]> {
  const { same, match } = comparison;
  const known = cells.fileKeys;
  const places = same.flatMap((isSame, place) => (isSame || match[place] === -1 ? [] : [place]));
  if (places.length < MANY || version.hasIds !== cells.hasIds) return [];
  const doubled = doubledIds(version);
  const taken: string[] = [];
  for (let from = 0; from < places.length; from += SLICE) {
    ydoc.transact(() => {
      for (const place of places.slice(from, from + SLICE)) {
        const key = known[match[place]!]!;
        if (comparison.outputsDiffer[place] || !takeSource(cells, ydoc, key, version.cells[place]!, doubled)) continue;
        same[place] = true;
        taken.push(key);
      }
    }, OUTSIDE_ORIGIN);
    await nextTurn();
  }
  return taken;
}

function doubledIds(version: DiskVersion): Set<string> {
  const seen = new Set<string>();
  const doubled = new Set<string>();
  for (const { fields } of version.cells) {
    if (fields.id !== null && seen.has(fields.id)) doubled.add(fields.id);
    if (fields.id !== null) seen.add(fields.id);
  }
  return doubled;
}

/** False for a cell that differs in more than its source, or that somebody here has changed. */
function takeSource(
  cells: DocumentCells,
  ydoc: Y.Doc,
  key: string,
  { record: theirs, fields }: DiskVersion['cells'][number],
  doubled: ReadonlySet<string>,
): boolean {
  const mine = cells.record(key);
  if (!mine?.base || !cells.find(key) || !cells.isAsInFile(key)) return false;
  if (!differsInSourceAlone(cellFields(ydoc, key), fields) || (fields.id !== null && doubled.has(fields.id))) return false;
  cells.replaceRecord(key, { ...withMyOutputs(mine, { ...theirs }, false), place: mine.place });
  setSource(ydoc, key, fields.source);
  return true;
}

function differsInSourceAlone(mine: CellFields, theirs: CellFields): boolean {
  return mine.type === theirs.type && mine.id === theirs.id && sameJson(mine.metadata, theirs.metadata);
}
