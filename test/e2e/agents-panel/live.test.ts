/**
 * A person and a real agent in the real app: the agent is the SDK's client over `cellwright mcp`, the person is played by the browser's
 * driver. The tests follow each other on one notebook, as a morning does.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentView } from '../../../preload/agent-sessions.ts';
import { cellAt, editCell, KERNEL_LIMIT_MS, outputOf } from '../notebook/notebook-page.ts';
import { cellKeys, sourceOf } from '../window/edit-source.ts';
import {
  codeCell,
  makePlace,
  must,
  type RunningApp,
  readNotebook,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  writeNotebook,
} from '../window/start-app.ts';
import { connectAgent, type RealAgent } from './real-agent.ts';

const SHARED = '# agent: 0\nx = 1  # person:';
const TYPED = ' every word of it stays';

/** Draws 64 × 48 pixels without any library. */
const PICTURE = `import struct, zlib
from IPython.display import Image, display
raw = b"".join(b"\\0" + bytes([40, 90, 200]) * 64 for _ in range(48))
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
head = struct.pack(">IIBBBBB", 64, 48, 8, 2, 0, 0, 0)
png = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
display(Image(data=png))`;
/** Goes on when the test says so: what is seen meanwhile must not depend on how fast it is seen. */
const WAIT = 'import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("go-on"):\n    time.sleep(0.05)\nprint("over")';

let place: TestPlace;
let app: RunningApp;
let page: Page;
let file: string;
let agent: RealAgent;

beforeAll(async () => {
  place = await makePlace();
  file = await writeNotebook(path.join(place.folder, 'shared.ipynb'), [
    codeCell(SHARED),
    codeCell('print("ran", 6 * 7)'),
    codeCell('import time\ntime.sleep(300)'),
    codeCell('mine = 1'),
  ]);
  app = await startApp(place, [file]);
  page = app.page;
  await cellAt(page, 0).waitFor();
  agent = await connectAgent(place, 'refactor');
});
afterAll(async () => {
  await agent?.close();
  if (app) await stopApp(app);
  await removePlace(place);
});

const section = () => page.getByRole('region', { name: 'Agent refactor' });
const cards = (state: string) => page.locator(`article[data-call][data-state="${state}"]`);
const steer = (name: string) => page.getByRole('toolbar', { name: 'Steer refactor' }).getByRole('button', { name, exact: true });
const edit = (args: Record<string, unknown>) => agent.call('notebook', { action: 'edit', notebook_path: 'shared.ipynb', ...args });
const flag = (index: number, words: string): Locator => cellAt(page, index).getByText(words, { exact: true });

/** A cell's source in main's own document. */
async function source(index: number): Promise<string> {
  return sourceOf(await must(page, 'doc.open', { path: file }), index);
}

