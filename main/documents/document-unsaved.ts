/**
 * What a journal asks of a live document and puts back into it after a crash: how cells, their line ends, runs and metadata differ from
 * the file. Outputs are part of it also where they are not shown because the cell is no code cell for now.
 */
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import type { DocumentCells } from './document-cells.ts';
import type { DocumentMetadata } from './document-metadata.ts';
import type { RestoredRun, RunFacts } from './document-outputs.ts';
import type { MetadataChanges } from './notebook-metadata.ts';
import { findMember } from './object-splice.ts';

export class DocumentUnsaved {
  readonly #cells: DocumentCells;
  readonly #metadata: DocumentMetadata;

  constructor(cells: DocumentCells, metadata: DocumentMetadata) {
    this.#cells = cells;
    this.#metadata = metadata;
  }

  /** Whether there is anything that the file, as it was last read or saved, does not have. */
  get isAny(): boolean {
    return this.#cells.changedBeside(new Set()) || this.#metadata.isUnsaved;
  }

  /** Keys of the cells in the order of the file as last read or saved. */
  get fileKeys(): readonly string[] {
    return this.#cells.fileKeys;
  }

  /** Cells whose text the file does not have. */
  keys(): string[] {
    return this.#cells.unsavedKeys();
  }

  /** Entries of the notebook's metadata that differ from the file's. */
  get metadata(): MetadataChanges {
    return this.#metadata.changes;
  }

  runFacts(key: string): RunFacts {
    return this.#cells.outputs.runFacts(key);
  }

  /** Also those that are not shown because the cell is no code cell now. */
  keptOutputs(key: string): readonly Output<RawPayload>[] {
    return this.#cells.outputs.kept(key);
  }

  /** The line ends that the `notebook` tool gave this text of a cell; null when it has those that it would have anyway. */
  spelling(key: string, text: string): string | null {
    return this.#cells.sources.spelling(key, text);
  }

  restoreSpelling(key: string, spelling: string): void {
    this.#cells.sources.spell(key, spelling);
  }

  /** The JSON text of a cell's attachments that the file lacks; null when it has them or there are none. */
  lostAttachments(key: string): string | null {
    const { base = null, attachments = null } = this.#cells.record(key) ?? {};
    if (!attachments || !base || findMember(base.raw, 'attachments')) return null;
    return attachments.bytes.toString('utf8', attachments.start, attachments.end);
  }

  restoreAttachments(key: string, text: string): void {
    const record = this.#cells.record(key);
    if (!record) return;
    const bytes = Buffer.from(text);
    record.attachments = { bytes, start: 0, end: bytes.length };
    this.#cells.refresh(key);
  }

  restoreRun(key: string, run: RestoredRun): void {
    this.#cells.outputs.restore(key, run);
  }

  restoreMetadata(entries: Iterable<readonly [string, unknown]>): void {
    this.#metadata.restore(entries);
  }
}
