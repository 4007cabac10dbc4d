/**
 * The file as it was last known beside the one on disk: which cells are which, which kept their bytes, which have other outputs. All that can
 * be found out without the live document, and so in slices, while the person types on.
 */
import type { CellBase } from '../cell-record.ts';
import { decodeJson, sameJson } from '../json-text.ts';
import { findMember, type ObjectText } from '../object-splice.ts';
import { inSlices, nextTurn, pacer } from '../pacing.ts';
import { matchingSteps } from './match-cells.ts';
import type { DiskVersion } from './read-version.ts';

export interface Comparison {
  /** For each cell on disk the place of the same cell in the file as it was known, or -1. */
  match: number[];
  same: boolean[];
  outputsDiffer: boolean[];
  /** Cells on disk that have lost their outputs, which are kept here until somebody says otherwise. */
  keptOutputs: ReadonlySet<number>;
}

/** Outputs larger than this (bytes) are compared by their text alone: decoding them would hold up main. */
const DECODE_BYTES = 500_000;

export async function compareVersions(known: readonly CellBase[], version: DiskVersion): Promise<Comparison> {
  const faces = known.map(({ id, type, text }) => ({ id, type, source: text }));
  const theirs = version.cells.map(({ fields }) => fields);
  const match = await inSlices(matchingSteps(faces, theirs));
  const same: boolean[] = [];
  const outputsDiffer: boolean[] = [];
  const breathe = pacer();
  for (const [place, { record }] of version.cells.entries()) {
    const base = match[place] === -1 ? null : known[match[place]!]!;
    const now = record.base!;
    same.push(base !== null && textOf(base.raw).equals(textOf(now.raw)));
    outputsDiffer.push(!same[place] && haveOtherOutputs(base, now));
    const turn = breathe();
    if (turn) await turn;
  }
  await nextTurn();
  return { match, same, outputsDiffer, keptOutputs: new Set() };
}

function textOf({ bytes, start, end }: { bytes: Buffer; start: number; end: number }): Buffer {
  return bytes.subarray(start, end);
}

function haveOtherOutputs(base: CellBase | null, now: CellBase): boolean {
  const after = outputsText(now.raw);
  if (!base) return after !== null || now.executionCount !== null;
  const before = outputsText(base.raw);
  if (base.executionCount !== now.executionCount) return true;
  if (!before || !after) return before !== after;
  if (before.equals(after)) return false;
  if (Math.max(before.length, after.length) > DECODE_BYTES) return true;
  return !sameJson(decodeJson(before), decodeJson(after));
}

/** Null when there are none. */
function outputsText(raw: ObjectText): Buffer | null {
  const member = findMember(raw, 'outputs');
  return member && member.count > 0 ? raw.bytes.subarray(member.start, member.end) : null;
}
