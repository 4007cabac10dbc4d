/** Edits a cell as a window does it: a Yjs replica in the test, whose update goes through the page's bridge. */
import type { Page } from 'playwright-core';
import * as Y from 'yjs';
import type { DocumentSnapshot } from '../../../preload/contract.ts';
import { cellFields, orderedKeys, setSource } from '../../../preload/notebook-model.ts';

export function replica(snapshot: DocumentSnapshot): Y.Doc {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, snapshot.update);
  return doc;
}

/** Keys of the cells in document order. */
export function cellKeys(snapshot: DocumentSnapshot): string[] {
  return orderedKeys(replica(snapshot));
}

export function sourceOf(snapshot: DocumentSnapshot, index: number): string {
  const doc = replica(snapshot);
  return cellFields(doc, orderedKeys(doc)[index]!).source;
}

/** Replaces the source of one cell through the page's bridge. */
export async function editSource(page: Page, snapshot: DocumentSnapshot, index: number, source: string): Promise<void> {
  const doc = replica(snapshot);
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  setSource(doc, orderedKeys(doc)[index]!, source);
  await page.evaluate(
    ([docId, list]) => {
      for (const bytes of list) window.cellwright.post('doc.update', { docId, update: new Uint8Array(bytes) });
    },
    [snapshot.document.docId, updates.map((update) => [...update])] as const,
  );
}
