/** The app asks before it ends with agents that still run code, and names them; a no leaves them at work. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KERNEL_LIMIT_MS } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, endOf, writeNotebook } from '../window/start-app.ts';
import { connectAgent, type RealAgent } from './real-agent.ts';

const WAIT = 'import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("go-on"):\n    time.sleep(0.05)\nprint("over")';

const run = appInPlace('test');
let agent: RealAgent;

beforeEach(async () => {
  await run.start();
  agent = await connectAgent(run.place, 'worker');
});
afterEach(() => agent?.close());

const question = () => run.app.page.getByRole('alertdialog', { name: 'Close while code is running?' });
const closeWindow = () => run.app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
/** Pressed a moment later: the page is gone before a click in it is over. */
const stopAndClose = () =>
  question()
    .getByRole('button', { name: 'Stop and close' })
    .evaluate((button: HTMLElement) => void setTimeout(() => button.click()));
const quit = () => run.app.electron.evaluate(({ app: electron }) => electron.quit());

test('an agent’s python is named, and goes on after a no', async () => {
  const call = agent.call('python', { cells: [{ title: 'Wait', code: WAIT }], timeout: 170 });
  await run.app.page.locator('article[data-call]').getByText('begun', { exact: true }).waitFor({ timeout: KERNEL_LIMIT_MS });
  for (const end of [closeWindow, quit]) {
    await end();
    await question().getByText('Agent worker: Python in notebooks').waitFor();
    await run.app.page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
  }
  await writeFile(path.join(run.place.folder, 'go-on'), '');
  expect(await call).toEqual({ failed: false, text: expect.stringContaining('over') });
  const ended = endOf(run.app.child);
  await closeWindow();
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('a notebook that an agent runs and no window shows is named, and a yes ends the app', async () => {
  await writeNotebook(path.join(run.place.folder, 'unseen.ipynb'), [codeCell(WAIT)]);
  void agent.call('notebook_run', { notebook_path: 'unseen.ipynb', select: 'all', timeout: 170 }).catch(() => {});
  await run.app.page.locator('article[data-call]').getByText('begun', { exact: true }).waitFor({ timeout: KERNEL_LIMIT_MS });
  await quit();
  await question().getByText('unseen.ipynb').waitFor();
  const ended = endOf(run.app.child);
  await stopAndClose();
  expect(await ended).toEqual({ code: 0, signal: null });
  // What it had printed is in its file, and nothing is left to restore.
  expect(await readFile(path.join(run.place.folder, 'unseen.ipynb'), 'utf8')).toContain('begun');
  expect(await readFile(path.join(run.place.profile, 'logs', 'cellwright.log'), 'utf8')).not.toContain('journal.not-written');
  expect(await readdir(path.join(run.place.profile, 'journals')).catch(() => [])).toEqual([]);
});

test('a window that is not the last one closes without a word about agents', async () => {
  const call = agent.call('python', { cells: [{ title: 'Wait', code: WAIT }], timeout: 170 }).catch(() => ({ failed: true }));
  await run.app.page.locator('article[data-call]').getByText('begun', { exact: true }).waitFor({ timeout: KERNEL_LIMIT_MS });
  const opened = run.app.electron.waitForEvent('window');
  await run.app.electron.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('window.new')?.click());
  const second = await opened;
  const gone = second.waitForEvent('close');
  await run.app.electron.evaluate(({ BrowserWindow }) => {
    const [newest] = BrowserWindow.getAllWindows().sort((a, b) => b.id - a.id);
    newest?.close();
  });
  await gone;
  await quit();
  await question().getByText('Agent worker: Python in notebooks').waitFor();
  const ended = endOf(run.app.child);
  await stopAndClose();
  expect(await ended).toEqual({ code: 0, signal: null });
  expect((await call).failed).toBe(true);
});
