/** Undo by the keyboard of cleared outputs and deleted cells, and what stale outputs say of themselves. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, writeNotebook } from '../window/start-app.ts';
import { cellAt, command, drawn, editCell, kernelState, outputOf, runCell, runState, typeSource } from './notebook-page.ts';

const run = appInPlace('test');
let page: Page;

async function open(cells: readonly Record<string, unknown>[]): Promise<void> {
  const file = await writeNotebook(path.join(run.place.folder, 'undo.ipynb'), cells);
  await run.start([file]);
  page = run.app.page;
  await drawn(page);
}

/** A code cell that was run before this session. */
function ranCell(source: string, count: number, text: string): Record<string, unknown> {
  return { ...codeCell(source), execution_count: count, outputs: [{ output_type: 'stream', name: 'stdout', text: [text] }] };
}

/** Waits until the cell's outputs are stale for this reason, or fresh. */
async function stale(index: number, reason: string | null): Promise<void> {
  const area = cellAt(page, index).getByRole('region', { name: 'Output' });
  await area.and(page.locator(reason === null ? ':not([data-stale])' : `[data-stale="${reason}"]`)).waitFor();
}

/** Into command mode on this cell. */
async function select(index: number): Promise<void> {
  await editCell(page, index);
  await page.keyboard.press('Escape');
  await page.locator(`article[data-cell-index="${index}"][data-mark="command"]`).waitFor();
}

afterEach(() => {
  expect(run.app.problems).toEqual([]);
});

describe('undo', () => {
  it('brings back cleared outputs and a deleted cell with its outputs, and redo takes them away again', async () => {
    await open([ranCell('print("kept")', 4, 'kept\n'), codeCell('x = 1')]);
    await outputOf(page, 0).getByText('kept').waitFor();
    await select(0);
    await command(page, 'Clear outputs');
    await outputOf(page, 0).waitFor({ state: 'detached' });
    await cellAt(page, 0).getByText('[ ]').waitFor();
    await page.keyboard.press('z');
    await outputOf(page, 0).getByText('kept').waitFor();
    await cellAt(page, 0).getByText('[4]').waitFor();
    await page.keyboard.press('Shift+Z');
    await outputOf(page, 0).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await outputOf(page, 0).getByText('kept').waitFor();

    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await page.locator('article[data-cell-index="1"]').waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await outputOf(page, 0).getByText('kept').waitFor();
    await cellAt(page, 0).getByText('[4]').waitFor();
    await page.getByLabel('Unsaved changes').waitFor({ state: 'detached' });
  });
});

describe('stale outputs', () => {
  it('say why: edited, run out of order, kernel restarted, from before this session', async () => {
    await open([codeCell('x = 1\nprint(x)'), codeCell('print(x + 1)'), ranCell('print("old")', 9, 'old\n')]);
    await outputOf(page, 2).getByText('old').waitFor();
    await stale(2, null);
    await runCell(page, 0);
    await runState(page, 0, 'done');
    await runCell(page, 1);
    await outputOf(page, 1).getByText('2', { exact: true }).waitFor();
    await stale(2, 'not-run');
    await stale(1, null);

    await typeSource(page, 0, 'x = 10');
    await page.keyboard.type('\nprint(x)');
    await stale(0, 'edited');
    await stale(1, null);
    await page.keyboard.press('Control+Enter');
    await outputOf(page, 0).getByText('10', { exact: true }).waitFor();
    await stale(0, null);
    await stale(1, 'out-of-order');
    await outputOf(page, 1).hover();
    await page.getByText('A cell above was run after this output was made').waitFor();
    expect(await cellAt(page, 1).getAttribute('aria-label')).toContain('run before a cell above');

    await runCell(page, 1);
    await outputOf(page, 1).getByText('11', { exact: true }).waitFor();
    await stale(1, null);
    await page.keyboard.press('Escape');
    await command(page, 'Restart the kernel…');
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    await kernelState(page, 'idle');
    await stale(0, 'kernel-restarted');
    await stale(1, 'kernel-restarted');
    await stale(2, 'not-run');
  });
});
