/**
 * Another version of thousands of cells, taken in in slices: what is known of cells that are the same in it, and the new source of cells that nobody
 * has touched here, come in before the rest is merged in one turn, so that main answers in between. Each slice leaves a cell and what is known of its
 * file agreeing, whatever is typed next.
 */
import type * as Y from 'yjs';
import { type CellFields, cellFields, setSource } from '../../../preload/notebook-model.ts';
import type { CellRecord } from '../cell-record.ts';
import type { DocumentCells } from '../document-cells.ts';
import { sameJson } from '../json-text.ts';
import { nextTurn, pacer } from '../pacing.ts';
import { OUTSIDE_ORIGIN } from './apply-plan.ts';
import type { Comparison } from './compare-versions.ts';
import type { DiskVersion } from './read-version.ts';
import { withMyOutputs } from './take-in.ts';

/** Fewer changes than this take no longer than a frame, all at once. */
const MANY = 200;
/** Cells in one slice: a few milliseconds with everything that hears of them. */
const SLICE = 25;

/** The keys of the cells whose source was taken in. In `comparison` they count as the same from then on. */
export async function takeInEarly(cells: DocumentCells, ydoc: Y.Doc, version: DiskVersion, comparison: Comparison): Promise<string[]> {
  const { same, match } = comparison;
  const known = cells.fileKeys;
  if (version.cells.length >= MANY) await takeRecords(cells, version, comparison);
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

/** The records of the cells that are the same become those of the new text, which has the same bytes. Where they lie there is told by the merge. */
async function takeRecords(cells: DocumentCells, version: DiskVersion, { same, match }: Comparison): Promise<void> {
  const known = cells.fileKeys;
  await nextTurn();
  const breathe = pacer();
  for (const [place, { record: theirs }] of version.cells.entries()) {
    if (!same[place]) continue;
    const key = known[match[place]!]!;
    takeRecord(cells, key, cells.record(key)!, theirs);
    const turn = breathe();
    if (turn) await turn;
  }
  await nextTurn();
}

/** What is known of the file is the new version's; what is the document's own stays. */
function takeRecord(cells: DocumentCells, key: string, mine: CellRecord, theirs: CellRecord): void {
  const { place, spelling } = mine;
  cells.replaceRecord(key, Object.assign(withMyOutputs(mine, theirs, false), { place, spelling }));
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
  takeRecord(cells, key, mine, theirs);
  setSource(ydoc, key, fields.source);
  return true;
}

function differsInSourceAlone(mine: CellFields, theirs: CellFields): boolean {
  return mine.type === theirs.type && mine.id === theirs.id && sameJson(mine.metadata, theirs.metadata);
}
