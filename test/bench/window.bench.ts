/**
 * The window: process start to a drawn notebook against an empty Electron window, and the longest gap between frames while a notebook of
 * 5,000 cells is scrolled and typed into, against the same of a still page. Software rendering under Xvfb: only ratios mean something.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { codeCell, makePlace, type RunningApp, startApp, stopApp, type TestPlace, writeNotebook } from '../e2e/window/start-app.ts';
import { electronLaunch } from '../support/electron.ts';
import { median, printTable, quantile, ratio } from './table.ts';

const STARTS = 5;
const CELLS = 5_000;
const SCROLL_MS = 4_000;
const TYPED = 'result = compute(first, second)  # typed by the benchmark';

const emptyApp = path.resolve(import.meta.dirname, '../../test/bench/baseline/empty-window');

async function emptyStart(): Promise<number> {
  const profile = await mkdtemp(path.join(tmpdir(), 'cellwright-empty-'));
  const launch = electronLaunch();
  const args = [...launch.args.slice(0, -1), emptyApp];
  const begun = performance.now();
  const electron: ElectronApplication = await _electron.launch({
    executablePath: launch.executablePath,
    args,
    env: { ...(process.env as Record<string, string>), CELLWRIGHT_PROFILE: profile },
  });
  const page = await electron.firstWindow();
  await page.locator('main').waitFor();
  const time = performance.now() - begun;
  await electron.close();
  await rm(profile, { recursive: true, force: true });
  return time;
}

async function appStart(place: TestPlace, file: string): Promise<number> {
  const begun = performance.now();
  const app = await startApp(place, [file]);
  await app.page.locator('article[data-cell-index="0"]').waitFor();
  const time = performance.now() - begun;
  await stopApp(app);
  return time;
}

/** Gaps between animation frames in milliseconds while `action` goes on in the page. */
async function frameGaps(page: Page, action: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const gaps: number[] = [];
    let last = performance.now();
    const tick = (): void => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      if (!(window as { benchDone?: boolean }).benchDone) requestAnimationFrame(tick);
    };
    Object.assign(window, { benchGaps: gaps, benchDone: false });
    requestAnimationFrame(tick);
  });
  await action();
  return page.evaluate(() => {
    Object.assign(window, { benchDone: true });
    return (window as unknown as { benchGaps: number[] }).benchGaps;
  });
}

async function scroll(page: Page): Promise<void> {
  await page.evaluate((duration) => {
    const list = document.querySelector('[role="feed"]')?.parentElement;
    if (!list) throw new Error('There is no notebook to scroll.');
    const begun = performance.now();
    return new Promise<void>((resolve) => {
      const step = (): void => {
        const share = (performance.now() - begun) / duration;
        list.scrollTop = share * 60_000;
        if (share < 1) requestAnimationFrame(step);
        else resolve();
      };
      step();
    });
  }, SCROLL_MS);
}

/** Milliseconds from each key to the frame after it. */
async function typingTimes(app: RunningApp): Promise<number[]> {
  const { page } = app;
  const cell = page.locator('article').nth(3);
  await cell.click({ position: { x: 300, y: 20 } });
  await page.locator('article[data-mark="edit"]').waitFor();
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { benchKeys: times });
    document.addEventListener(
      'keydown',
      () => {
        const pressed = performance.now();
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - pressed)));
      },
      true,
    );
  });
  await page.keyboard.type(TYPED, { delay: 30 });
  return page.evaluate(() => (window as unknown as { benchKeys: number[] }).benchKeys);
}

const place = await makePlace();
const small = await writeNotebook(path.join(place.folder, 'small.ipynb'), [codeCell('1 + 1')]);
const cells = Array.from({ length: CELLS }, (_, index) =>
  index % 5 === 0
    ? { cell_type: 'markdown', source: `## Part ${index}\n\nWords about it.` }
    : codeCell(`value_${index} = ${index}\nvalue_${index}`),
);
const large = await writeNotebook(path.join(place.folder, 'large.ipynb'), cells);

const empty: number[] = [];
const ours: number[] = [];
await appStart(place, small);
for (let start = 0; start < STARTS; start += 1) {
  empty.push(await emptyStart());
  ours.push(await appStart(place, small));
}
const app = await startApp(place, [large]);
await app.page.locator('article[data-cell-index="0"]').waitFor();
const still = await frameGaps(app.page, () => app.page.waitForTimeout(SCROLL_MS));
const scrolled = await frameGaps(app.page, () => scroll(app.page));
const keys = await typingTimes(app);
await stopApp(app);
await rm(place.root, { recursive: true, force: true, maxRetries: 5 });

printTable(
  ['', 'Cellwright', 'beside it', 'ratio'],
  [
    [
      'process start to drawn notebook, ms (median); empty Electron window',
      median(ours).toFixed(0),
      median(empty).toFixed(0),
      ratio(median(ours), median(empty)),
    ],
    [
      `frame gap while scrolling ${CELLS} cells, ms (p99); still page`,
      quantile(scrolled, 0.99).toFixed(1),
      quantile(still, 0.99).toFixed(1),
      ratio(quantile(scrolled, 0.99), quantile(still, 0.99)),
    ],
    [
      `key to next frame in ${CELLS} cells, ms (p99); p50`,
      quantile(keys, 0.99).toFixed(1),
      median(keys).toFixed(1),
      ratio(quantile(keys, 0.99), median(keys)),
    ],
  ],
);
