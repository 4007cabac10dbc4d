/** A notebook in the real window, seen and used as a person does: by roles and labels, the keyboard and the pointer. */
import type { Locator, Page } from 'playwright-core';

/** Waits for things a kernel has to do first; a hang must still end before the test's own limit. */
export const KERNEL_LIMIT_MS = 60_000;

export function cellAt(page: Page, index: number): Locator {
  return page.locator(`article[data-cell-index="${index}"]`);
}

/** What is under the cell's source. */
export function outputOf(page: Page, index: number): Locator {
  return cellAt(page, index).getByRole('region', { name: 'Output' });
}

/** The notebook is drawn: its first cell is on the page. */
export async function drawn(page: Page): Promise<void> {
  await cellAt(page, 0).waitFor();
}

/** Clicks into the cell's source and waits until its editor has the keyboard. */
export async function editCell(page: Page, index: number): Promise<void> {
  const cell = cellAt(page, index);
  await cell.locator('[class*="source"], .monaco-editor').first().click();
  await page.waitForFunction((place) => {
    const article = document.querySelector(`article[data-cell-index="${place}"]`);
    return article?.getAttribute('data-mark') === 'edit' && article.contains(document.activeElement);
  }, index);
}

/** Replaces the whole source by typing. */
export async function typeSource(page: Page, index: number, source: string): Promise<void> {
  await editCell(page, index);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(source);
}

/** Runs the cell with the keyboard and leaves it selected. */
export async function runCell(page: Page, index: number): Promise<void> {
  await editCell(page, index);
  await page.keyboard.press('Control+Enter');
}

export async function runState(page: Page, index: number, state: string): Promise<void> {
  await page.locator(`article[data-cell-index="${index}"][data-run="${state}"]`).waitFor({ timeout: KERNEL_LIMIT_MS });
}

/** The kernel pill's state, e.g. `idle`. */
export async function kernelState(page: Page, state: string): Promise<void> {
  await page.locator(`[data-kernel-state="${state}"]`).waitFor({ timeout: KERNEL_LIMIT_MS });
}

/** A command of the palette, by the words shown in it. */
export async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+Shift+P');
  const input = page.locator('[cmdk-input]');
  await input.fill(words);
  await page.locator('[cmdk-item]').filter({ hasText: words }).first().click();
  await input.waitFor({ state: 'detached' });
}

export async function unsaved(page: Page, title: string): Promise<boolean> {
  return (await page.getByRole('tab', { name: title }).locator('xpath=..').getByLabel('Unsaved changes').count()) > 0;
}

/** Saves by the keyboard what was changed; waits for the change to be known and then to be saved. */
export async function save(page: Page): Promise<void> {
  const mark = page.getByLabel('Unsaved changes');
  await mark.waitFor();
  await page.keyboard.press('Control+S');
  await mark.or(page.getByLabel('Saving', { exact: true })).waitFor({ state: 'detached' });
}
