/**
 * The page inside an output's frame. The driver misses frames that come while it connects to a window, for good (one start in eight on a busy machine):
 * the window's page is loaded anew then, as a person can load it.
 */
import type { Frame, Locator, Page } from 'playwright-core';
import { KERNEL_LIMIT_MS, outputOf } from '../notebook/notebook-page.ts';
import { ready } from '../window/start-app.ts';

/** Scrolls to the output's frame number `at`. */
export async function frameOf(page: Page, cell: number, at = 0): Promise<Frame> {
  const element = outputOf(page, cell).locator('iframe').nth(at);
  const known = await frameIn(element);
  if (known) return known;
  await page.reload();
  await ready(page);
  const frame = await frameIn(element);
  if (!frame) throw new Error(`The output of cell ${cell} has no frame.`);
  return frame;
}

async function frameIn(element: Locator): Promise<Frame | null> {
  await element.waitFor({ timeout: KERNEL_LIMIT_MS });
  await element.scrollIntoViewIfNeeded();
  return (await (await element.elementHandle())?.contentFrame()) ?? null;
}
