/**
 * Opens the built harness page in Chromium and takes pictures of the window's states, in each theme. For a person to look at.
 * Usage: node shoot.mjs <output folder> [name …]; CHROMIUM names the browser.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';

const [folder = 'test-results/look', ...names] = process.argv.slice(2);
const SIZE = { width: 1280, height: 860 };
/** The fake main that the harness page put on its window. */
const fakeMain = 'globalThis.fakeMain';
/** @param {import('playwright-core').Page} page @param {string} key */
const run = (page, key) =>
  page.evaluate(
    `{ const [docId] = ${fakeMain}.documents.keys(); void ${fakeMain}.bridge.call('run.cells', { docId, keys: ['${key}'] }); }`,
  );

/** @type {Record<string, { query: string, act?: (page: import('playwright-core').Page) => Promise<void> }>} */
const SCENES = {
  start: { query: 'open=none' },
  notebook: { query: 'open=sales' },
  edit: {
    query: 'open=both',
    act: async (page) => {
      await page.locator('[data-cell-key="clean"]').click({ position: { x: 300, y: 40 } });
      await page.waitForTimeout(300);
    },
  },
  running: {
    query: 'open=sales',
    act: async (page) => {
      for (const key of ['fit', 'plot', 'bad']) await run(page, key);
      await page.waitForTimeout(1800);
    },
  },
  failed: {
    query: 'open=sales',
    act: async (page) => {
      await run(page, 'plot');
      await run(page, 'bad');
      await page.waitForTimeout(1500);
      await page.locator('[data-cell-key="bad"]').scrollIntoViewIfNeeded();
    },
  },
  input: {
    query: 'open=sales',
    act: async (page) => {
      await run(page, 'ask');
      await page.waitForTimeout(1200);
      await page.locator('[data-cell-key="ask"]').scrollIntoViewIfNeeded();
    },
  },
  lineNumbers: {
    query: 'open=sales',
    act: async (page) => {
      await page.keyboard.press('l');
      await page.locator('[data-cell-key="clean"] pre').first().click();
      await page.waitForTimeout(300);
      await page.locator('[data-cell-key="load"]').hover();
    },
  },
  kernels: {
    query: 'open=sales',
    act: async (page) => {
      await page.locator('[data-kernel-state]').click();
      await page.getByRole('menuitem', { name: 'Choose another kernel…' }).click();
    },
  },
  insert: {
    query: 'open=sales',
    act: async (page) => {
      const cell = await page.locator('[data-cell-key="load"]').boundingBox();
      if (cell) await page.mouse.move(cell.x + 300, cell.y + cell.height + 8);
    },
  },
  selected: {
    query: 'open=sales',
    act: async (page) => {
      await page.locator('[data-cell-key="intro"] h1').click();
      await page.locator('[data-cell-key="clean-h"] h2').click({ modifiers: ['Shift'] });
    },
  },
  palette: { query: 'open=sales', act: (page) => page.keyboard.press('Control+Shift+P') },
  kernelMenu: { query: 'open=sales', act: (page) => page.locator('[data-kernel-state]').click() },
  cellMenu: {
    query: 'open=sales',
    act: async (page) => {
      await page.locator('[data-cell-key="clean"]').hover();
      await page.locator('[data-cell-key="clean"]').getByRole('button', { name: 'More' }).click();
    },
  },
  complete: {
    query: 'open=sales',
    act: async (page) => {
      await run(page, 'load');
      await page.waitForTimeout(900);
      await page.locator('[data-cell-key="load"]').click({ position: { x: 300, y: 90 } });
      await page.waitForTimeout(300);
      await page.keyboard.press('Control+End');
      await page.keyboard.type('\ndf.d', { delay: 60 });
      await page.waitForTimeout(700);
    },
  },
  dead: {
    query: 'open=sales',
    act: async (page) => {
      await page.evaluate(`{ const main = ${fakeMain}; const [document] = main.documents.values();
        main.setKernel(document, {
          state: 'dead',
          message: 'The kernel ended: killed by signal 9, perhaps out of memory. Variables are gone.',
          detail: 'python: killed',
        });
        main.setState(document, { dirty: true, notices: ['This notebook has no cell ids. They are added with the next save.'] });
      }`);
    },
  },
  closing: {
    query: 'open=sales',
    act: async (page) => {
      await page.evaluate(`{ const main = ${fakeMain}; const [document] = main.documents.values();
        main.setState(document, { dirty: true });
        main.emit('window.closing', {
          unsaved: [
            { docId: 'doc-1', title: 'analysis.ipynb' },
            { docId: 'doc-2', title: 'log.ipynb' },
          ],
          running: [],
          agents: [],
        });
      }`);
    },
  },
  long: {
    query: 'open=long&cells=5000',
    act: (page) => page.locator('[data-notebook] [role=feed]').evaluate((feed) => feed.parentElement?.scrollTo(0, 200_000)),
  },
};

await mkdir(folder, { recursive: true });
const server = spawn(
  process.execPath,
  [
    'node_modules/vite/bin/vite.js',
    'preview',
    '-c',
    'test/support/renderer-harness/vite.config.ts',
    '--outDir',
    '../../../test-results/renderer-harness',
  ],
  { stdio: 'ignore' },
);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  for (const theme of (process.env.THEMES ?? 'light,dark').split(',')) {
    for (const [name, scene] of Object.entries(SCENES)) {
      if (names.length > 0 && !names.includes(name)) continue;
      const page = await browser.newPage({ viewport: SIZE });
      page.on('console', (message) => message.type() === 'error' && console.log(`${name}: ${message.text()}`));
      page.on('pageerror', (error) => console.log(`${name}: ${error.stack ?? error.message}`));
      await page.goto(`http://localhost:5199/index.html?${scene.query}&theme=${theme}`, { waitUntil: 'networkidle' });
      await page.waitForTimeout(500);
      await scene.act?.(page);
      await page.waitForTimeout(300);
      await page.screenshot({ path: path.join(folder, `${name}-${theme}.png`) });
      await page.close();
    }
  }
} finally {
  await browser.close();
  server.kill();
}
