/** Images in a markdown cell of the real window: attached ones, files beside the notebook, and what must stay a placeholder. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePlace, type RunningApp, removePlace, startApp, stopApp, type TestPlace, writeNotebook } from '../window/start-app.ts';
import { cellAt, drawn } from './notebook-page.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';
const SOURCE = `![attached](attachment:my%20dot.png) ![beside](<figures/two dots.png>) <img src="figures/two%20dots.png" alt="raw">

![outside](../secret.png) ![gone](gone.png) ![lost](attachment:lost.png)`;

let place: TestPlace;
let app: RunningApp;

beforeAll(async () => {
  place = await makePlace();
  await mkdir(path.join(place.folder, 'figures'));
  await writeFile(path.join(place.folder, 'figures', 'two dots.png'), Buffer.from(PNG, 'base64'));
  await writeFile(path.join(place.root, 'secret.png'), Buffer.from(PNG, 'base64'));
  const cell = { cell_type: 'markdown', source: SOURCE, attachments: { 'my dot.png': { 'image/png': PNG } } };
  app = await startApp(place, [await writeNotebook(path.join(place.folder, 'a.ipynb'), [cell])]);
  await drawn(app.page);
});
afterAll(async () => {
  if (app) await stopApp(app);
  await removePlace(place);
});

it('shows attachments and files of the notebook’s folder', async () => {
  const images = cellAt(app.page, 0).locator('img');
  await expect.poll(() => images.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth))).toEqual([2, 2, 2]);
  const sources = await images.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).src));
  for (const source of sources) expect(source).toMatch(/^output:\/\//);
});

it('leaves words for what is outside or missing', async () => {
  for (const words of ['outside — ../secret.png', 'gone — gone.png', 'lost — attachment:lost.png']) {
    await cellAt(app.page, 0).getByText(words).waitFor();
  }
});

it('refuses a file outside of the folder to whoever asks', async () => {
  const answers = await app.page.evaluate(async () => {
    const shown = document.querySelector<HTMLImageElement>('article img[alt="beside"]')!.src;
    const load = (url: string) =>
      new Promise<boolean>((resolve) => {
        const image = new Image();
        image.onload = () => resolve(true);
        image.onerror = () => resolve(false);
        image.src = url;
      });
    const outside = shown.replace(/[^/]*$/, encodeURIComponent('../secret.png'));
    return Promise.all([shown, outside, outside.replace('%2F', '%252F')].map(load));
  });
  expect(answers).toEqual([true, false, false]);
  expect(app.problems).toEqual([]);
});
