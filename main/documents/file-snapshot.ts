/**
 * A save in two steps: a copy of everything that is to be written, taken at once, and then the new file, made in slices while the document
 * goes on changing. What changes after the copy stays unsaved, so typing during a save is never taken for saved.
 */
import type { CellBase } from './cell-record.ts';
import { type CellDraft, writeCell } from './cell-writer.ts';
import { arrange, type NotebookFile, type PlacedCell } from './notebook-file.ts';
import { type MetadataChanges, withMetadata } from './notebook-metadata.ts';
import { pacer } from './pacing.ts';

export interface Snapshot {
  /** The file as last read or saved. */
  file: NotebookFile;
  /** The file as first read: what is undone after saves gets its first bytes again, those between the cells included. */
  opened: NotebookFile;
  /** Keys in document order. */
  order: readonly string[];
  /** For each cell its index in the file, -1 when it is not in it. */
  places: readonly number[];
  /** The cells whose text has to change. */
  drafts: ReadonlyMap<string, CellDraft>;
  metadata: MetadataChanges;
}

export interface WrittenSnapshot {
  file: NotebookFile;
  /** What the new file has for each drafted cell. */
  bases: ReadonlyMap<string, CellBase>;
  /** Sentences about what could not be written as it was. */
  notes: readonly string[];
}

export async function writeSnapshot({ file, opened, order, places, drafts, metadata }: Snapshot): Promise<WrittenSnapshot> {
  const bases = new Map<string, CellBase>();
  const notes = new Set<string>();
  const placed: PlacedCell[] = [];
  const breathe = pacer();
  for (const [index, key] of order.entries()) {
    const draft = drafts.get(key);
    const from = places[index]!;
    if (draft) {
      const base = await writeCell(draft, file.style, notes);
      bases.set(key, base);
      placed.push({ raw: base.raw, from });
      await breathe();
    } else placed.push({ raw: file.cells[from]!, from });
  }
  return { file: withMetadata(asOpened(arrange(file, placed), opened), metadata), bases, notes: [...notes] };
}

/** The file, with what stood between the cells at first when these are exactly the first cells again. */
function asOpened(file: NotebookFile, opened: NotebookFile): NotebookFile {
  const { cells } = opened;
  if (file.cells.length !== cells.length) return file;
  const same = file.cells.every(({ bytes, start, end }, index) => {
    const first = cells[index]!;
    return bytes === first.bytes && start === first.start && end === first.end;
  });
  return same ? { ...file, cells, trail: opened.trail } : file;
}
