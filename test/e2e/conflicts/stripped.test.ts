/** A notebook in the real window that a program without a notebook tool writes anew from its sources: outputs and metadata stay until somebody decides. */
import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { cellAt, drawn, save, unsaved } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { picture } from '../window/picture.ts';
import { codeCell, readNotebook, until, writeNotebook } from '../window/start-app.ts';

const at = appInPlace('test');
let file: string;

const printed = (text: string) => ({ name: 'stdout', output_type: 'stream', text: [`${text}\n`] });

beforeEach(async () => {
  file = await writeNotebook(path.join(at.place.folder, 'a.ipynb'), [
    { ...codeCell('first = 1'), metadata: { tags: ['setup'] } },
    { ...codeCell('print(first)'), execution_count: 2, outputs: [printed('first output')] },
    { ...codeCell('print("plot")'), execution_count: 3, outputs: [printed('second output')] },
  ]);
});

/** A busy machine takes its time over what is waited for; a hang still ends before the test's own limit. */
const PATIENCE_MS = 90_000;

async function openAndRewrite(): Promise<Page> {
  const { page } = await at.start([file]);
  page.setDefaultTimeout(PATIENCE_MS);
  await drawn(page);
  await page.getByText('second output').waitFor();
  const cells = ['first = 10', 'print(first)', 'print("plot")'].map((source) => codeCell(source));
  await rename(await writeNotebook(path.join(at.place.folder, '.a.new'), cells), file);
  await page.getByText('It is kept here, unsaved.').waitFor();
  await cellAt(page, 0).getByText('first = 10').first().waitFor();
  await page.getByText('second output').waitFor();
  expect(await unsaved(page, 'a.ipynb')).toBe(true);
  return page;
}

async function outputs(): Promise<(string | undefined)[]> {
  const { cells } = await readNotebook(file);
  return cells.map((cell) => JSON.stringify(cell).match(/\w+ output/)?.[0]);
}

it('they are kept: the question goes, and a save has them in the file', async () => {
  const page = await openAndRewrite();
  await page.getByText('Another program wrote a.ipynb without the outputs of 2 cells and the metadata of 1 cell.').waitFor();
  await picture(page, 'stripped');
  expect(await outputs()).toEqual([undefined, undefined, undefined]);
  await page.getByRole('button', { name: 'Keep outputs and metadata' }).click();
  await page.getByText('It is kept here').waitFor({ state: 'detached' });
  await save(page);
  expect(await outputs()).toEqual([undefined, 'first output', 'second output']);
  expect((await readNotebook(file)).cells[0]).toMatchObject({ metadata: { tags: ['setup'] } });
  expect(at.app.problems).toEqual([]);
});

it('the file is taken as it is: they go, nothing is unsaved, and one undo brings them back', async () => {
  const page = await openAndRewrite();
  await page.getByRole('button', { name: 'Take the file as it is' }).click();
  await page.getByText('second output').waitFor({ state: 'detached' });
  await page.getByText('It is kept here').waitFor({ state: 'detached' });
  await until(async () => !(await unsaved(page, 'a.ipynb')));
  const told = page.getByText('a.ipynb is as the other program wrote it.');
  await told.waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('first output').waitFor();
  await page.getByText('second output').waitFor();
  await until(() => unsaved(page, 'a.ipynb'));
  expect(at.app.problems).toEqual([]);
});
