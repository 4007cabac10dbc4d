/**
 * What a file that another program wrote anew lacks of the cells that it still has: outputs, settings, attachments, the notebook's own metadata. That
 * is how a notebook looks that was written from its sources alone, and nobody can get it back afterwards; so losing much of it is asked about first.
 */
import { type CellBase, memberSlice } from '../cell-record.ts';
import type { NotebookFile } from '../notebook-file.ts';
import { metadataKeys } from '../notebook-metadata.ts';
import { findMember, type ObjectText } from '../object-splice.ts';
import { pacer } from '../pacing.ts';
import { fileMetadata } from '../raw-cell.ts';
import type { Comparison } from './compare-versions.ts';
import type { DiskVersion } from './read-version.ts';

export interface StrippedParts {
  /** Places, in the new version, of cells without what they had. An execution count alone counts as outputs, but is no reason to ask. */
  outputs: ReadonlySet<number>;
  settings: ReadonlySet<number>;
  attachments: ReadonlySet<number>;
  /** Entries of the notebook's metadata. */
  entries: readonly string[];
}

/** One cell that was cleared is somebody's wish. */
const FEWEST = 2;

/** Null when the file lacks nothing, or too little to ask about: less than half of what there was. Works in slices. */
export async function strippedParts(
  known: { file: NotebookFile; cells: readonly CellBase[] },
  version: DiskVersion,
  match: Comparison['match'],
): Promise<StrippedParts | null> {
  const outputs = new Set<number>();
  const settings = new Set<number>();
  const attachments = new Set<number>();
  const counts = new Set<number>();
  let had = 0;
  const breathe = pacer();
  for (const [place, { record }] of version.cells.entries()) {
    await breathe();
    const before = match[place] === -1 ? undefined : known.cells[match[place]!]!.raw;
    const now = record.base!.raw;
    if (!before) continue;
    if (known.cells[match[place]!]!.executionCount !== null && record.base!.executionCount === null && lacks(now, 'outputs'))
      counts.add(place);
    for (const [name, lost] of [
      ['outputs', outputs],
      ['metadata', settings],
      ['attachments', attachments],
    ] as const) {
      if (entriesOf(before, name) === 0) continue;
      had += 1;
      if (lacks(now, name) && canHave(name, record.base!)) lost.add(place);
    }
  }
  const inCells = outputs.size + settings.size + attachments.size;
  // Metadata may hold megabytes of widgets: it is only gone through where cells have lost something.
  if (inCells + 1 < FEWEST) return null;
  const there = new Set(metadataKeys(version.file));
  const mine = metadataKeys(known.file);
  const entries = mine.filter((key) => !there.has(key));
  const isBare = mine.length > 0 && entries.length === mine.length;
  const lost = inCells + (isBare ? 1 : 0);
  const all = had + (mine.length > 0 ? 1 : 0);
  if (lost < FEWEST || lost * 2 < all) return null;
  return { outputs: new Set([...outputs, ...counts]), settings, attachments, entries };
}

function entriesOf(cell: ObjectText, name: string): number {
  return findMember(cell, name)?.count ?? 0;
}

/** Empty attachments are some program's way to say that there are none, which a save leaves alone. */
function lacks(cell: ObjectText, name: string): boolean {
  return name === 'attachments' ? !findMember(cell, name) : entriesOf(cell, name) === 0;
}

/** A cell of another type has no place for these. */
function canHave(name: 'outputs' | 'metadata' | 'attachments', { type }: CellBase): boolean {
  return name === 'metadata' || (name === 'outputs') === (type === 'code');
}

/**
 * The version as if it had the settings and attachments that it lacks; its file stays as it is, so that they count as unsaved. A cell that has all it
 * had before gets its bytes of before with the next save.
 */
export function withKeptParts(
  version: DiskVersion,
  { outputs, settings, attachments }: StrippedParts,
  known: readonly CellBase[],
  match: Comparison['match'],
): DiskVersion {
  const cells = version.cells.map(({ record, fields }, place) => {
    if (![outputs, settings, attachments].some((places) => places.has(place))) return { record, fields };
    const original = known[match[place]!]!;
    const kept = { ...record, original };
    if (attachments.has(place)) kept.attachments = memberSlice(original.raw, 'attachments');
    return { record: kept, fields: settings.has(place) ? { ...fields, metadata: fileMetadata(original.raw) } : fields };
  });
  return { ...version, cells };
}
