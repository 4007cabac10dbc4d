/**
 * The whole thread in the real window: a person opens a notebook, edits it, runs it on a real kernel, watches output come, interrupts,
 * restarts, saves, closes and opens it again.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  codeCell,
  makePlace,
  type RunningApp,
  readNotebook,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from '../window/start-app.ts';
import { cellAt, command, drawn, kernelState, outputOf, runCell, runState, save, typeSource, unsaved } from './notebook-page.ts';

const PLOT = 'import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.show()';
/** Ends only when the test says so. */
const SLOW = 'import os, time\nprint("step 1", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.05)\nprint("step 2")';

let place: TestPlace;
let file: string;
let app: RunningApp;
let page: Page;

async function open(cells: readonly Record<string, unknown>[]): Promise<void> {
  file = await writeNotebook(path.join(place.folder, 'thread.ipynb'), cells);
  app = await startApp(place, [file]);
  page = app.page;
  await drawn(page);
}

beforeEach(async () => {
  place = await makePlace();
});

afterEach(async () => {
  if (app !== undefined) {
    expect(app.problems).toEqual([]);
    await stopApp(app);
  }
  await removePlace(place);
});

describe('a notebook by hand', () => {
  it('edits, runs, saves, closes and opens again with everything in its place', async () => {
    await open([{ cell_type: 'markdown', source: '# Sales\n\nMean is $\\bar x$.' }, codeCell('x = 1')]);
    await cellAt(page, 0).getByRole('heading', { name: 'Sales' }).waitFor();
    await typeSource(page, 1, 'print("hello", 6 * 7)');
    await until(() => unsaved(page, 'thread.ipynb'));
    await page.keyboard.press('Control+Enter');
    await outputOf(page, 1).getByText('hello 42').waitFor();
    await runState(page, 1, 'done');
    await save(page);

    const saved = await readNotebook(file);
    expect(saved.cells[1]).toMatchObject({
      execution_count: 1,
      source: ['print("hello", 6 * 7)'],
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['hello 42\n'] }],
    });

    await page.getByRole('button', { name: 'Close thread.ipynb' }).click();
    await page.getByRole('tab', { name: 'thread.ipynb' }).waitFor({ state: 'detached' });
    await page
      .getByRole('region', { name: 'Recent' })
      .getByRole('button', { name: /thread/ })
      .click();
    await outputOf(page, 1).getByText('hello 42').waitFor();
  });

  it('shows text while the code still runs', async () => {
    await open([codeCell(SLOW)]);
    await runCell(page, 0);
    await outputOf(page, 0).getByText('step 1').waitFor();
    await runState(page, 0, 'running');
    expect(await outputOf(page, 0).getByText('step 2').count()).toBe(0);
    await writeFile(path.join(place.folder, 'go'), '');
    await outputOf(page, 0).getByText('step 2').waitFor();
    await runState(page, 0, 'done');
  });

  it('draws a plot from a URL, not from base64 over IPC', async () => {
    await open([codeCell(PLOT)]);
    await runCell(page, 0);
    const image = cellAt(page, 0).locator('img');
    await image.waitFor();
    await page.waitForFunction(() => (document.querySelector('article img') as HTMLImageElement | null)?.naturalWidth);
    expect(await image.getAttribute('src')).toMatch(/^output:\/\//);
    expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(300);
  });

  it('shows HTML only inside a frame without the app, and the table in it', async () => {
    await open([codeCell('import pandas as pd\npd.DataFrame({"city": ["Oslo", "Bonn"], "n": [1, 2]})')]);
    await runCell(page, 0);
    const frame = cellAt(page, 0).locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('sandbox')).toBe('allow-scripts');
    await cellAt(page, 0).frameLocator('iframe').getByText('Oslo').waitFor();
    expect(await cellAt(page, 0).locator('table').count()).toBe(0);
    const inside = await (await frame.elementHandle())?.contentFrame();
    expect(await inside?.evaluate(() => document.fonts.ready.then(() => document.fonts.check("13px 'Inter'")))).toBe(true);
    expect(await inside?.evaluate(() => [...document.fonts].find(({ family }) => family.includes('Inter'))?.status)).toBe('loaded');
  });

  it('puts the error first, keeps the cells after it from running, and says which failed', async () => {
    await open([codeCell('def f(x):\n    return 1 / x\nf(0)'), codeCell('print("not run")')]);
    await command(page, 'Run all cells');
    await runState(page, 0, 'failed');
    await outputOf(page, 0).getByText('ZeroDivisionError').first().waitFor();
    await outputOf(page, 0).getByText('division by zero').first().waitFor();
    await runState(page, 1, 'cancelled');
    expect(await outputOf(page, 1).count()).toBe(0);
  });

  it('interrupts an endless loop; the kernel and its variables live on', async () => {
    await open([codeCell('kept = 5\nwhile True:\n    pass'), codeCell('print("kept", kept)')]);
    await runCell(page, 0);
    await kernelState(page, 'busy');
    await page
      .getByRole('toolbar', { name: 'Kernel' })
      .getByRole('button', { name: /Interrupt/ })
      .click();
    await runState(page, 0, 'failed');
    await outputOf(page, 0).getByText('Interrupted').first().waitFor();
    await runCell(page, 1);
    await outputOf(page, 1).getByText('kept 5').waitFor();
  });

  it('restarts only after a question, and says that variables are gone', async () => {
    await open([codeCell('there = 1'), codeCell('there')]);
    await runCell(page, 0);
    await runState(page, 0, 'done');
    await command(page, 'Restart the kernel…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restart' }).click();
    await kernelState(page, 'idle');
    await runCell(page, 1);
    await runState(page, 1, 'failed');
    await outputOf(page, 1).getByText('NameError').first().waitFor();
  });

  it('asks for input inside the cell', async () => {
    await open([codeCell('name = input("Your name? ")\nprint("Hello", name)')]);
    await runCell(page, 0);
    const field = cellAt(page, 0).getByRole('textbox', { name: /Your name/ });
    await field.fill('Ada');
    await field.press('Enter');
    await outputOf(page, 0).getByText('Hello Ada').waitFor();
    await outputOf(page, 0).getByText('Your name? Ada').waitFor();
  });

  it('says that the kernel ended, keeps the outputs, and starts again', async () => {
    await open([codeCell('print("before", flush=True)\nimport os, signal, time\ntime.sleep(0.3)\nos.kill(os.getpid(), signal.SIGKILL)')]);
    await runCell(page, 0);
    await kernelState(page, 'dead');
    await runState(page, 0, 'failed');
    await outputOf(page, 0).getByText('before').waitFor();
    await page
      .getByRole('alert')
      .getByText(/kernel ended/i)
      .waitFor();
    await page
      .getByRole('alert')
      .getByRole('button', { name: /^(Restart|Start)/ })
      .click();
    await kernelState(page, 'idle');
  });

  it('leaves every byte alone that was not touched', async () => {
    await open([codeCell('a = 1.0'), { cell_type: 'markdown', source: 'end' }]);
    await stopApp(app);
    const odd = `${(await readFile(file, 'utf8')).trimEnd().replace('"metadata": {\n  "kernelspec"', '"metadata": {\n  "n": 9007199254740993, "e": 1e-07,\n  "kernelspec"')}`;
    await writeFile(file, odd);
    app = await startApp(place, [file]);
    page = app.page;
    await drawn(page);
    await typeSource(page, 0, 'a = 2');
    await save(page);
    expect(await readFile(file, 'utf8')).toBe(odd.replace('"source": "a = 1.0"', '"source": [\n    "a = 2"\n   ]'));
  });

  it('asks before unsaved work is closed, and Cancel changes nothing', async () => {
    await open([codeCell('x = 1')]);
    await typeSource(page, 0, 'x = 2');
    await page.getByRole('button', { name: 'Close thread.ipynb' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await unsaved(page, 'thread.ipynb')).toBe(true);
    await page.getByRole('button', { name: 'Close thread.ipynb' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: /^Save/ }).click();
    await page.getByRole('tab', { name: 'thread.ipynb' }).waitFor({ state: 'detached' });
    expect((await readNotebook(file)).cells[0]?.source).toEqual(['x = 2']);
  });

  it('asks for the very last key, too', async () => {
    await open([codeCell('x = 1')]);
    await typeSource(page, 0, 'x = 2');
    await save(page);
    await page.keyboard.press('3');
    await page.keyboard.press('Control+w');
    await page.getByRole('alertdialog').getByRole('button', { name: /^Save/ }).click();
    await page.getByRole('tab', { name: 'thread.ipynb' }).waitFor({ state: 'detached' });
    expect((await readNotebook(file)).cells[0]?.source).toEqual(['x = 23']);
  });
});

describe('a notebook of 5,000 cells', () => {
  const cells = Array.from({ length: 5000 }, (_, index) =>
    index % 5 === 0
      ? { cell_type: 'markdown', source: `## Part ${index}\n\nSome *words*.` }
      : codeCell(`value_${index} = ${index}\nvalue_${index} * 2`),
  );

  it('mounts only what is in view, wherever it is scrolled, and takes what is typed', async () => {
    await open(cells);
    await page.waitForFunction(() => document.querySelector('[data-cell-count="5000"]'));
    const scroller = page.locator('[role="feed"]').locator('xpath=..');
    for (const part of [0.1, 0.5, 0.9, 1]) {
      await scroller.evaluate((element, share) => element.scrollTo(0, element.scrollHeight * share), part);
      await page.waitForTimeout(100);
      expect(await page.locator('article').count()).toBeLessThan(60);
    }
    await cellAt(page, 4999).waitFor();
    await typeSource(page, 4999, 'print("last one")');
    await page.keyboard.press('Control+Enter');
    await outputOf(page, 4999).getByText('last one', { exact: true }).waitFor();
  });
});
