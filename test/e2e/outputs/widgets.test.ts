/** Live widgets in the real window with a real kernel: operated with the pointer and the keyboard, reopened, and shown from a file. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { widgetAddress } from '../../../preload/widget-address.ts';
import { command, drawn, KERNEL_LIMIT_MS, outputOf, runCell, runState, typeSource } from '../notebook/notebook-page.ts';
import {
  call,
  codeCell,
  collect,
  makePlace,
  must,
  type RunningApp,
  ready,
  received,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from '../window/start-app.ts';
import { frameOf } from './frame-of.ts';

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
async function openApp(
  name: string,
  cells: readonly Record<string, unknown>[],
  widgets?: unknown,
  env: Record<string, string> = {},
): Promise<void> {
  place = await makePlace();
  Object.assign(place.env, env);
  const file = await writeNotebook(path.join(place.folder, name), cells);
  if (widgets) {
    const notebook = JSON.parse(await readFile(file, 'utf8'));
    notebook.metadata.widgets = { 'application/vnd.jupyter.widget-state+json': { state: widgets, version_major: 2, version_minor: 0 } };
    await writeFile(file, `${JSON.stringify(notebook, null, 1)}\n`);
  }
  await showApp(file);
}

async function showApp(file: string): Promise<void> {
  app = await startApp(place, [file]);
  // A frame loads most of a megabyte of script, on a machine that may be busy with other tests.
  app.page.setDefaultTimeout(KERNEL_LIMIT_MS);
  await drawn(app.page);
}

async function closeApp(): Promise<void> {
  await stopApp(app);
  await removePlace(place);
}

async function run(cell: number): Promise<void> {
  await runCell(app.page, cell);
  await runState(app.page, cell, 'done');
}

async function printed(cell: number): Promise<string> {
  await run(cell);
  return (await outputOf(app.page, cell).locator('pre, [class*="stream"]').first().textContent()) ?? '';
}

/** What anywidget's Python half sends: the widget's own code is part of its state. */
const COUNTER = [
  'from traitlets import Int, Unicode',
  'class Counter(w.DOMWidget):',
  '    _model_module = Unicode("anywidget").tag(sync=True)',
  '    _view_module = Unicode("anywidget").tag(sync=True)',
  '    _model_name = Unicode("AnyModel").tag(sync=True)',
  '    _view_name = Unicode("AnyView").tag(sync=True)',
  '    _anywidget_id = Unicode("test.Counter").tag(sync=True)',
  '    _esm = Unicode("""export default { render({ model, el }) {',
  '      const button = document.createElement("button");',
  '      const show = () => { button.textContent = "count " + model.get("n"); };',
  '      button.onclick = () => { model.set("n", model.get("n") + 1); model.save_changes(); };',
  '      model.on("change:n", show); show(); el.append(button);',
  '    } }""").tag(sync=True)',
  '    n = Int(3).tag(sync=True)',
  'class Stranger(w.DOMWidget):',
  '    _model_module = Unicode("some-plots").tag(sync=True)',
  '    _view_module = Unicode("some-plots").tag(sync=True)',
  '    _model_name = Unicode("FigureModel").tag(sync=True)',
  '    _view_name = Unicode("Figure").tag(sync=True)',
  'c = Counter()',
  'display(c, Stranger())',
].join('\n');

/** Moves the slider for a while after its cell is done. */
const CHANGES = [
  'import threading, time',
  'def change():',
  '    for at in range(120):',
  '        s.value = at % 40',
  '        time.sleep(0.01)',
  '    s.value = 12',
  'threading.Thread(target=change).start()',
].join('\n');

const readout = (frame: Frame) => frame.locator('.widget-readout').first();

