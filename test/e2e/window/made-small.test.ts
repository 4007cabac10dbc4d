/** A window that is made small and large again: nothing of what is read moves, though for a moment there is room for nothing. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { drawn, outputOf } from '../notebook/notebook-page.ts';
import { appInPlace } from './app-in-place.ts';
import { codeCell, writeNotebook } from './start-app.ts';

const here = appInPlace('file');

test('a scrolled output stays where it is when the panel of agents goes over the notebook and back', async () => {
  const text = Array.from({ length: 900 }, (_, line) => `line ${line}\n`).join('');
  const output = { output_type: 'stream', name: 'stdout', text };
  const file = await writeNotebook(path.join(here.place.folder, 'long.ipynb'), [codeCell('print(text)', [output])]);
  const { page, electron } = await here.start([file]);
  const sized = async (width: number, height: number) => {
    await electron.evaluate(({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height), {
      width,
      height,
    });
    await page.waitForFunction((to) => innerWidth === to, width);
  };
  await sized(1440, 900);
  await drawn(page);
  await page.getByRole('navigation').getByRole('button', { name: 'Agents' }).click();
  const panel = page.getByRole('complementary', { name: 'Agents' });
  await panel.waitFor();
  const box = outputOf(page, 0).locator('section[tabindex="0"]');
  const place = () => box.evaluate((element) => Math.round(element.scrollTop));
  await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  const end = await place();
  expect(end).toBeGreaterThan(500);

  await sized(640, 480);
  await expect.poll(() => panel.getAttribute('data-over')).toBe('true');
  expect(await place()).toBe(end);
  await sized(1440, 900);
  await expect.poll(() => panel.getAttribute('data-over')).toBe(null);
  expect(await place()).toBe(end);
});
