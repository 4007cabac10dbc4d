/** What the person sees of a call that can't go on: what it waits for and since when, on its card and at the head of its session. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cellAt, KERNEL_LIMIT_MS } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, writeNotebook } from '../window/start-app.ts';
import { connectAgent, type RealAgent } from './real-agent.ts';

/** As many kernels as agents may have at once. */
const KERNELS = 4;

const run = appInPlace('file');
let page: Page;
let agent: RealAgent;

beforeAll(async () => {
  const file = await writeNotebook(path.join(run.place.folder, 'shared.ipynb'), [
    codeCell(untilThere('first')),
    codeCell('print("second")'),
  ]);
  await run.start([file]);
  page = run.app.page;
  await cellAt(page, 0).waitFor();
  agent = await connectAgent(run.place, 'worker');
});
afterAll(() => agent?.close());

/** Code that goes on until a file is there: what is seen meanwhile must not depend on how fast it is seen. */
function untilThere(name: string): string {
  return `import os, time\nprint("begun", flush=True)\nwhile not os.path.exists(${JSON.stringify(name)}):\n    time.sleep(0.05)`;
}

const card = (words: string | RegExp): Locator => page.locator('article[data-call]').filter({ hasText: words });
const head = () => page.getByRole('region', { name: 'Agent worker' });
const allow = (...at: string[]) => writeFile(path.join(run.place.folder, ...at), '');
const python = (title: string, code: string, cwd = '.') => agent.call('python', { cells: [{ title, code }], cwd, timeout: 170 });

async function seesWaiting(words: string): Promise<void> {
  const waiting = page.locator('article[data-call][data-state="waiting"]');
  await waiting.getByText(words).waitFor({ timeout: KERNEL_LIMIT_MS });
  await waiting.getByTitle(/^Since \d\d:\d\d:\d\d$/).waitFor();
  await head().getByText(words).last().waitFor();
  await head()
    .getByTitle(/^Since \d\d:\d\d:\d\d$/)
    .first()
    .waitFor();
}

test('a call waits for its turn in the kernel that it shares with an earlier one', async () => {
  const first = python('Long', untilThere('go-on'));
  await card('Long').getByText('begun', { exact: true }).waitFor({ timeout: KERNEL_LIMIT_MS });
  const second = python('Short', 'print("short", 6 * 7)');
  await seesWaiting('Waits for an earlier call in the same kernel. It is next.');
  await allow('go-on');
  expect((await first).failed).toBe(false);
  expect((await second).text).toContain('short 42');
  await card('Short').and(page.locator('[data-state="done"]')).waitFor();
  expect(
    await head()
      .getByText(/^Waits/)
      .count(),
  ).toBe(0);
});

test('a call waits for a kernel while all that agents may have are busy', async () => {
  const folders = Array.from({ length: KERNELS }, (_, index) => `room${index}`);
  for (const folder of [...folders, 'late']) await mkdir(path.join(run.place.folder, folder));
  const busy = folders.map((folder) => python(folder, untilThere('go-on'), folder));
  for (const folder of folders) await card(folder).getByText('begun', { exact: true }).first().waitFor({ timeout: KERNEL_LIMIT_MS });
  const late = python('Late', 'print("late")', 'late');
  await seesWaiting('Waits for a kernel: all that agents may have are busy. It is next.');
  await allow('room0', 'go-on');
  expect((await late).text).toContain('late');
  for (const folder of folders.slice(1)) await allow(folder, 'go-on');
  expect((await Promise.all(busy)).map(({ failed }) => failed)).toEqual(folders.map(() => false));
});

test('a run of notebook cells waits for the cell that the person runs', async () => {
  await cellAt(page, 0).hover();
  await cellAt(page, 0).getByRole('button', { name: /^Run/ }).first().click();
  await cellAt(page, 0).and(page.locator('[data-run="running"]')).waitFor({ timeout: KERNEL_LIMIT_MS });
  const run = agent.call('notebook_run', { notebook_path: 'shared.ipynb', cell_id: 'c1', timeout: 170 });
  await seesWaiting('Waits for cell 0 of shared.ipynb, which runs.');
  await allow('first');
  const { text, failed } = await run;
  expect(failed, text).toBe(false);
  expect(text).toContain('second');
});
