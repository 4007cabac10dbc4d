/** When autosave saves, and above all when it does not. */
import { chmodSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Autosave, type AutosaveMode } from '../../../main/documents/autosave.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { silentLog } from '../../../main/log/log.ts';
import { setSource } from '../../../preload/notebook-model.ts';
import { code, notebook, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();
let mode: AutosaveMode;
let autosave: Autosave;
let store: DocumentStore;

beforeEach(() => {
  mode = 'afterDelay';
  autosave = new Autosave({ mode: () => mode, delaySeconds: () => 0.05, log: silentLog });
  store = new DocumentStore({ autosave });
});

const type = (document: NotebookDocument, text: string): void => setSource(document.ydoc, document.keys()[0]!, text);
const opened = (): Promise<NotebookDocument> => store.open(folder.write('a.ipynb', usual(notebook([code(['start'])]))));
const saved = (text: string): boolean => folder.read('a.ipynb').includes(`"${text}"`);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Long enough for several delays. What is told of this time is that nothing happened in it. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300));

describe('after a delay', () => {
  it('saves what was changed, and what was changed while it saved', async () => {
    const document = await opened();
    type(document, 'one');
    await until(() => saved('one'));
    type(document, 'two');
    await until(() => saved('two') && !document.dirty);
  });

  it('saves nothing that has no file, is write-protected, or is in conflict', async () => {
    const loose = store.create({ folder: folder.path() });
    type(loose, 'x');
    const path = folder.write('protected.ipynb', usual(notebook([code(['start'])])));
    chmodSync(path, 0o444);
    type(await store.open(path), 'x');
    const document = await opened();
    type(document, 'mine');
    folder.write('a.ipynb', usual(notebook([code(['theirs'])])));
    await until(() => document.outside.conflictCount === 1);
    await aWhile();
    expect(saved('theirs')).toBe(true);
    expect(folder.read('protected.ipynb')).toContain('start');
    expect([loose.path, loose.dirty, document.dirty]).toEqual([null, true, true]);
  });

  it('does not bring back a file that was deleted', async () => {
    const document = await opened();
    rmSync(folder.path('a.ipynb'));
    await document.checkDisk();
    type(document, 'x');
    await aWhile();
    expect(folder.names()).toEqual([]);
  });

  it('says once that it can not, and goes on after a save of the person’s own', async () => {
    const document = await opened();
    let tries = 0;
    const save = document.save.bind(document);
    const { NotebookSaveError } = await import('../../../main/documents/errors.ts');
    document.save = async () => {
      tries += 1;
      throw new NotebookSaveError('no-space', 'The disk is full.', 'Free some space and save again.');
    };
    type(document, 'x');
    await until(() => document.notices.length === 1);
    type(document, 'xy');
    await aWhile();
    expect([tries, document.notices]).toEqual([1, ['The disk is full. Free some space and save again. Autosave rests until then.']]);
    document.save = save;
    await document.save();
    type(document, 'xyz');
    await until(() => saved('xyz'));
  });
});

it('on a change of focus saves then and not before', async () => {
  mode = 'onFocusChange';
  const document = await opened();
  type(document, 'x');
  await aWhile();
  expect(saved('x')).toBe(false);
  autosave.focusLost();
  await until(() => saved('x'));
});

it('that is off saves nothing, also when it is turned off while it waits', async () => {
  const document = await opened();
  type(document, 'x');
  mode = 'off';
  await aWhile();
  autosave.focusLost();
  await aWhile();
  expect([saved('x'), document.dirty]).toEqual([false, true]);
});
