/** What agents let go of: unsaved work is saved where nobody else would, and left to the person where a window shows it. Real documents and files. */
import { expect, it } from 'vitest';
import type { OwnedNotebook } from '../../../main/agents/notebook-owner.ts';
import { Workspace } from '../../../main/agents/workspace.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { silentLog } from '../../../main/log/log.ts';
import { setSource } from '../../../preload/notebook-model.ts';
import { code, notebook, temporaryFolder } from '../documents/temporary-folder.ts';

const folder = temporaryFolder();

/** Reads a notebook as an agent does while it has unsaved work, and lets it go. */
async function readAndLetGo(isShown: boolean): Promise<NotebookDocument> {
  const document = await folder.open(notebook([code(['saved'])]));
  const owned = { document, isShown } as OwnedNotebook;
  const owner = { hold: async () => ({ notebook: owned, release: async () => undefined }), holdOpen: () => null, opened: () => [owned] };
  const workspace = new Workspace(owner, true, silentLog);
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