async function menu(item: string): Promise<void> {
  await page.getByRole('button', { name: 'More for refactor' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('the panel opens when the agent comes, and its edit is seen in the notebook and as a card', async () => {
  await section().getByText('e2e-client 1.0.0').waitFor();
  // The flag of an edit is there for a moment alone.
  await page.evaluate(() => {
    const seen: string[] = [];
    const look = () => {
      for (const each of document.querySelectorAll('article[data-cell-index="3"] [class*="flag"]')) seen.push(each.textContent ?? '');
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
    Object.assign(window, { seenFlags: seen });
  });
  const { failed } = await edit({ cell_id: 'c3', old_string: 'mine = 1', new_string: 'mine = 1  # checked' });
  expect(failed).toBe(false);
  await page.waitForFunction(() => (window as unknown as { seenFlags: string[] }).seenFlags.includes('refactor'));
  await cards('done').getByText('mine = 1  # checked').waitFor();
  expect(await source(3)).toBe('mine = 1  # checked');
});

test('edits of a cell that the person types in lose nothing of either', async () => {
  await editCell(page, 0);
  await page.keyboard.press('ControlOrMeta+End');
  const typing = page.keyboard.type(TYPED, { delay: 40 });
  for (let step = 0; step < 12; step += 1) {
    const { text, failed } = await edit({ cell_id: 'c0', old_string: `# agent: ${step}`, new_string: `# agent: ${step + 1}` });
    expect(failed, text).toBe(false);
  }
  await typing;
  await page.waitForFunction(
    (words) => document.querySelector('article[data-cell-index="0"]')?.textContent?.replaceAll('\u00a0', ' ').includes(words),
    TYPED.trim(),
  );
  await expect.poll(() => source(0), { timeout: KERNEL_LIMIT_MS }).toBe(`# agent: 12\nx = 1  # person:${TYPED}`);
});

test('a run of a paused agent waits, says so, and goes on when it is resumed', async () => {
  await steer('Pause').click();
  await section()
    .getByText(/^Paused:/)
    .waitFor();
  const run = agent.call('notebook_run', { notebook_path: 'shared.ipynb', cell_id: 'c1' });
  await cards('waiting')
    .getByText(/paused/i)
    .waitFor();
  expect(await cellAt(page, 1).getAttribute('data-run')).toBe('idle');
  await steer('Resume').click();
  const { text, failed } = await run;
  expect(failed, text).toBe(false);
  expect(text).toContain('ran 42');
  await outputOf(page, 1).getByText('ran 42').waitFor();
});

test('a takeover ends its run, refuses what it does next, and ends when it is given back', async () => {
  const run = agent.call('notebook_run', { notebook_path: 'shared.ipynb', cell_id: 'c2' });
  await flag(2, 'run by refactor').waitFor({ timeout: KERNEL_LIMIT_MS });
  await steer('Take over').click();
  await section()
    .getByText(/^You have taken over/)
    .waitFor();
  expect((await run).text).toMatch(/person/i);
  await cellAt(page, 2).and(page.locator('[data-run="failed"]')).waitFor({ timeout: KERNEL_LIMIT_MS });
  const refused = await edit({ cell_id: 'c3', content: 'theirs = 2' });
  expect(refused).toEqual({ failed: true, text: expect.stringMatching(/taken over/) });
  await cards('refused').first().waitFor();
  expect((await agent.call('notebook_read', { notebook_path: 'shared.ipynb' })).failed).toBe(false);
  expect(await source(3)).toBe('mine = 1  # checked');
  await steer('Give back').click();
  await steer('Take over').waitFor();
});

test('what it must ask for waits for the person, who sees the change and refuses it with a reason, or approves it', async () => {
  await menu('What it may do…');
  await page.getByRole('group', { name: /^Edit/ }).getByRole('radio', { name: 'Ask me' }).check({ force: true });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  const first = edit({ cell_id: 'c3', content: 'mine = 2' });
  const asking = cards('approval');
  await asking.waitFor();
  expect(await asking.locator('[data-kind="removed"], [data-kind="added"]').allTextContents()).toEqual([
    expect.stringContaining('mine = 1  # checked'),
    expect.stringContaining('mine = 2'),
  ]);
  expect(await source(3)).toBe('mine = 1  # checked');
  await asking.getByRole('button', { name: 'Refuse…' }).click();
  await asking.getByRole('textbox').fill('keep it as it was');
  await asking.getByRole('button', { name: 'Refuse', exact: true }).click();
  expect(await first).toEqual({ failed: true, text: expect.stringContaining('keep it as it was') });
  expect(await source(3)).toBe('mine = 1  # checked');

  const second = edit({ cell_id: 'c3', content: 'mine = 3' });
  await asking.getByRole('checkbox').check();
  await asking.getByRole('button', { name: 'Approve' }).click();
  expect((await second).failed).toBe(false);
  expect(await source(3)).toBe('mine = 3');
  // It was said to be for always.
  expect((await edit({ cell_id: 'c3', content: 'mine = 4' })).failed).toBe(false);
});

test('a turn is taken back whole, and nothing of the person’s', async () => {
  await steer('Take over').click();
  await steer('Give back').click();
  await steer('Take over').waitFor();
  await edit({ cell_id: 'c1', content: 'print("changed by the agent")' });
  await agent.call('notebook', { action: 'insert', notebook_path: 'shared.ipynb', cell_index: 0, content: 'inserted = True' });
  await cellAt(page, 4).waitFor();
  await editCell(page, 4);
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('  # by me');
  await expect.poll(() => source(4), { timeout: KERNEL_LIMIT_MS }).toBe('mine = 4  # by me');
  const [{ turn }] = (await must(page, 'agents.list', undefined)) as [AgentView];
  await page
    .getByRole('button', { name: `Undo turn ${turn}:` })
    .last()
    .click();
  await page.getByText(/^Turn \d+ of refactor was taken back\./).waitFor();
  const snapshot = await must(page, 'doc.open', { path: file });
  expect(cellKeys(snapshot).map((_, index) => sourceOf(snapshot, index))).toEqual([
    expect.stringContaining('# agent: 12'),
    'print("ran", 6 * 7)',
    'import time\ntime.sleep(300)',
    'mine = 4  # by me',
  ]);
  await expect.poll(async () => (await readNotebook(file)).cells.length, { timeout: KERNEL_LIMIT_MS }).toBe(4);
});

test('a python session shows its text as it comes, its picture and the whole of a long log', async () => {
  const call = agent.call('python', {
    cells: [
      { title: 'Draw', code: PICTURE },
      { title: 'Print', code: 'for line in range(40000):\n    print("line", line)' },
      { title: 'Wait', code: WAIT },
    ],
    timeout: 90,
  });
  const card = page.locator('article[data-call][data-kind="cells"]').last();
  const waiting = (status: string) =>
    card
      .getByRole('region', { name: `Wait, ${status}` })
      .locator('pre')
      .last();
  await waiting('running').getByText('begun', { exact: true }).waitFor({ timeout: KERNEL_LIMIT_MS });
  // The picture of an earlier cell is there while the call goes on.
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('article[data-call][data-state="running"] img')].some(
      (image) => image.naturalWidth === 64,
    ),
  );
  await writeFile(path.join(place.folder, 'go-on'), '');
  const { text, failed } = await call;
  expect(failed, text).toBe(false);
  await waiting('complete').getByText('over').waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('article[data-call] img')].some((image) => image.naturalWidth === 64),
  );
  await card.getByRole('button', { name: /^artifact:\/\// }).click();
  const log = page.getByRole('dialog', { name: 'Whole log' });
  await log.getByText('line 0', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  await log.waitFor({ state: 'detached' });
});

test('the timeline and the session are saved as files', async () => {
  const save = async (item: string, target: string) => {
    await app.electron.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = (async () => ({ canceled: false, filePath })) as unknown as typeof dialog.showSaveDialog;
    }, target);
    await menu(item);
    await page.getByText(`Saved ${path.basename(target)}.`).waitFor();
    return readFile(target, 'utf8');
  };
  const html = await save('Save the timeline as a web page…', path.join(place.root, 'timeline.html'));
  expect(html).toContain('mine = 3');
  const notebook = JSON.parse(await save('Save its Python cells as a notebook…', path.join(place.root, 'session.ipynb')));
  expect(notebook.cells.some((cell: { source: string | string[] }) => [cell.source].flat().join('').includes('range(40000)'))).toBe(true);
});

test('an agent that goes is said to have left, and its timeline stays', async () => {
  await agent.close();
  await section().getByText('left', { exact: true }).waitFor({ timeout: KERNEL_LIMIT_MS });
  expect(await page.locator('article[data-call]').count()).toBeGreaterThan(0);
  expect(app.problems).toEqual([]);
});
