/** Pictures of what tests see, for whoever wants to look: written when the folder is given. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';

export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CELLWRIGHT_TEST_PICTURES;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
