/** What belongs to a cell beside its text when another program writes the file: its settings, and the line ends that an agent gave it. */
import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { applyToDocument, documentView } from '../../../../main/documents/document-edits.ts';
import { planEdit } from '../../../../main/documents/edits.ts';
import { cellMap, cellMetadata, setSource } from '../../../../preload/notebook-model.ts';
import { code, markdown, notebook, saveCode, temporaryFolder, usual } from '../temporary-folder.ts';

const folder = temporaryFolder();

function replaceFile(content: string): void {
  folder.write('a.ipynb.new', content);
  renameSync(folder.path('a.ipynb.new'), folder.path('a.ipynb'));
}

const output = { name: 'stdout', output_type: 'stream', text: ['1\n'] };
const first = (metadata: Record<string, unknown>) => code(['one'], { metadata, outputs: [output], execution_count: 3 });

it('a tag added and a cell collapsed outside come in, are shown, and are in the file after an edit of another cell', async () => {
  const document = await folder.open(notebook([first({ tags: ['a'], own: { deep: [1] } }), markdown(['two'])], { metadata: { x: 1 } }));
  const [key, other] = document.keys() as [string, string];
  const theirs = { tags: ['a', 'b'], own: { deep: [1] }, collapsed: true, jupyter: { outputs_hidden: true } };
  replaceFile(usual(notebook([first(theirs), markdown(['two'])], { metadata: { x: 2, blogtool: { slug: 'y' } } })));
  await document.checkDisk();
  expect([document.cell(key)!.metadata, document.dirty]).toEqual([theirs, false]);
  setSource(document.ydoc, other, 'two, mine');
  expect(await saveCode(document)).toBe('saved');
  expect(folder.json()).toEqual(notebook([first(theirs), markdown(['two, mine'])], { metadata: { x: 2, blogtool: { slug: 'y' } } }));
});

it('settings changed on both sides, entry by entry, in the same cell whose text is edited here', async () => {
  const document = await folder.open(notebook([first({ tags: ['a'], jupyter: { source_hidden: true } })]));
  const [key] = document.keys() as [string];
  setSource(document.ydoc, key, 'one, mine');
  cellMetadata(cellMap(document.ydoc).get(key)!).set('name', 'mine');
  replaceFile(usual(notebook([first({ tags: ['a', 'b'], jupyter: { source_hidden: true, outputs_hidden: true } })])));
  expect(await saveCode(document)).toBe('saved');
  const [saved] = folder.json().cells;
  expect(saved!.metadata).toEqual({ tags: ['a', 'b'], jupyter: { source_hidden: true, outputs_hidden: true }, name: 'mine' });
  expect([saved!.source, saved!.outputs, saved!.execution_count]).toEqual([['one, mine'], [output], 3]);
});

it('a tag that was taken away outside is gone, and one that was added here stays', async () => {
  const document = await folder.open(notebook([first({ tags: ['a'], slideshow: { slide_type: 'slide' } }), markdown(['two'])]));
  const [key] = document.keys() as [string];
  cellMetadata(cellMap(document.ydoc).get(key)!).set('editable', false);
  replaceFile(usual(notebook([first({ tags: ['a'] }), markdown(['two'])])));
  expect(await saveCode(document)).toBe('saved');
  expect(folder.json().cells[0]!.metadata).toEqual({ tags: ['a'], editable: false });
});

it('line ends that an agent gave a cell, saved and then changed by another program, stay as that one wrote them', async () => {
  const document = await folder.open(notebook([code(['a\n', 'b'])]));
  const view = documentView(document);
  applyToDocument(document, planEdit(view, { action: 'edit', cell_index: 0, content: 'a\r\nb' }).edit, 'agent');
  expect(await saveCode(document)).toBe('saved');
  expect(folder.json().cells[0]!.source).toEqual(['a\r\n', 'b']);
  const theirs = usual(notebook([code(['a\n', 'b']), code(['new'])]));
  replaceFile(theirs);
  await document.checkDisk();
  expect(document.dirty).toBe(false);
  expect(await saveCode(document)).toBe('saved');
  expect(folder.read('a.ipynb')).toBe(theirs);
});
