/** A notebook in the real window whose file another program writes with every cell twice: the window asks, and either answer leaves window and file alike. */
import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { cellAt, drawn, save, unsaved } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { picture } from '../window/picture.ts';
import { codeCell, readNotebook, until, writeNotebook } from '../window/start-app.ts';

const at = appInPlace('test');
const cells = () => [codeCell('first = 1'), codeCell('print(first)')];
let file: string;
let page: Page;

beforeEach(async () => {
  file = await writeNotebook(path.join(at.place.folder, 'a.ipynb'), cells());
  ({ page } = await at.start([file]));
  await drawn(page);
  await rename(await writeNotebook(path.join(at.place.folder, '.a.new'), [...cells(), ...cells()]), file);
  await page.getByText('Another program wrote every cell of a.ipynb twice.').waitFor();
});

const inFile = async () => (await readNotebook(file)).cells.length;

it('its own version is kept: the next save writes it', async () => {
  await picture(page, 'doubled');
  await page.getByRole('button', { name: 'Keep my version' }).click();
  await page.getByText('every cell of a.ipynb twice').waitFor({ state: 'detached' });
  expect(await unsaved(page, 'a.ipynb')).toBe(true);
  await save(page);
  await until(async () => (await inFile()) === 2);
  expect(at.app.problems).toEqual([]);
});

it('the file is taken as it is', async () => {
  await page.getByRole('button', { name: 'Take the file as it is' }).click();
  await page.getByText('every cell of a.ipynb twice').waitFor({ state: 'detached' });
  await cellAt(page, 3).waitFor();
  expect([await inFile(), await unsaved(page, 'a.ipynb')]).toEqual([4, false]);
});
