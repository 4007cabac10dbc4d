/**
 * Random work on live documents: three writers, saves in between, everything undone at the end. Nothing converges wrongly, every saved file
 * means what the document shows, and what was undone leaves the first bytes.
 */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { withLineFeeds } from '../../../main/documents/source-lines.ts';
import { findProblems } from '../../../main/documents/validate.ts';
import {
  cellFields,
  cellMap,
  deleteCells,
  insertCells,
  moveCell,
  orderedKeys,
  setCellType,
  setSource,
} from '../../../preload/notebook-model.ts';
import { joinedSource, meaning, notebook, source, spell, spelling } from './random-notebooks.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Every save is made durable, which takes long on a busy disk. */
const PATIENCE_MS = 120_000;

const step = fc.record({
  op: fc.constantFrom('source', 'insert', 'delete', 'move', 'type', 'save', 'exchange'),
  writer: fc.nat({ max: 2 }),
  at: fc.nat(),
  to: fc.nat(),
  text: source,
  type: fc.constantFrom('code' as const, 'markdown' as const, 'raw' as const),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

let keys = 0;

/** One edit of the notebook model by one writer. */
function edit(doc: Y.Doc, { op, at, to, text, type }: Step): void {
  const order = orderedKeys(doc);
  if (op === 'insert') {
    keys += 1;
    insertCells(doc, at % (order.length + 1), [{ key: `k${keys}`, id: null, type, source: text, metadata: {} }], 'edit');
  }
  const key = order[at % Math.max(1, order.length)];
  if (key === undefined) return;
  if (op === 'source') setSource(doc, key, text, 'edit');
  if (op === 'delete') deleteCells(doc, [key], 'edit');
  if (op === 'move') moveCell(doc, key, to % order.length, 'edit');
  if (op === 'type') setCellType(doc, key, type, 'edit');
}

/** All changes that the replicas have not seen from each other, as windows and main send them. */
function exchange(docs: readonly Y.Doc[]): void {
  // Twice, because main answers a window's new cell with an id for it.
  for (let round = 0; round < 2; round += 1) {
    for (const from of docs)
      for (const to of docs) if (from !== to) Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)), 'exchange');
  }
}

async function openRandom(bytes: Buffer): Promise<NotebookDocument> {
  const path = folder.path('a.ipynb');
  writeFileSync(path, bytes);
  return new DocumentStore().open(path);
}

it(
  'three writers converge, and a saved file means what the document shows',
  async () => {
    await fc.assert(
      fc.asyncProperty(notebook, spelling, fc.array(step, { maxLength: 15 }), async (nb, style, steps) => {
        const document = await openRandom(spell(nb, style));
        const docs = [document.ydoc, new Y.Doc(), new Y.Doc()];
        exchange(docs);
        for (const next of steps) {
          if (next.op === 'save') await document.save();
          else if (next.op === 'exchange') exchange(docs);
          else edit(docs[next.writer]!, next);
        }
        exchange(docs);
        for (const doc of docs) expect(orderedKeys(doc)).toEqual(document.keys());
        await document.save();
        expect(document.dirty).toBe(false);
        const saved = meaning(Buffer.from(folder.read('a.ipynb')));
        const shown = document.keys().map((key) => cellFields(document.ydoc, key));
        expect(saved.cells.map((cell) => [cell.cell_type, withLineFeeds(joinedSource(cell))])).toEqual(
          shown.map(({ type, source }) => [type, withLineFeeds(source)]),
        );
        if (nb.nbformat_minor >= 5) expect(new Set(saved.cells.map((cell) => cell.id)).size).toBe(saved.cells.length);
        const misfit = /^"(id|outputs|execution_count|source|metadata)" is missing|^"(outputs|execution_count|attachments)" is not a field/;
        expect((await findProblems(document.file, nb.nbformat_minor)).filter(({ message }) => misfit.test(message))).toEqual([]);
        const again = await new DocumentStore().open(folder.path('a.ipynb'));
        expect(again.keys().map((key) => again.cell(key)!.source)).toEqual(shown.map(({ source }) => withLineFeeds(source)));
      }),
      { numRuns: 60 },
    );
  },
  PATIENCE_MS,
);

it(
  'everything undone leaves nothing to save, and the first bytes after saves in between',
  async () => {
    await fc.assert(
      fc.asyncProperty(notebook, spelling, fc.array(step, { maxLength: 10 }), async (nb, style, steps) => {
        const bytes = spell(nb, style);
        const document = await openRandom(bytes);
        const undo = new Y.UndoManager(cellMap(document.ydoc), { trackedOrigins: new Set(['edit']), captureTimeout: 0 });
        let saves = 0;
        for (const next of steps) {
          if (next.op === 'save') {
            saves += document.dirty ? 1 : 0;
            await document.save();
          } else edit(document.ydoc, next);
        }
        while (undo.undoStack.length > 0) undo.undo();
        if (saves === 0) expect(document.dirty).toBe(false);
        await document.save();
        expect(document.keys().map((key) => document.cell(key)!.source)).toEqual(nb.cells.map((cell) => withLineFeeds(joinedSource(cell))));
        expect(folder.read('a.ipynb')).toBe(bytes.toString());
      }),
      { numRuns: 60 },
    );
  },
  PATIENCE_MS,
);
