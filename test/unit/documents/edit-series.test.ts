/** Edits one after the other on an open notebook, as agents make them beside a person: model, view and file stay the same thing, line by line. */
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { applyToDocument, documentView } from '../../../main/documents/document-edits.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { type EditRequest, planEdit } from '../../../main/documents/edits.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { cellFields, insertCells, orderedKeys, setSource } from '../../../preload/notebook-model.ts';
import { code, markdown, notebook, stream, temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

function edit(document: NotebookDocument, request: EditRequest) {
  const plan = planEdit(documentView(document), request);
  applyToDocument(document, plan.edit, 'agent');
  return plan.result;
}

/** Lines that only one of the two texts has. */
function changedLines(before: string, after: string): { removed: string[]; added: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return { removed: old.filter((line) => !now.includes(line)), added: now.filter((line) => !old.includes(line)) };
}

it('one word changed by an agent, then one by a person, is one line of the file each', async () => {
  const lines = Array.from({ length: 10 }, (_value, line) => `value_${line} = ${line}\n`);
  const document = await folder.open(notebook([code(lines), markdown(['words\n', 'more'])]));
  const first = folder.read('a.ipynb');
  edit(document, { action: 'edit', cell_index: 0, old_string: 'value_4 = 4', new_string: 'value_4 = 40' });
  await document.save();
  const second = folder.read('a.ipynb');
  expect(changedLines(first, second)).toEqual({ removed: ['    "value_4 = 4\\n",'], added: ['    "value_4 = 40\\n",'] });
  const key = document.keys()[0]!;
  setSource(document.ydoc, key, document.cell(key)!.source.replace('value_7 = 7', 'value_7 = 70'), 'window');
  await document.save();
  expect(changedLines(second, folder.read('a.ipynb'))).toEqual({
    removed: ['    "value_7 = 7\\n",'],
    added: ['    "value_7 = 70\\n",'],
  });
});

// Every one of the fifty saves is made durable, which takes long on a busy disk.
it('fifty edits in turn are in the model, in a window and on the disk after each', { timeout: 180_000 }, async () => {
  const document = await folder.open(notebook([code(['first']), code(['second'])], { nbformat_minor: 5 }));
  const window = new Y.Doc();
  Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc));
  document.on('update', (update) => Y.applyUpdate(window, update));
  for (let round = 0; round < 50; round += 1) {
    const total = document.keys().length;
    const kinds: EditRequest[] = [
      { action: 'insert', cell_index: round % (total + 1), content: `inserted ${round}` },
      { action: 'edit', cell_index: round % total, content: `written ${round}\nover` },
      { action: 'delete', cell_index: round % total },
    ];
    const result = edit(document, kinds[total < 2 ? 0 : round % 3]!);
    await document.save();
    const model = document.keys().map((key) => document.cell(key)!.source);
    expect(result.totalCells).toBe(model.length);
    expect(orderedKeys(window).map((key) => cellFields(window, key).source)).toEqual(model);
    expect(folder.json().cells.map(({ source }) => (source as string[]).join(''))).toEqual(model);
  }
});

it('a cell that was run keeps id, tags, count and new outputs where it is moved to', async () => {
  const tagged = code(['x'], { id: 'tagged', metadata: { tags: ['keep'] } });
  const document = await folder.open(notebook([tagged, code(['y'], { id: 'y' }), code(['z'], { id: 'z' })], { nbformat_minor: 5 }));
  const [key] = document.keys() as [string];
  document.beginRun(key, 'x');
  document.applyOutputs(key, [stream('printed\n')]);
  document.setExecutionCount(key, 12);
  document.endRun(key);
  expect(edit(document, { action: 'move', cell_id: 'tagged', to_index: 2 })).toMatchObject({ cellIndex: 2, cellId: 'tagged' });
  await document.save();
  expect(folder.json().cells[2]).toEqual({
    ...tagged,
    execution_count: 12,
    outputs: [{ name: 'stdout', output_type: 'stream', text: ['printed\n'] }],
  });
});

it('a notebook that is opened again and again while it is unsaved stays one document with the same cells', async () => {
  const path = folder.write('again.ipynb', JSON.stringify(notebook([code(['x']), code(['y'])])));
  const store = new DocumentStore();
  const document = await store.open(path);
  insertCells(document.ydoc, 2, [{ key: 'new', id: null, type: 'code', source: 'unsaved', metadata: {} }], 'window');
  for (let round = 0; round < 20; round += 1) {
    expect(await store.open(path)).toBe(document);
    document.applyUpdate(Y.encodeStateAsUpdate(document.ydoc), 'window that came back');
  }
  expect(document.keys()).toHaveLength(3);
  await document.save();
  expect(folder.json('again.ipynb').cells).toHaveLength(3);
});

it('an id of a cell that was deleted and made again by a person is refused, and the outline shows the new one', async () => {
  const document = await folder.open(notebook([code(['x'], { id: 'old' })], { nbformat_minor: 5 }));
  edit(document, { action: 'delete', cell_id: 'old' });
  const { cellId } = edit(document, { action: 'insert', cell_index: 0, content: 'x' });
  expect(() => edit(document, { action: 'edit', cell_id: 'old', content: 'y' })).toThrow(
    new RegExp(`There is no cell with id "old" any more[^]*0 code ${cellId}: x`),
  );
  expect(document.cell(document.keys()[0]!)!.source).toBe('x');
});
