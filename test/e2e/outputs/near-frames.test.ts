/** Frames that lie below the view: they are loaded before somebody scrolls to them, and those far away are not. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { drawn, KERNEL_LIMIT_MS, outputOf } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, writeNotebook } from '../window/start-app.ts';

const at = appInPlace('test');

const table = { output_type: 'display_data', metadata: {}, data: { 'text/html': ['<table><tr><td>1</td></tr></table>'] } };
/** Higher than the window, by its source alone. */
const tall = codeCell(Array.from({ length: 60 }, (_, line) => `a = ${line}`).join('\n'));

it('are loaded while they are near', async () => {
  const file = await writeNotebook(path.join(at.place.folder, 'near.ipynb'), [
    tall,
    codeCell('near', [table]),
    tall,
    codeCell('far', [table]),
  ]);
  const { page } = await at.start([file]);
  await drawn(page);
  await outputOf(page, 1).locator('iframe').waitFor({ state: 'attached', timeout: KERNEL_LIMIT_MS });
  expect(await outputOf(page, 3).locator('iframe').count()).toBe(0);
  const bottom = await page.evaluate(() => window.innerHeight);
  expect((await outputOf(page, 1).locator('iframe').boundingBox())!.y).toBeGreaterThan(bottom);
});
