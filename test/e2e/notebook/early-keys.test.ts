/** Somebody who types at once: the editors are still being loaded, and what is typed is neither lost nor taken for commands. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, readNotebook, ready, until, writeNotebook } from '../window/start-app.ts';
import { cellAt, drawn, outputOf } from './notebook-page.ts';

const run = appInPlace('file');
let file: string;

/** Lets the editors come. */
let comes: () => void = () => {};

beforeAll(async () => {
  file = await writeNotebook(path.join(run.place.folder, 'early.ipynb'), [codeCell('a = 1'), codeCell('b = 2')]);
  await run.start([file]);
});

afterAll(() => expect(run.app.problems).toEqual([]));

/** The page anew, with editors that come when they are let. */
async function withoutEditors(page: Page): Promise<void> {
  const late = new Promise<void>((resolve) => {
    comes = resolve;
  });
  await page.route(/cell-editor/, async (route) => {
    await late;
    await route.continue();
  });
  await page.reload();
  await ready(page);
  await drawn(page);
}

it('has it in the cell once its editor is there, and ran it', async () => {
  const { page } = run.app;
  await withoutEditors(page);
  await cellAt(page, 0).click({ position: { x: 200, y: 12 } });
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type('words = ["dad", "mum"]\nprint(words[1])x');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Control+Enter');
  expect(await cellAt(page, 0).locator('.monaco-editor').count()).toBe(0);
  comes();
  await outputOf(page, 0).getByText('mum').waitFor();
  expect(await page.getByRole('article').count()).toBe(2);
  await page.keyboard.press('Control+S');
  await until(async () => (await readNotebook(file)).cells[0]?.outputs.length === 1);
  expect([(await readNotebook(file)).cells[0]?.source].flat().join('')).toBe('words = ["dad", "mum"]\nprint(words[1])');
});
