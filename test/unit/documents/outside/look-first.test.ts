/** A look at the disk before a run: what nobody has seen is not run, and a file that is as it was costs nothing. Nothing watches the files here. */
import { rmSync, utimesSync } from 'node:fs';
import { expect, it } from 'vitest';
import { areOutdated } from '../../../../main/documents/outside/look-first.ts';
import { setSource } from '../../../../preload/notebook-model.ts';
import { code, notebook, saveCode, temporaryFolder, usual } from '../temporary-folder.ts';

const folder = temporaryFolder();

const two = (first: string, second = 'w = 1') => notebook([code([first]), code([second])]);

it('a cell that another program changed is outdated once, and shows the new text from then on', async () => {
  const document = await folder.open(two('v = 1'));
  const [first, second] = document.keys() as [string, string];
  folder.write('a.ipynb', usual(two('v = 2')));
  expect(await areOutdated(document, [second, first])).toBe(true);
  expect(document.cell(first)!.source).toBe('v = 2');
  expect(await areOutdated(document, [second, first])).toBe(false);
});

it('others are not: where nothing was changed, other cells were, the person typed or saved, or the file is gone', async () => {
  const document = await folder.open(two('v = 1'));
  const [first] = document.keys() as [string];
  expect(await areOutdated(document, [first])).toBe(false);
  folder.write('a.ipynb', usual(two('v = 1', 'w = 2')));
  expect(await areOutdated(document, [first])).toBe(false);
  setSource(document.ydoc, first, 'v = 3');
  expect(await areOutdated(document, [first])).toBe(false);
  expect(await saveCode(document)).toBe('saved');
  utimesSync(folder.path('a.ipynb'), new Date(2020, 1), new Date(2020, 1));
  expect(await areOutdated(document, [first])).toBe(false);
  rmSync(folder.path('a.ipynb'));
  expect(await areOutdated(document, [first, 'no such cell'])).toBe(false);
});

it('a cell that both changed stays as it is shown', async () => {
  const document = await folder.open(two('v = 1'));
  const [first] = document.keys() as [string];
  setSource(document.ydoc, first, 'v = "mine"');
  folder.write('a.ipynb', usual(two('v = "theirs"')));
  expect(await areOutdated(document, [first])).toBe(false);
  expect([document.cell(first)!.source, document.outside.conflictCount]).toEqual(['v = "mine"', 1]);
});
