/**
 * Outputs, settings and attachments that a file has lost and that are kept here, unsaved, until somebody decides. A save decides as well, and so does
 * whoever runs or clears a cell: so nothing is counted or thrown away but what still is as it was kept.
 */
import type * as Y from 'yjs';
import { cellMap, cellMetadata, clearOutputs } from '../../../preload/notebook-model.ts';
import { type CellBase, type CellOutputs, type CellRecord, NO_OUTPUTS, outputCount } from '../cell-record.ts';
import type { DocumentCells } from '../document-cells.ts';
import type { DocumentMetadata } from '../document-metadata.ts';
import { sameJson } from '../json-text.ts';
import { findMember } from '../object-splice.ts';
import { OUTSIDE_ORIGIN } from './apply-plan.ts';

/** How many cells have something that the file lacks. */
export interface KeptCounts {
  outputs: number;
  settings: number;
  attachments: number;
  /** The notebook's own metadata. */
  notebook: boolean;
}

/** What a cell of the file has lost. */
export interface LostParts {
  outputs: boolean;
  settings: Record<string, unknown> | null;
  attachments: boolean;
}

export interface KeptHost {
  ydoc: Y.Doc;
  cells: DocumentCells;
  metadata: Pick<DocumentMetadata, 'changes' | 'restore' | 'forget'>;
}

interface Kept {
  outputs: CellOutputs | null;
  settings: Record<string, unknown> | null;
  attachments: CellRecord['attachments'];
}

export class KeptParts {
  readonly #host: KeptHost;
  #cells: ReadonlyMap<string, Kept> = new Map();
  #entries: ReadonlyMap<string, unknown> = new Map();

  constructor(host: KeptHost) {
    this.#host = host;
  }

  /** More is kept: parts of cells as they are now, and entries of the notebook's metadata, which go into the next save. */
  add(parts: ReadonlyMap<string, LostParts>, entries: ReadonlyMap<string, unknown>): void {
    const cells = new Map(this.#open());
    for (const [key, { outputs, settings, attachments }] of parts) {
      const record = this.#host.cells.find(key)?.record;
      if (record)
        cells.set(key, { outputs: outputs ? record.outputs : null, settings, attachments: attachments ? record.attachments : null });
    }
    this.#cells = cells;
    if (entries.size === 0) return;
    this.#entries = new Map([...this.#entries, ...entries]);
    this.#host.metadata.restore(entries);
  }

  /** Null when nothing is left to decide. */
  counts(): KeptCounts | null {
    if (this.#cells.size === 0 && this.#entries.size === 0) return null;
    const open = [...this.#open().values()];
    const number = (isKept: (kept: Kept) => boolean): number => open.filter(isKept).length;
    const counts = {
      outputs: number(({ outputs }) => outputs !== null && outputs !== NO_OUTPUTS),
      settings: number(({ settings }) => settings !== null),
      attachments: number(({ attachments }) => attachments !== null),
    };
    const notebook = this.#openEntries().size > 0;
    return notebook || counts.outputs + counts.settings + counts.attachments > 0 ? { ...counts, notebook } : null;
  }

  /** They stay, and nobody is asked any more. */
  accept(): void {
    this.#cells = new Map();
    this.#entries = new Map();
  }

  /** The file is right: what it lacks goes here, too. Changes the shared model; the answer brings back what is not in that. */
  drop(): () => void {
    const { ydoc, cells, metadata } = this.#host;
    const open = this.#open();
    const entries = this.#openEntries();
    this.accept();
    ydoc.transact(() => {
      clearOutputs(
        ydoc,
        [...open].flatMap(([key, { outputs }]) => (outputs ? [key] : [])),
      );
      for (const [key, { settings }] of open) if (settings) withoutEntries(cellMetadata(cellMap(ydoc).get(key)!), settings);
    }, OUTSIDE_ORIGIN);
    const setAttachments = (of: (kept: Kept) => CellRecord['attachments']): void => {
      for (const [key, kept] of open) {
        if (!kept.attachments) continue;
        cells.record(key)!.attachments = of(kept);
        cells.refresh(key);
      }
    };
    setAttachments(() => null);
    metadata.forget(entries.keys());
    return () => {
      setAttachments(({ attachments }) => attachments);
      metadata.restore(entries);
    };
  }

  #open(): Map<string, Kept> {
    const open = new Map<string, Kept>();
    for (const [key, kept] of this.#cells) {
      const found = this.#host.cells.find(key);
      const base = found?.record.base;
      if (!found || !base) continue;
      const lacks = (member: string): boolean => (findMember(base.raw, member)?.count ?? 0) === 0;
      const { outputs, settings, attachments } = kept;
      const left: Kept = {
        outputs: outputs === found.record.outputs && lacks('outputs') && hasMoreRun(found.record, base) ? outputs : null,
        settings: lacks('metadata') ? settings : null,
        attachments: findMember(base.raw, 'attachments') ? null : attachments,
      };
      if (left.outputs || left.settings || left.attachments) open.set(key, left);
    }
    return open;
  }

  #openEntries(): Map<string, unknown> {
    const { changes } = this.#host.metadata;
    return new Map([...this.#entries].filter(([key, value]) => changes.has(key) && sameJson(changes.get(key), value)));
  }
}

function hasMoreRun(record: CellRecord, base: CellBase): boolean {
  return outputCount(record) > 0 || (record.executionCount !== null && base.executionCount === null);
}

function withoutEntries(metadata: Y.Map<unknown>, entries: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(entries)) if (sameJson(metadata.get(key), value)) metadata.delete(key);
}
