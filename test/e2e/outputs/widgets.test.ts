/** Live widgets in the real window with a real kernel: operated with the pointer and the keyboard, reopened, and shown from a file. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command, drawn, KERNEL_LIMIT_MS, outputOf, runCell, runState, typeSource } from '../notebook/notebook-page.ts';
import {
  codeCell,
  makePlace,
  type RunningApp,
  ready,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from '../window/start-app.ts';

const SLIDER = 'import ipywidgets as w\ns = w.IntSlider(value=4, max=50, description="rows")\ns';
const SAME = 'display(s, w.Label("beside"))';
const BUTTON = [
  'out = w.Output()',
  'b = w.Button(description="Add", icon="plus")',
  '@out.capture()',
  'def add(_): print("added at", s.value)',
  'b.on_click(add)',
  'w.VBox([b, out])',
].join('\n');

let place: TestPlace;
let app: RunningApp;

/** A notebook in an app and a place of its own: what is left unsaved in one is no question in the next. */
async function openApp(name: string, cells: readonly Record<string, unknown>[], widgets?: unknown): Promise<void> {
  place = await makePlace();
  const file = await writeNotebook(path.join(place.folder, name), cells);
  if (widgets) {
    const notebook = JSON.parse(await readFile(file, 'utf8'));
    notebook.metadata.widgets = { 'application/vnd.jupyter.widget-state+json': { state: widgets, version_major: 2, version_minor: 0 } };
    await writeFile(file, `${JSON.stringify(notebook, null, 1)}\n`);
  }
  app = await startApp(place, [file]);
  await drawn(app.page);
}

async function closeApp(): Promise<void> {
  await stopApp(app);
  await removePlace(place);
}

async function frameOf(page: Page, cell: number, at = 0): Promise<Frame> {
  const element = outputOf(page, cell).locator('iframe').nth(at);
  await element.waitFor({ timeout: KERNEL_LIMIT_MS });
  await element.scrollIntoViewIfNeeded();
  const frame = await (await element.elementHandle())?.contentFrame();
  if (!frame) throw new Error(`The output of cell ${cell} has no frame.`);
  return frame;
}

async function run(cell: number): Promise<void> {
  await runCell(app.page, cell);
  await runState(app.page, cell, 'done');
}

async function printed(cell: number): Promise<string> {
  await run(cell);
  return (await outputOf(app.page, cell).locator('pre, [class*="stream"]').first().textContent()) ?? '';
}

const readout = (frame: Frame) => frame.locator('.widget-readout').first();

describe('live widgets', () => {
  beforeAll(() => openApp('live.ipynb', [codeCell(SLIDER), codeCell(SAME), codeCell(BUTTON), codeCell('print(s.value, s.max)')]));
  afterAll(closeApp);

  it('are drawn, and what the person sets reaches the kernel and every other view', async () => {
    await run(0);
    await run(1);
    const [first, second] = [await frameOf(app.page, 0), await frameOf(app.page, 1)];
    await readout(first).getByText('4', { exact: true }).waitFor();
    await second.getByText('rows').waitFor();
    await first.locator('.noUi-handle').first().focus();
    for (let times = 0; times < 3; times += 1) await first.locator('.noUi-handle').first().press('ArrowRight');
    await readout(first).getByText('7', { exact: true }).waitFor();
    await readout(second).getByText('7', { exact: true }).waitFor();
    await until(async () => (await printed(3)).startsWith('7 50'));
  });

  it('follow the kernel', async () => {
    await typeSource(app.page, 3, 's.max = 80; s.value = 61; print(s.value, s.max)');
    await run(3);
    for (const cell of [0, 1]) {
      await readout(await frameOf(app.page, cell))
        .getByText('61', { exact: true })
        .waitFor();
    }
  });

  it('run a button’s handler, whose prints land in the Output widget, and mark no cell as running', async () => {
    await run(2);
    const frame = await frameOf(app.page, 2);
    await frame.getByRole('button', { name: 'Add' }).click();
    await frame.getByText('added at 61').waitFor();
    await frame.getByRole('button', { name: 'Add' }).click();
    await until(async () => (await frame.locator('.widget-output pre').allTextContents()).join('') === 'added at 61\nadded at 61\n');
    expect(await app.page.locator('article[data-run="running"]').count()).toBe(0);
    expect(await frame.locator('.fa-plus').evaluate((icon) => getComputedStyle(icon, '::before').fontFamily)).toContain('Font Awesome');
  });

  it('are there again after the page was loaded anew', async () => {
    await app.page.reload();
    await ready(app.page);
    await drawn(app.page);
    await readout(await frameOf(app.page, 0))
      .getByText('61', { exact: true })
      .waitFor();
    await (await frameOf(app.page, 2)).getByText('added at 61').waitFor();
  });

  it('say so when their kernel has ended, and keep what they show', async () => {
    await command(app.page, 'Restart the kernel…');
    await app.page.getByRole('button', { name: 'Restart', exact: true }).click();
    await outputOf(app.page, 0).getByText('The kernel of this widget has ended').waitFor({ timeout: KERNEL_LIMIT_MS });
    await readout(await frameOf(app.page, 0))
      .getByText('61', { exact: true })
      .waitFor();
    expect(app.problems).toEqual([]);
  });
});

describe('widgets in a file', () => {
  const VIEW = 'application/vnd.jupyter.widget-view+json';
  const view = (modelId: string) => ({
    output_type: 'display_data',
    metadata: {},
    data: { [VIEW]: { model_id: modelId, version_major: 2, version_minor: 0 }, 'text/plain': ['IntSlider(value=33)'] },
  });

  const STATE = {
    m1: {
      model_name: 'IntSliderModel',
      model_module: '@jupyter-widgets/controls',
      model_module_version: '2.0.0',
      state: {
        _view_name: 'IntSliderView',
        _view_module: '@jupyter-widgets/controls',
        value: 33,
        max: 60,
        layout: 'IPY_MODEL_l1',
        style: 'IPY_MODEL_s1',
      },
    },
    l1: { model_name: 'LayoutModel', model_module: '@jupyter-widgets/base', model_module_version: '2.0.0', state: {} },
    s1: { model_name: 'SliderStyleModel', model_module: '@jupyter-widgets/controls', model_module_version: '2.0.0', state: {} },
  };

  beforeAll(() => openApp('stored.ipynb', [codeCell('s', [view('m1')]), codeCell('t', [view('gone')])], STATE));
  afterAll(closeApp);

  it('are shown from their stored state once the notebook is trusted, else as text with a note', async () => {
    const { page } = app;
    await outputOf(page, 0).getByText('IntSlider(value=33)').waitFor();
    expect(await outputOf(page, 0).locator('iframe').count()).toBe(0);
    await outputOf(page, 0).getByRole('button', { name: 'Trust this notebook' }).click();
    await readout(await frameOf(page, 0))
      .getByText('33', { exact: true })
      .waitFor();
    await outputOf(page, 0).getByText('shown as it was saved').waitFor();
    await outputOf(page, 1).getByText('This widget is not in the kernel').waitFor();
    await outputOf(page, 1).getByText('IntSlider(value=33)').waitFor();
  });
});
