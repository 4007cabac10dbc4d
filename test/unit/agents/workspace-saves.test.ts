/** What agents let go of: unsaved work is saved where nobody else would, and left to the person where a window shows it. Real documents and files. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { OwnedNotebook } from '../../../main/agents/notebook-owner.ts';
import { Workspace } from '../../../main/agents/workspace.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { silentLog } from '../../../main/log/log.ts';
import { setSource } from '../../../preload/notebook-model.ts';
import { code, notebook, temporaryFolder, usual } from '../documents/temporary-folder.ts';

const folder = temporaryFolder();

/** An owner of this notebook alone, without a kernel. */
function ownerOf(document: NotebookDocument, isShown: boolean) {
  const owned = { document, session: { kernel: null }, isShown } as OwnedNotebook;
  return { hold: async () => ({ notebook: owned, release: async () => undefined }), holdOpen: () => null, opened: () => [owned] };
}

/** Reads a notebook as an agent does while it has unsaved work, and lets it go. */
async function readAndLetGo(isShown: boolean): Promise<NotebookDocument> {
  const document = await folder.open(notebook([code(['saved'])]));
  const workspace = new Workspace(ownerOf(document, isShown), true, silentLog);
  await workspace.use(folder.path('a.ipynb'), async () => setSource(document.ydoc, document.keys()[0]!, 'typed by the person'));
  await workspace.close();
  return document;
}

it('a notebook that a window shows stays unsaved: whoever typed in it saves it', async () => {
  const document = await readAndLetGo(true);
  expect([document.dirty, folder.json().cells[0]!.source]).toEqual([true, ['saved']]);
});

it('a notebook that nobody shows is saved', async () => {
  const document = await readAndLetGo(false);
  expect([document.dirty, folder.json().cells[0]!.source]).toEqual([false, ['typed by the person']]);
});

it.each<[string, string | null, RegExp]>([
  ['was deleted', null, /^There is no file .*a\.ipynb\.$/],
  ['is not JSON any more', '{ broken', /^a\.ipynb is not JSON: line 1, column 3: /],
])('a notebook that nobody shows is not worked with when its file %s, and the file stays so', async (_name, text, words) => {
  const path = folder.path('a.ipynb');
  const document = await folder.open(notebook([code(['saved'])]));
  if (text === null) rmSync(path);
  else folder.write('a.ipynb', text);
  const workspace = new Workspace(ownerOf(document, false), true, silentLog);
  let worked = false;
  const work = async () => {
    worked = true;
  };
  await expect(workspace.use(path, work)).rejects.toThrow(words);
  await workspace.close();
  expect([worked, existsSync(path) ? folder.read('a.ipynb') : null]).toEqual([false, text]);
});

it('what only the document has is worked with and saved, though its file was deleted', async () => {
  const path = folder.path('a.ipynb');
  const document = await folder.open(notebook([code(['saved'])]));
  setSource(document.ydoc, document.keys()[0]!, 'not yet saved');
  rmSync(path);
  const workspace = new Workspace(ownerOf(document, false), true, silentLog);
  expect(await workspace.use(path, async ({ document: { dirty } }) => dirty)).toBe(true);
  await workspace.close();
  expect(folder.json().cells[0]!.source).toEqual(['not yet saved']);
});

it('a path is the file that lies there now, also when the notebook that lay there was renamed', async () => {
  const store = new DocumentStore();
  const hold = async (path: string) => {
    const document = await store.open(path);
    return { notebook: { document, session: { kernel: null } } as OwnedNotebook, release: async () => undefined };
  };
  const workspace = new Workspace({ hold, holdOpen: () => null, opened: () => [] }, true, silentLog);
  const [a, b] = [folder.path('a.ipynb'), folder.path('b.ipynb')];
  const documentAt = (path: string) => workspace.use(path, async ({ document }) => document);
  folder.write('a.ipynb', usual(notebook([code(['first'])])));
  const first = await documentAt(a);
  renameSync(a, b);
  folder.write('a.ipynb', usual(notebook([code(['second'])])));
  const second = await documentAt(a);
  expect(second.cell(second.keys()[0]!)!.source).toBe('second');
  expect(await documentAt(b)).toBe(first);
  expect(await documentAt(a)).toBe(second);
  await workspace.close();
});
