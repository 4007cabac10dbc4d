/** Plots that a notebook stores as data: drawn on opening, without a kernel and without trust, in the window's colours. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { KERNEL_LIMIT_MS, outputOf } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, must, until, writeNotebook } from '../window/start-app.ts';
import { frameOf } from './frame-of.ts';

const PLOTLY = {
  data: [
    { type: 'scatter', mode: 'lines+markers', name: 'north', x: [1, 2, 3, 4], y: [10, 15, 13, 17] },
    { type: 'bar', name: 'south', x: [1, 2, 3, 4], y: [16, 5, 11, 9] },
  ],
  layout: {
    title: { text: 'Sales by quarter' },
    template: { layout: { paper_bgcolor: 'white', plot_bgcolor: '#E5ECF6', font: { color: '#2a3f5f' }, xaxis: { gridcolor: 'white' } } },
  },
};

const VEGA_LITE = {
  $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
  data: {
    values: [
      { city: 'Aachen', people: 249 },
      { city: 'Bonn', people: 331 },
      { city: 'Kassel', people: 201 },
    ],
  },
  transform: [{ calculate: 'datum.people * 1000', as: 'heads' }],
  mark: 'bar',
  encoding: { x: { field: 'city', type: 'nominal' }, y: { field: 'heads', type: 'quantitative' }, tooltip: { field: 'heads' } },
  width: 320,
  height: 200,
};

const VEGA = {
  $schema: 'https://vega.github.io/schema/vega/v5.json',
  width: 200,
  height: 100,
  data: [{ name: 'points', values: [{ x: 1 }, { x: 4 }, { x: 9 }], transform: [{ type: 'formula', as: 'y', expr: 'sqrt(datum.x)' }] }],
  scales: [
    { name: 'x', type: 'linear', domain: [0, 10], range: 'width' },
    { name: 'y', type: 'linear', domain: [0, 4], range: 'height' },
  ],
  axes: [{ orient: 'bottom', scale: 'x' }],
  marks: [
    { type: 'symbol', from: { data: 'points' }, encode: { enter: { x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: 'y' } } } },
  ],
};

const FAR_AWAY = { ...VEGA_LITE, data: { url: 'https://example.org/data.csv' } };

function shown(mime: string, value: unknown): Record<string, unknown> {
  return {
    output_type: 'display_data',
    metadata: {},
    data: { [mime]: value, 'text/html': ['<b>the library’s own page</b>'], 'text/plain': ['a plot'] },
  };
}

const run = appInPlace('file');

beforeAll(async () => {
  const file = await writeNotebook(path.join(run.place.folder, 'plots.ipynb'), [
    codeCell('plotly', [shown('application/vnd.plotly.v1+json', PLOTLY)]),
    codeCell('altair', [shown('application/vnd.vegalite.v5+json', VEGA_LITE)]),
    codeCell('vega', [shown('application/vnd.vega.v5+json', VEGA)]),
    codeCell('from the web', [shown('application/vnd.vegalite.v4+json', FAR_AWAY)]),
    codeCell('broken', [shown('application/vnd.plotly.v1+json', { layout: {} })]),
  ]);
  await run.start([file]);
  // plotly alone is five megabytes of script, on a machine that may be busy with other tests.
  run.app.page.setDefaultTimeout(KERNEL_LIMIT_MS);
});

async function height(page: Page, cell: number): Promise<number> {
  return (await outputOf(page, cell).locator('iframe').boundingBox())?.height ?? 0;
}

describe('a stored plot', () => {
  it('of plotly is drawn from its data, as wide as the page, before the notebook is trusted', async () => {
    const frame = await frameOf(run.app.page, 0);
    await frame.getByText('Sales by quarter').waitFor();
    // Wherever the pointer lies: a notebook opens at its top and stays there while its plots come to their size.
    expect(await run.app.page.getByRole('feed', { name: /^Cells of/ }).evaluate((page) => page.parentElement?.scrollTop)).toBe(0);
    expect(await frame.locator('.bars .point').count()).toBe(4);
    const { width } = (await frame.locator('.main-svg').first().boundingBox())!;
    expect(width).toBeGreaterThan(400);
    await until(async () => (await height(run.app.page, 0)) >= 450);
    expect(await frame.evaluate(() => document.getElementById('output')?.dataset.trusted)).toBe('false');
  });

  it('follows the theme where its author chose no colours', async () => {
    const frame = await frameOf(run.app.page, 0);
    const background = () =>
      frame
        .locator('.bglayer .bg')
        .first()
        .evaluate((element) => getComputedStyle(element).fillOpacity);
    await must(run.app.page, 'app.setTheme', { theme: 'dark' });
    await until(async () => (await background()) === '0');
    await must(run.app.page, 'app.setTheme', { theme: 'light' });
    await until(async () => (await background()) === '1');
  });

  it('of Vega-Lite and of Vega is drawn, its expressions without code made of text', async () => {
    for (const cell of [1, 2]) {
      const frame = await frameOf(run.app.page, cell);
      await frame.locator('canvas.marks').waitFor();
      const inked = await frame.locator('canvas.marks').evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value, at) => at % 4 === 3 && value > 0);
      });
      expect(inked).toBe(true);
      await until(async () => (await height(run.app.page, cell)) > 100);
    }
  });

  it('whose data lies on the network has none before it is trusted, and says so', async () => {
    const frame = await frameOf(run.app.page, 3);
    await frame.getByText('only once the notebook is trusted').waitFor();
  });

  it('that can’t be drawn says why', async () => {
    const frame = await frameOf(run.app.page, 4);
    await frame.getByText("This plot can't be drawn").waitFor();
  });
});
