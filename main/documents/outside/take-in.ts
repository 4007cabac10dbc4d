/**
 * Takes another version of the file into a live document: the merge of the cells, and beside it their records, which then belong to the new
 * file. Runs in one turn, so that no keystroke can come between the plan and its doing.
 */
import type * as Y from 'yjs';
import { cellFields, cellMap } from '../../../preload/notebook-model.ts';
import { newCellId } from '../cell-ids.ts';
import { type CellRecord, NO_OUTPUTS, outputCount } from '../cell-record.ts';
import type { DocumentCells } from '../document-cells.ts';
import { findMember } from '../object-splice.ts';
import { memberValue } from '../raw-cell.ts';
import { applyPlan } from './apply-plan.ts';
import type { Comparison } from './compare-versions.ts';
import type { CellContent } from './merge-cell.ts';
import { type Conflict, type MergePlan, type MyCell, planMerge } from './merge-plan.ts';
import { newerOutputs, recordedRun } from './newer-outputs.ts';
import type { TakenIn } from './outside-words.ts';
import type { DiskVersion } from './read-version.ts';

export interface TakenVersion {
  taken: TakenIn;
  conflicts: Conflict[];
  /** Cells that the file and the document agree on, or whose conflict is a new one. */
  merged: string[];
  /** Cells whose outputs or counts are others now, with what they had before. */
  outputs: Map<string, Pick<CellRecord, 'outputs' | 'executionCount' | 'producedFrom'>>;
}

/** `adopt` is called when the records are those of the new file and the model is not yet: windows hear of the model's change. */
export function takeIn(cells: DocumentCells, ydoc: Y.Doc, version: DiskVersion, comparison: Comparison, adopt: () => void): TakenVersion {
  const { fileKeys } = cells;
  const plan = planMerge({
    base: fileKeys,
    baseContent: (key) => baseContent(cells.record(key)!),
    theirs: version.cells.map(({ fields }) => fields),
    match: comparison.match,
    same: comparison.same,
    order: cells.keys(),
    mine: (key) => myCell(cells, ydoc, key),
  });
  const isSameFormat = version.hasIds === cells.hasIds;
  const { ids, newIds } = idsOf(version, plan, ydoc, isSameFormat ? comparison.same : []);
  const { records, outputs } = newRecords(cells, version, comparison, plan);
  const touched = plan.keys.filter((_key, place) => !comparison.same[place]);
  cells.rebase({
    fileKeys: plan.keys,
    records,
    hasIds: version.hasIds,
    style: version.file.style,
    newIds,
    touched,
    outputs: [...outputs.keys()],
    change: () => {
      adopt();
      applyPlan(ydoc, plan, ids);
    },
  });
  return { taken: countOf(plan, cells, outputs), conflicts: plan.conflicts, merged: [...touched, ...plan.deleted], outputs };
}

function myCell(cells: DocumentCells, ydoc: Y.Doc, key: string): MyCell {
  const { id, type, source, metadata } = cellFields(ydoc, key);
  const record = cells.record(key);
  const ranHere = record?.base != null && outputCount(record) > 0 && record.outputs !== record.base.outputs;
  return { key, id, content: { type, source, metadata }, ranHere };
}

function baseContent({ base }: CellRecord): CellContent {
  const value = memberValue(base!.raw, 'metadata');
  const metadata = value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  return { type: base!.type, source: base!.text, metadata };
}

/**
 * The ids of the cells that are not the `same`, repaired as when a notebook is opened: `newIds` names the cells that get theirs with the next
 * save.
 */
