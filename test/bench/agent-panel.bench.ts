/**
 * The panel of agents with 1,000 cards of code and output: gaps between frames while it is scrolled, and while a card in view grows, beside a
 * still page. Software rendering under Xvfb: only ratios mean something.
 */
import type { Page } from 'playwright-core';
import { openAgentsPage } from '../support/agents-harness/open.ts';
import { median, printTable, quantile, ratio } from './table.ts';

const CARDS = 1_000;
const FRAMES = 300;
/** Pixels for each frame, whatever time the frame takes: six thousand in a second, as when the wheel is turned all the time. */
const STEP = 100;

type Motion = 'still' | 'scroll' | 'grow';

/** Milliseconds between animation frames while something goes on in the page. */
function frameGaps(page: Page, motion: Motion): Promise<number[]> {
  return page.evaluate(
    ({ motion, frames, step: pixels }) => {
      const list = document.querySelector<HTMLElement>('[role="feed"][aria-label^="Calls"]');
      if (!list) throw new Error('There is no timeline to scroll.');
      const end = list.scrollHeight;
      const last = window.scripted.call(window.scripted.calls('refactor', { before: null, limit: 1 })[0]?.id ?? 0);
      const gaps: number[] = [];
      let before = performance.now();
      let frame = 0;
      return new Promise<number[]>((resolve) => {
        const step = (): void => {
          const now = performance.now();
          gaps.push(now - before);
          before = now;
          frame += 1;
          if (motion === 'scroll') list.scrollTop = end - frame * pixels;
          if (motion === 'grow') {
            const text = Array.from({ length: 100 }, (_, line) => `epoch ${frame + line}  loss ${(1 / (frame + line)).toFixed(5)}`).join(
              '\n',
            );
            const cell = { title: 'Train', code: 'train()', status: 'running' as const, text, truncation: null, durationMs: null };
            const more = { executionCount: null, images: [], json: [], statusEvents: [] };
            const card = { kind: 'cells' as const, path: null, cwd: '/tmp', summary: '', cells: [{ ...cell, ...more }] };
            window.scripted.put({ ...last, state: 'running', card });
          }
          if (frame < frames) requestAnimationFrame(step);
          else resolve(gaps.slice(1));
        };
        requestAnimationFrame(step);
      });
    },
    { motion, frames: FRAMES, step: STEP },
  );
}

const harness = await openAgentsPage();
const { page } = harness;
await harness.show(`scene=many&cards=${CARDS}`);
await page.locator(`article[data-call="${CARDS}"]`).waitFor();
// The scrubber asks for the whole timeline.
await page.getByRole('slider').focus();
await page.waitForFunction((most) => document.querySelector<HTMLInputElement>('input[type=range]')?.max === String(most), CARDS - 1);
const still = await frameGaps(page, 'still');
// Once before it counts, as a person has scrolled before: the page's code is compiled then.
await frameGaps(page, 'scroll');
const scrolled = await frameGaps(page, 'scroll');
await page.getByRole('button', { name: 'Newest' }).click();
await page.locator(`article[data-call="${CARDS}"]`).waitFor();
const grown = await frameGaps(page, 'grow');
await harness.close();

const rows = ([0.5, 0.99] as const).flatMap((share) => {
  const name = share === 0.5 ? 'p50' : 'p99';
  const base = quantile(still, share);
  return [
    [`frame gap while ${CARDS} cards scroll, ms (${name}); still page`, scrolled, base] as const,
    [`frame gap while a card grows with every frame, ms (${name}); still page`, grown, base] as const,
  ].map(([what, gaps, beside]) => [what, quantile(gaps, share).toFixed(1), beside.toFixed(1), ratio(quantile(gaps, share), beside)]);
});
const perSecond = 1000 / median(scrolled);
printTable(
  ['', 'Cellwright', 'beside it', 'ratio'],
  [
    ...rows,
    [
      'frames a second while scrolling; still page',
      perSecond.toFixed(0),
      (1000 / median(still)).toFixed(0),
      ratio(perSecond, 1000 / median(still)),
    ],
  ],
);
