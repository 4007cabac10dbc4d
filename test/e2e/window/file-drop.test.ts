/** Files dropped on the real window by the browser's own drag. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeCell, makePlace, type RunningApp, removePlace, startApp, stopApp, type TestPlace, writeNotebook } from './start-app.ts';

let place: TestPlace;
let app: RunningApp;

beforeAll(async () => {
  place = await makePlace();
  for (const name of ['a', 'b', 'c']) await writeNotebook(path.join(place.folder, `${name}.ipynb`), [codeCell(`'${name}'`)]);
  await writeFile(path.join(place.folder, 'd.csv'), '1,2');
  app = await startApp(place);
});
afterAll(async () => {
  if (app) await stopApp(app);
  await removePlace(place);
});

async function drop(names: readonly string[], at: { x: number; y: number }): Promise<void> {
  const devtools = await app.page.context().newCDPSession(app.page);
  const data = { items: [], files: names.map((name) => path.join(place.folder, name)), dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
  await devtools.detach();
}

it('opens notebooks, in their order, and says what is none', async () => {
  await drop(['a.ipynb', 'd.csv', 'b.ipynb'], { x: 500, y: 300 });
  await app.page.getByRole('tab', { name: 'b.ipynb', selected: true }).waitFor();
  expect(await app.page.getByRole('tab').allTextContents()).toEqual(['a.ipynb', 'b.ipynb']);
  await app.page.getByText('d.csv is not opened').waitFor();
});

it('opens one that is dropped on a cell that is being written, which stays as it is', async () => {
  const source = app.page.locator('article [data-source]').first();
  await source.click();
  await app.page.locator('article[data-mark="edit"]').waitFor();
  const box = (await source.boundingBox())!;
  await drop(['c.ipynb'], { x: box.x + 40, y: box.y + box.height / 2 });
  await app.page.getByRole('tab', { name: 'c.ipynb', selected: true }).waitFor();
  await app.page.getByRole('tab', { name: 'b.ipynb' }).click();
  expect(await app.page.locator('article [data-source]').first().textContent()).toContain("'b'");
  expect(await app.page.locator('article [data-source]').first().textContent()).not.toContain('c.ipynb');
  expect(await app.page.getByLabel('Unsaved changes').count()).toBe(0);
  expect(app.problems).toEqual([]);
});
