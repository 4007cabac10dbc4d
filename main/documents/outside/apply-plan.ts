/**
 * Carries out a merge on the shared model, in one transaction and by the smallest changes: text is spliced and cells keep their keys, so that
 * carets, selections and what others type at this moment stay where they are.
 */
import type * as Y from 'yjs';
import { cellId, cellMap, cellMetadata, deleteCells, placeCells, setCellType, setSource } from '../../../preload/notebook-model.ts';
import { sameJson } from '../json-text.ts';
import { newPositions } from './cell-positions.ts';
import type { MergePlan } from './merge-plan.ts';

/** Origin of changes that come from the disk. */
export const OUTSIDE_ORIGIN = { name: 'disk' };

/** `ids` names the cells whose id is another in the file now. */
export function applyPlan(ydoc: Y.Doc, plan: MergePlan, ids: ReadonlyMap<string, string | null>): void {
  const cells = cellMap(ydoc);
  ydoc.transact(() => {
    deleteCells(ydoc, plan.deleted);
    for (const { key, content, source, type, metadata } of plan.changed) {
      if (source) setSource(ydoc, key, content.source);
      if (type) setCellType(ydoc, key, content.type);
      if (metadata) setMetadata(cellMetadata(cells.get(key)!), content.metadata);
    }
    for (const [key, id] of ids) {
      const cell = cells.get(key);
      if (cell && cellId(cell) !== id) cell.set('id', id);
    }
    if (plan.added.length > 0 || plan.moved) place(ydoc, plan, ids);
  }, OUTSIDE_ORIGIN);
}

function place(ydoc: Y.Doc, { order, added }: MergePlan, ids: ReadonlyMap<string, string | null>): void {
  const cells = cellMap(ydoc);
  const present = new Map<string, string>();
  cells.forEach((cell, key) => void present.set(key, cell.get('position') as string));
  const positions = newPositions(order, present);
  placeCells(
    ydoc,
    added.map(({ key, id, content }) => ({ key, id: ids.get(key) ?? id, ...content })),
    added.map(({ key }) => positions.get(key)!),
  );
  for (const [key, position] of positions) if (present.has(key)) cells.get(key)!.set('position', position);
}

function setMetadata(map: Y.Map<unknown>, wanted: Readonly<Record<string, unknown>>): void {
  for (const key of [...map.keys()]) if (!Object.hasOwn(wanted, key)) map.delete(key);
  for (const [key, value] of Object.entries(wanted)) if (!sameJson(map.get(key), value)) map.set(key, value);
}