function idsOf(
  version: DiskVersion,
  plan: MergePlan,
  ydoc: Y.Doc,
  same: readonly boolean[],
): { ids: Map<string, string | null>; newIds: Set<string> } {
  const ids = new Map<string, string | null>();
  const newIds = new Set<string>();
  if (same.length > 0 && same.every((isSame) => isSame)) return { ids, newIds };
  const taken = new Set<string>();
  for (const { fields } of version.cells) if (fields.id !== null) taken.add(fields.id);
  const seen = new Set<string>();
  version.cells.forEach(({ fields }, place) => {
    const key = plan.keys[place]!;
    let { id } = fields;
    if (same[place]) {
      if (id !== null) seen.add(id);
      return;
    }
    if (version.hasIds && (id === null || seen.has(id))) {
      const present = cellMap(ydoc).get(key)?.get('id') as string | null | undefined;
      id = present && !taken.has(present) ? present : newCellId(taken);
      newIds.add(key);
    }
    if (id !== null) {
      seen.add(id);
      taken.add(id);
    }
    ids.set(key, id);
  });
  return { ids, newIds };
}

function newRecords(
  cells: DocumentCells,
  version: DiskVersion,
  { outputsDiffer, keptOutputs }: Comparison,
  plan: MergePlan,
): Pick<TakenVersion, 'outputs'> & { records: Map<string, CellRecord> } {
  const records = new Map<string, CellRecord>();
  const outputs: TakenVersion['outputs'] = new Map();
  const fileAt = Number(version.disk.mtimeNs / 1_000_000n);
  version.cells.forEach(({ record: theirs, fields }, place) => {
    const key = plan.keys[place]!;
    const mine = cells.record(key);
    // It was taken in early, and may have run since.
    if (mine?.base === theirs.base) return;
    if (!mine) {
      records.set(key, theirs);
      if (outputCount(theirs) > 0) outputs.set(key, theirs);
      return;
    }
    const newer = newerOutputs({
      mineDiffer: mine.base
        ? mine.outputs !== mine.base.outputs || mine.executionCount !== mine.base.executionCount
        : outputCount(mine) > 0,
      theirsDiffer: outputsDiffer[place]!,
      mineAt: cells.outputs.changedAt(key),
      fileAt,
      theirsAt: recordedRun(fields.metadata),
    });
    // A run goes on into the outputs that it has made so far.
    const choice = keptOutputs.has(place) || cells.outputs.isRunning(key) ? 'mine' : newer;
    if (choice === 'theirs')
      outputs.set(key, { outputs: mine.outputs, executionCount: mine.executionCount, producedFrom: mine.producedFrom });
    const record = choice === 'theirs' ? theirs : withMyOutputs(mine, theirs, outputsDiffer[place]!);
    records.set(key, { ...record, spelling: theirs.base?.source === mine.base?.source ? mine.spelling : null });
  });
  return { records, outputs };
}

/**
 * Outputs that are equal in both stay the ones that are here: they may have been made in this session and be trusted. Attachments that are kept here
 * although the file as it was known has none stay, too.
 */
export function withMyOutputs(mine: CellRecord, theirs: CellRecord, differ: boolean): CellRecord {
  const { executionCount, producedFrom } = mine;
  const isKept = mine.base !== null && !findMember(mine.base.raw, 'attachments');
  if (isKept) theirs.attachments ??= mine.attachments;
  const base = theirs.base!;
  // Outputs that still lie in the file's text are taken from the new text, so that the old one can go.
  if (!differ && mine.outputs === mine.base?.outputs && mine.outputs.kind === 'live' && base.outputs) base.outputs = mine.outputs;
  const isStored = !differ && mine.outputs === mine.base?.outputs && mine.outputs.kind === 'stored';
  return Object.assign(theirs, { outputs: isStored ? theirs.outputs : mine.outputs, executionCount, producedFrom });
}

function countOf(plan: MergePlan, cells: DocumentCells, outputs: TakenVersion['outputs']): TakenIn {
  const cleared = [...outputs].filter(([key, before]) => before.outputs !== NO_OUTPUTS && cells.outputs.count(key) === 0);
  return {
    changed: plan.changed.filter(({ source, type }) => source || type).length,
    added: plan.added.length,
    deleted: plan.deleted.length,
    outputs: outputs.size,
    cleared: cleared.length,
    unattached: 0,
    moved: plan.moved,
    conflicts: plan.conflicts.length,
    clashes: plan.clashes,
  };
}
