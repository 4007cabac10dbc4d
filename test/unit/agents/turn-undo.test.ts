/** A turn taken back in several notebooks, of which one can't be saved or has a cell that waits for the person. Real documents and files. */
import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { NotebookOwner, OwnedNotebook } from '../../../main/agents/notebook-owner.ts';
import { SharedSaves } from '../../../main/agents/shared-saves.ts';
import { takeBackTurn } from '../../../main/agents/turn-undo.ts';
import { applyToDocument, documentView } from '../../../main/documents/document-edits.ts';
import { planEdit } from '../../../main/documents/edits.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { setSource } from '../../../preload/notebook-model.ts';
import { code, notebook, temporaryFolder, usual } from '../documents/temporary-folder.ts';

const folder = temporaryFolder();

const TURN = { agentId: 'a', turn: '1' };

/** Two notebooks whose second cell the agent edited, saved. */
async function edited(): Promise<{ documents: [NotebookDocument, NotebookDocument]; takeBack: () => Promise<string | null> }> {
  const documents: NotebookDocument[] = [];
  for (const name of ['a.ipynb', 'b.ipynb']) {
    const document = await folder.open(notebook([code(['one']), code(['two'])]), name);
    const { edit } = planEdit(documentView(document), { action: 'edit', cell_index: 1, content: 'agent' });
    applyToDocument(document, edit, document.turns.origin(TURN));
    await document.save();
    documents.push(document);
  }
  const opened = (): OwnedNotebook[] => documents.map((document) => ({ document }) as OwnedNotebook);
  const owner: NotebookOwner = { opened, hold: () => Promise.reject(new Error('nothing is opened here')), holdOpen: () => null };
  return {
    documents: documents as [NotebookDocument, NotebookDocument],
    takeBack: () =>
      takeBackTurn(
        owner,
        new SharedSaves(),
        TURN,
        documents.map(({ id, path }) => ({ docId: id, path: path! })),
      ),
  };
}

const second = (name: string): unknown => folder.json(name).cells[1]!.source;

it('a notebook that can’t be saved does not keep the others from getting theirs back, and is told of', async () => {
  const { documents, takeBack } = await edited();
  chmodSync(folder.path('a.ipynb'), 0o444);
  await expect(takeBack()).rejects.toThrow('a.ipynb is write-protected, so nothing was saved.');
  expect([second('a.ipynb'), second('b.ipynb')]).toEqual([['agent'], ['two']]);
  expect(documents.map((document) => document.cell(document.keys()[1]!)!.source)).toEqual(['two', 'two']);
});

it('a cell that waits for the person’s choice is no failure', async () => {
  const { documents, takeBack } = await edited();
  const [document] = documents;
  setSource(document.ydoc, document.keys()[0]!, 'mine');
  folder.write('a.ipynb', usual(notebook([code(['theirs']), code(['agent'])])));
  expect(await takeBack()).toBeNull();
  expect([second('a.ipynb'), second('b.ipynb'), document.outside.conflictCount]).toEqual([['two'], ['two'], 1]);
  expect(folder.json('a.ipynb').cells[0]!.source).toEqual(['theirs']);
});
