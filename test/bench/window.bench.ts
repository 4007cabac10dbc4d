/**
 * The window: process start to a drawn notebook against an empty Electron window, frames while a notebook of 5,000 cells is scrolled against a still
 * page, and key to screen there and while a kernel floods and an agent edits the same notebook. Software rendering: only ratios mean something.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { connectAgent } from '../e2e/agents-panel/real-agent.ts';
import { codeCell, makePlace, type RunningApp, startApp, stopApp, type TestPlace, writeNotebook } from '../e2e/window/start-app.ts';
import { electronLaunch } from '../support/electron.ts';
import { median, printTable, quantile, ratio } from './table.ts';

const STARTS = 5;
const CELLS = 5_000;
/** How often the text is typed while the rest is busy: enough keys for a 99th percentile. */
const BUSY_ROUNDS = 4;
/** Between an agent's edits: faster than any model writes. */
const AGENT_PAUSE_MS = 200;
const SCROLL_MS = 4_000;
/** After this a window that has started is at rest. */
const SETTLE_MS = 4_000;
const TYPED = 'result = compute(first, second)  # typed by the benchmark';

const emptyApp = path.resolve(import.meta.dirname, '../../test/bench/baseline/empty-window');

/** An empty window's first frame, and a notebook's (the app marks it). */
type FirstFrame = 'first-contentful-paint' | 'notebook-drawn';

/**
 * Milliseconds from the process's start to that frame. The page tells it itself, and is asked only when all is over: a driver that is attached from
 * the beginning makes a start several times as long.
 */
async function startTime(app: string, args: readonly string[], env: Record<string, string>, frame: FirstFrame): Promise<number> {
  const launch = electronLaunch();
  const begun = performance.timeOrigin + performance.now();
  const child = spawn(launch.executablePath, ['--remote-debugging-port=0', ...launch.args.slice(0, -1), app, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const address = await devtoolsAddress(child.stderr);
    await delay(SETTLE_MS);
    const browser = await chromium.connectOverCDP(address);
    const page = browser.contexts()[0]?.pages()[0];
    if (!page) throw new Error('There is no window.');
    const drawn = await page.evaluate((name) => {
      const entry = performance.getEntriesByName(name)[0];
      return entry ? performance.timeOrigin + entry.startTime : null;
    }, frame);
    if (drawn === null) throw new Error(`Nothing was drawn in ${SETTLE_MS} ms.`);
    return drawn - begun;
  } finally {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
  }
}

/** Chromium says it on stderr. */
async function devtoolsAddress(stderr: Readable): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address) {
      stderr.resume();
      return address;
    }
  }
  throw new Error('The app ended before its window could be asked.');
}

async function emptyStart(): Promise<number> {
  const profile = await mkdtemp(path.join(tmpdir(), 'cellwright-empty-'));
  const env = { ...(process.env as Record<string, string>), CELLWRIGHT_PROFILE: profile };
  const time = await startTime(emptyApp, [], env, 'first-contentful-paint');
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  return time;
}

function appStart(place: TestPlace, file: string): Promise<number> {
  return startTime(electronLaunch().args.at(-1)!, [file], place.env, 'notebook-drawn');
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
async function typingTimes(app: RunningApp, options = { undisturbed: true }): Promise<number[]> {
  const { page } = app;
  // A click into a markdown cell that is drawn only chooses it.
  const cell = page.locator('article[data-type="code"]').nth(2);
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
  const { undisturbed } = options;
  await page.keyboard.type(TYPED.repeat(undisturbed ? 1 : BUSY_ROUNDS), { delay: 30 });
  return page.evaluate(() => (window as unknown as { benchKeys: number[] }).benchKeys);
}

/** Prints as fast as it can until the file is there. */
const FLOOD = 'import os\nwhile not os.path.exists("stop"): print("flood " * 20)';

/** Key times while a cell of the notebook prints without pause and an agent edits another, and how many edits it made meanwhile. */
async function busyTypingTimes(place: TestPlace): Promise<{ times: number[]; edits: number }> {
  const name = 'busy.ipynb';
  const file = await writeNotebook(
    path.join(place.folder, name),
    [FLOOD, 'agent = 0', 'x = 1', 'y = 2'].map((source) => codeCell(source)),
  );
  const app = await startApp(place, [file]);
  const { page } = app;
  const cell = (index: number) => page.locator(`article[data-cell-index="${index}"]`);
  await cell(0).click({ position: { x: 300, y: 20 } });
  await page.keyboard.press('Control+Enter');
  await cell(0).getByText('flood flood').first().waitFor({ timeout: 60_000 });
  const agent = await connectAgent(place, 'bench');
  let edits = 0;
  let typing = true;
  const editing = (async () => {
    while (typing) {
      const { text, failed } = await agent.call('notebook', {
        action: 'edit',
        notebook_path: name,
        cell_index: 1,
        content: `agent = ${edits}`,
      });
      if (failed) throw new Error(text);
      edits += 1;
      await page.waitForTimeout(AGENT_PAUSE_MS);
    }
  })();
  const times = await typingTimes(app, { undisturbed: false });
  typing = false;
  await editing;
  await writeFile(path.join(place.folder, 'stop'), '');
  await agent.close();
  await stopApp(app);
  return { times, edits };
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
// A profile of its own: the work that was typed above is unsaved, and the next start would ask about it.
const busyPlace = await makePlace();
const busy = await busyTypingTimes(busyPlace);
for (const { root } of [place, busyPlace]) await rm(root, { recursive: true, force: true, maxRetries: 5 });

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
      `key to next frame while a kernel floods and an agent edits (${busy.edits} edits), ms (p99); in ${CELLS} cells at rest`,
      quantile(busy.times, 0.99).toFixed(1),
      quantile(keys, 0.99).toFixed(1),
      ratio(quantile(busy.times, 0.99), quantile(keys, 0.99)),
    ],
    [
      `key to next frame in ${CELLS} cells, ms (p99); p50`,
      quantile(keys, 0.99).toFixed(1),
      median(keys).toFixed(1),
      ratio(quantile(keys, 0.99), median(keys)),
    ],
  ],
);
