/**
 * The same with the real app: words typed into the real window by the keyboard, runs and saves in between, and the whole app killed. A word that
 * was typed more than a second before must be there after the next start, in its place and once.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { cellKeys, sourceOf } from '../../e2e/window/edit-source.ts';
import {
  codeCell,
  endOf,
  makePlace,
  must,
  type RunningApp,
  removePlace,
  startApp,
  stopApp,
  writeNotebook,
} from '../../e2e/window/start-app.ts';
import { type Random, seededRandom } from '../kernels/random.ts';
import { HALTS, PACE_MS } from './tries.ts';

export interface WindowTry {
  restored: boolean;
  words: number;
}

interface Typed {
  word: string;
  at: number;
}

function longestHalt(typed: readonly Typed[], killedAt: number): number {
  const times = [...typed.map(({ at }) => at), killedAt];
  return Math.max(...times.slice(1).map((at, index) => at - times[index]!));
}

/** Throws an error that says what was wrong. */
export async function tryWindow(seed: number, lossMs: number): Promise<WindowTry> {
  const random = seededRandom(seed);
  const place = await makePlace();
  try {
    const file = await writeNotebook(path.join(place.folder, 'a.ipynb'), [codeCell('#'), codeCell('#')]);
    const app = await startApp(place, [file]);
    const { typed, killedAt } = await typeUntilKilled(app, random).finally(() => stopApp(app));
    JSON.parse(await readFile(file, 'utf8'));
    const next = await startApp(place);
    try {
      return check(await sourcesAfter(next.page, file), typed, killedAt - Math.max(lossMs, PACE_MS + HALTS * longestHalt(typed, killedAt)));
    } finally {
      await stopApp(next);
    }
  } finally {
    await removePlace(place);
  }
}

/** Types word after word into the second cell, and runs and saves now and then. */
async function typeUntilKilled({ page, child }: RunningApp, random: Random): Promise<{ typed: Typed[]; killedAt: number }> {
  await page.locator('article[data-cell-index="1"] [class*="source"], article[data-cell-index="1"] .monaco-editor').first().click();
  await page.waitForFunction(() => document.querySelector('article[data-cell-index="1"]')?.getAttribute('data-mark') === 'edit');
  await page.keyboard.press('End');
  const typed: Typed[] = [];
  const until = Date.now() + random.between(1_500, 6_000);
  for (let number = 1; Date.now() < until; number += 1) {
    const word = `w${number}w`;
    await page.keyboard.type(` ${word}`);
    typed.push({ word, at: Date.now() });
    const share = random.next();
    if (share < 0.1) await page.keyboard.press('Control+S');
    await page.waitForTimeout(random.between(0, 120));
  }
  const killedAt = Date.now();
  const ended = endOf(child);
  child.kill('SIGKILL');
  await ended;
  return { typed, killedAt };
}

/** What the next start has: the restored work, or the file where all of it was saved. */
async function sourcesAfter(page: Page, file: string): Promise<{ restored: boolean; source: string }> {
  const left = await must(page, 'recovery.list', undefined);
  if (left.length > 1) throw new Error(`${left.length} documents came back of one`);
  const docId = left[0] ? (await must(page, 'recovery.restore', { id: left[0].id })).snapshot.document.docId : null;
  const snapshot = docId ? await must(page, 'doc.attach', { docId }) : await must(page, 'doc.open', { path: file });
  if (snapshot.document.path !== file) throw new Error('the work came back beside a file that nobody else had changed');
  return { restored: docId !== null, source: cellKeys(snapshot).length === 2 ? sourceOf(snapshot, 1) : '' };
}

function check({ restored, source }: { restored: boolean; source: string }, typed: readonly Typed[], lossFrom: number): WindowTry {
  const words = source.split(/[\s#]+/).filter((word) => word !== '');
  const expected = typed.map(({ word }) => word);
  // The last word may be there in part.
  const whole = words.at(-1) === expected[words.length - 1] ? words : words.slice(0, -1);
  if (whole.some((word, index) => word !== expected[index])) throw new Error(`came back as ${source}`);
  const lost = typed[whole.length];
  if (lost && lost.at < lossFrom)
    throw new Error(`${lost.word} was typed ${lossFrom - lost.at} ms before the last second and is lost: ${source}`);
  return { restored, words: whole.length };
}
