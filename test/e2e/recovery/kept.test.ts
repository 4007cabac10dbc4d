/** Changes that are discarded stay for a while: found from the palette, compared with the file, opened as a copy, and removed for good. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cellAt, command, drawn, typeSource } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { picture } from '../window/picture.ts';
import { codeCell, until, writeNotebook } from '../window/start-app.ts';

const run = appInPlace('test');
let file: string;

beforeEach(async () => {
  file = await writeNotebook(path.join(run.place.folder, 'analysis.ipynb'), [codeCell('a = 1'), codeCell('b = 2')]);
});

afterEach(async () => {
  await run.stop();
  expect(run.app.problems).toEqual([]);
});

const dialog = (): Locator => run.app.page.getByRole('dialog', { name: 'Kept versions' });

async function showKept(): Promise<void> {
  await command(run.app.page, 'Kept versions…');
  await dialog().waitFor();
}

async function firstCell(): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what a person sees, as it is laid out
  return (await cellAt(run.app.page, 0).locator('[class*="source"], .monaco-editor').first().innerText()).replaceAll('\u00a0', ' ');
}

it('what was discarded is found again, opens as a copy, and can be removed', async () => {
  await run.start([file]);
  const { page } = run.app;
  await drawn(page);
  await showKept();
  await dialog().getByText('Nothing is kept now.').waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });

  await typeSource(page, 0, 'a = "discarded"');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+W');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('tab', { name: /analysis/ }).waitFor({ state: 'detached' });
  const before = await readFile(file, 'utf8');
  // The notebook is put away after its tab is gone.
  await until(async () => {
    await showKept();
    if (
      (await dialog()
        .getByRole('button', { name: /analysis\.ipynb/ })
        .count()) > 0
    )
      return true;
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    return false;
  });
  await dialog().getByText('The kept version').waitFor();
  await dialog().locator('.monaco-diff-editor').getByText('discarded').first().waitFor();
  await picture(run.app.page, 'kept-versions');

  await dialog().getByRole('button', { name: 'Open as a copy' }).click();
  await page.getByRole('tab', { name: /analysis \(recovered\)/ }).waitFor();
  await until(async () => (await firstCell()).includes('discarded'));
  expect(await readFile(file, 'utf8')).toBe(before);

  await showKept();
  await dialog().getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog().getByText('Nothing is kept now.').waitFor();
});