describe('live widgets', () => {
  beforeAll(() =>
    openApp('live.ipynb', [
      codeCell(SLIDER),
      codeCell(SAME),
      codeCell(BUTTON),
      codeCell('print(s.value, s.max)'),
      codeCell(COUNTER),
      codeCell(CHANGES),
    ]),
  );
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

  it('of other makers run their own code when it comes with them, and are named when it does not', async () => {
    await run(4);
    const frame = await frameOf(app.page, 4);
    await frame.getByRole('button', { name: 'count 3' }).click();
    await frame.getByRole('button', { name: 'count 4' }).waitFor();
    await typeSource(app.page, 3, 'print(c.n)');
    await until(async () => (await printed(3)).startsWith('4'));
    await (await frameOf(app.page, 4, 1)).getByText('some-plots, which Cellwright does not have').waitFor();
  });

  it('are in step in a second window', async () => {
    const { hostname: docId, pathname } = new URL((await frameOf(app.page, 0)).url());
    const modelId = decodeURIComponent(pathname.split('/')[2]!);
    const opened = app.electron.waitForEvent('window');
    await app.electron.evaluate(({ Menu }) => {
      Menu.getApplicationMenu()!.getMenuItemById('window.new')!.click();
    });
    const other = await opened;
    await ready(other);
    await must(other, 'doc.attach', { docId });
    await must(other, 'widget.follow', { docId });
    await collect(other, ['widget.events']);
    expect((await must(other, 'widget.model', { docId, modelId }))?.state.value).toBe(61);
    await (await frameOf(app.page, 0)).locator('.noUi-handle').first().press('ArrowLeft');
    await until(async () => JSON.stringify(await received(other)).includes('"value":60'));
    const send = { docId, commId: modelId, messageId: 'second', data: { method: 'update', state: { value: 12 }, buffer_paths: [] } };
    await other.evaluate((message) => window.cellwright.post('widget.send', { ...message, buffers: [] }), send);
    await readout(await frameOf(app.page, 0))
      .getByText('12', { exact: true })
      .waitFor();
    const closed = other.waitForEvent('close');
    await must(other, 'doc.close', { docId, discard: true, stop: true });
    await other.evaluate(() => window.close()).catch(() => {});
    await closed;
  });

  it('are right again after the page hung while they changed', async () => {
    await run(5);
    await app.page.evaluate(() => {
      const end = performance.now() + 3000;
      while (performance.now() < end);
    });
    for (const cell of [0, 1]) {
      await readout(await frameOf(app.page, cell))
        .getByText('12', { exact: true })
        .waitFor();
    }
  });

  it('are there again after the page was loaded anew', async () => {
    await app.page.reload();
    await ready(app.page);
    await drawn(app.page);
    await readout(await frameOf(app.page, 0))
      .getByText('12', { exact: true })
      .waitFor();
    await (await frameOf(app.page, 2)).getByText('added at 61').waitFor();
  });

  it('say so when their kernel has ended, and keep what they show', async () => {
    await command(app.page, 'Restart the kernel…');
    await app.page.getByRole('button', { name: 'Restart', exact: true }).click();
    await outputOf(app.page, 0).getByText('The kernel of this widget has ended').waitFor({ timeout: KERNEL_LIMIT_MS });
    await readout(await frameOf(app.page, 0))
      .getByText('12', { exact: true })
      .waitFor();
    expect(app.problems).toEqual([]);
  });
});

describe('widgets that are saved', () => {
  beforeAll(() =>
    openApp('saved.ipynb', [codeCell(SLIDER), codeCell('s.value = 29')], undefined, { CELLWRIGHT_SAVE_WIDGET_STATE: 'true' }),
  );
  afterAll(closeApp);

  it('are shown without a kernel when the notebook is opened again', async () => {
    await run(0);
    await run(1);
    await readout(await frameOf(app.page, 0))
      .getByText('29', { exact: true })
      .waitFor();
    const docId = new URL((await frameOf(app.page, 0)).url()).hostname;
    await must(app.page, 'doc.save', { docId });
    await stopApp(app);
    await showApp(path.join(place.folder, 'saved.ipynb'));
    // Its outputs were made here, so they are trusted.
    await readout(await frameOf(app.page, 0))
      .getByText('29', { exact: true })
      .waitFor();
    await outputOf(app.page, 0).getByText('shown as it was saved').waitFor();
  });
});

describe('widgets in a file', () => {
  /** Asks for a model as a widget's frame does, then for a height, which shows that both were heard. */
  const html = {
    output_type: 'display_data',
    metadata: {},
    data: {
      'text/html': [
        '<script>addEventListener("message", ({ data }) => { if (data.cellwright === "widget") document.body.dataset.answered = "yes"; });',
        'parent.postMessage({ cellwright: "widget", request: { kind: "model", modelId: "m1" } }, "*");',
        'setTimeout(() => parent.postMessage({ cellwright: "size", height: 77 }, "*"), 50);</script>',
      ],
    },
  };
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

  beforeAll(() => openApp('stored.ipynb', [codeCell('s', [view('m1')]), codeCell('t', [view('gone')]), codeCell('u', [html])], STATE));
  afterAll(closeApp);

  it('are nobody’s before the notebook is trusted', async () => {
    const { page } = app;
    const start = await must(page, 'app.start', undefined);
    const docId = start.open[0]!;
    for (const answer of [await call(page, 'widget.follow', { docId }), await call(page, 'widget.model', { docId, modelId: 'm1' })]) {
      expect(answer).toMatchObject({ ok: false, error: { code: 'not-trusted' } });
    }
    const address = widgetAddress(docId, 'm1');
    const status = await app.electron.evaluate(
      ({ session }, url) => session.defaultSession.fetch(url).then((answer) => answer.status),
      address,
    );
    expect(status).toBe(404);
  });

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
    const stranger = await frameOf(page, 2);
    await until(async () => (await outputOf(page, 2).locator('iframe').boundingBox())?.height === 77);
    // An answer would have come before that of a later question.
    for (let times = 0; times < 2; times += 1) await must(page, 'widget.model', { docId: new URL(stranger.url()).hostname, modelId: 'm1' });
    expect(await stranger.evaluate(() => document.body.dataset.answered)).toBeUndefined();
  });
});
