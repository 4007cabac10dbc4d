/** Short ways to make outputs, to show them on the test page, and to ask the page about them. */
import type { Frame, Locator, Page } from 'playwright-core';
import type { StaleReason, WindowOutput, WindowPayload } from '../../../preload/contract.ts';
import type { Harness } from '../../support/outputs-harness/page.tsx';

declare global {
  interface Window {
    harness: Harness;
    /** Set by scripts that should never run. */
    pwned?: string;
  }
}

export const stream = (text: string, name: 'stdout' | 'stderr' = 'stdout'): WindowOutput => ({ type: 'stream', name, text });
export const inline = (value: unknown): WindowPayload => ({ kind: 'inline', value });
export const served = (url: string, bytes = 1000): WindowPayload => ({ kind: 'url', url, bytes });

export function data(payloads: Record<string, WindowPayload>, metadata: Record<string, unknown> = {}): WindowOutput {
  return { type: 'display_data', data: payloads, metadata, executionCount: null };
}

let areas = 0;

/** Shows one area under a name of its own, so that no state of an earlier test is found again, and returns that name. */
export async function show(
  page: Page,
  outputs: readonly WindowOutput[],
  options: { trusted?: boolean; stale?: StaleReason; name?: string } = {},
): Promise<string> {
  areas += 1;
  const name = options.name ?? `area-${areas}`;
  await page.evaluate(
    ([area]) => {
      window.harness.calls.length = 0;
      window.harness.set([area!]);
    },
    [{ name, outputs, ...options }],
  );
  await page.waitForSelector(`[data-area="${name}"]`);
  return name;
}

export async function showText(page: Page, source: string, images?: Record<string, string>): Promise<void> {
  areas += 1;
  const name = `text-${areas}`;
  await page.evaluate(
    ([text]) => {
      window.harness.calls.length = 0;
      window.harness.set([], [text!]);
    },
    [{ name, source, images }],
  );
  await page.waitForSelector(`[data-text="${name}"]`);
}

/** What the page asked of the bridge since the last `show`. */
export function calls(page: Page): Promise<{ name: string; args: unknown }[]> {
  return page.evaluate(() => window.harness.calls);
}

/** The frame that shows `path`, once its own page is there. */
export async function outputFrame(page: Page, path: string): Promise<Frame> {
  for (;;) {
    const frame = page.frames().find((each) => each.url().includes(path));
    if (frame) {
      await frame.waitForSelector('#output', { state: 'attached' });
      return frame;
    }
    await page.waitForEvent('framenavigated');
  }
}

export const within = (name: string): string => `[data-area="${name}"] section[aria-label="Output"]`;

/** Two frames: what was changed is drawn. */
export function settled(page: Page): Promise<void> {
  return page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
}

/** The text as it is laid out, line by line. */
export function textIn(locator: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: lines and what is hidden count here
  return locator.innerText();
}
