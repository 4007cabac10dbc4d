/** Command and edit mode by the keyboard alone, help from the kernel while typing, and what undo brings back. */
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
import { cellAt, drawn, editCell, outputOf, runCell, runState, save } from './notebook-page.ts';

let place: TestPlace;
let file: string;
let app: RunningApp | undefined;
let page: Page;

async function open(cells: readonly Record<string, unknown>[]): Promise<void> {
  file = await writeNotebook(path.join(place.folder, 'keys.ipynb'), cells);
  app = await startApp(place, [file]);
  page = app.page;
  await drawn(page);
}

async function sources(): Promise<string[]> {
  await save(page);
  return (await readNotebook(file)).cells.map(({ source }) => (typeof source === 'string' ? source : source.join('')));
}

/** Puts the cell into command mode. */
async function select(index: number): Promise<void> {
  await editCell(page, index);
  await page.keyboard.press('Escape');
  await page.locator(`article[data-cell-index="${index}"][data-mark="command"]`).waitFor();
}

async function count(cells: number): Promise<void> {
  await page.locator(`[data-cell-count="${cells}"]`).waitFor();
}

beforeEach(async () => {
  place = await makePlace();
});

afterEach(async () => {
  if (app) {
    expect(app.problems).toEqual([]);
    await stopApp(app);
    app = undefined;
  }
  await removePlace(place);
});

describe('the keyboard', () => {
  it('adds, fills, moves, cuts and pastes cells without the pointer', async () => {
    await open([codeCell('one'), codeCell('two')]);
    await select(0);
    await page.keyboard.press('b');
    await count(3);
    await page.keyboard.press('Enter');
    await page.keyboard.type('between');
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await count(2);
    await page.keyboard.press('j');
    await page.keyboard.press('v');
    await count(3);
    expect(await sources()).toEqual(['between', 'two', 'one']);
  });

  it('makes markdown of a cell, shows it, and goes back to code', async () => {
    await open([codeCell('# A heading')]);
    await select(0);
    await page.keyboard.press('m');
    await page.keyboard.press('Control+Enter');
    await cellAt(page, 0).getByRole('heading', { name: 'A heading' }).waitFor();
    await page.keyboard.press('y');
    await page.locator('article[data-cell-index="0"][data-type="code"]').waitFor();
  });

  it('runs on with Shift+Enter, and makes a new cell at the end', async () => {
    await open([codeCell('1 + 1'), codeCell('2 + 2')]);
    await editCell(page, 0);
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await count(3);
    await runState(page, 1, 'done');
    await outputOf(page, 1).getByText('4', { exact: true }).waitFor();
  });

  it('brings a deleted cell back with its outputs', async () => {
    await open([codeCell('print("kept")'), codeCell('2')]);
    await runCell(page, 0);
    await runState(page, 0, 'done');
    await select(0);
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await count(1);
    await page.keyboard.press('z');
    await count(2);
    await outputOf(page, 0).getByText('kept', { exact: true }).waitFor();
    await save(page);
    expect((await readNotebook(file)).cells[0]?.outputs).toHaveLength(1);
  });

  it('splits a cell at the caret and merges it again', async () => {
    await open([codeCell('first\nsecond')]);
    await editCell(page, 0);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Shift+-');
    await count(2);
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await page.keyboard.press('Shift+J');
    await page.keyboard.press('Shift+M');
    await count(1);
    await cellAt(page, 0).getByText('second').waitFor();
    // It is what the file has again, so there is nothing to save.
    await page.getByLabel('Saved', { exact: true }).waitFor();
  });
});

describe('help while typing', () => {
  it('completes from the kernel', async () => {
    await open([codeCell('a_long_name_of_mine = 7'), codeCell('')]);
    await runCell(page, 0);
    await runState(page, 0, 'done');
    await editCell(page, 1);
    await page.keyboard.type('a_long_na');
    // On a busy machine an answer may come too late to be shown, and the next question gets one.
    await until(async () => {
      await page.keyboard.press('Control+Space');
      const suggestion = page.locator('.suggest-widget').getByText('a_long_name_of_mine').first();
      return suggestion.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await outputOf(page, 1).getByText('7', { exact: true }).waitFor();
  });
});
