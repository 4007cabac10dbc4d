/**
 * Agents beside a person: `notebook_run` of `1+1` on a warm kernel while the window is open and shows the notebook, against the smallest call there is;
 * and an agent's edit from its call to the frame that shows it. Software rendering: only ratios mean something.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Page } from 'playwright-core';
import { repository } from '../../scripts/setup/paths.mjs';
import { codeCell, makePlace, startApp, stopApp, writeNotebook } from '../e2e/window/start-app.ts';
import { toolCalls } from '../kernel/agents/mcp-fixture.ts';
import { median, printTable, quantile, ratio } from './table.ts';

const CALLS = Number(process.env.BENCH_CALLS ?? 200);
/** Between two edits, as a painted frame is what is measured and not a queue of them. */
const PAUSE_MS = 60;

const place = await makePlace();
const name = 'watched.ipynb';
const file = await writeNotebook(path.join(place.folder, name), [codeCell('1+1'), codeCell('edit = -1')]);
const app = await startApp(place, [file]);
try {
  await app.page.locator('article[data-cell-index="1"]').waitFor();
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', 'bench'];
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: place.env, cwd: place.folder, stderr: 'inherit' }));
  const agent = toolCalls(client);
  const run = () => agent.text('notebook_run', { notebook_path: name, cell_index: 0 });
  await run();
  const ping = await times(() => client.ping());
  const runs = await times(run);
  const { painted, answered } = await editTimes(app.page, (content) =>
    agent.text('notebook', { notebook_path: name, action: 'edit', cell_index: 1, content }),
  );
  const base = median(ping);
  printTable(
    ['with the window open and showing it', 'p50 ms', 'p99 ms', 'against a ping'],
    [
      ['ping', ping],
      ['notebook_run of 1+1, call to result', runs],
      ['notebook edit, call to result', answered],
      ['notebook edit, call to painted', painted],
    ].map(([what, all]) => {
      const values = all as number[];
      return [what as string, median(values).toFixed(1), quantile(values, 0.99).toFixed(1), ratio(median(values), base)];
    }),
  );
  await client.close();
} finally {
  await stopApp(app);
  await rm(place.root, { recursive: true, force: true, maxRetries: 5 });
}

async function times(call: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    const begun = performance.now();
    await call();
    all.push(performance.now() - begun);
  }
  return all;
}

/** Milliseconds from each edit's call to its answer, and to the frame in which the cell has its text. */
async function editTimes(page: Page, edit: (content: string) => Promise<unknown>): Promise<{ painted: number[]; answered: number[] }> {
  await page.evaluate(() => {
    const frames = new Map<string, number>();
    Object.assign(window, { benchFrames: frames });
    const cell = document.querySelector('article[data-cell-index="1"]');
    if (!cell) throw new Error('There is no cell to watch.');
    const watch = new MutationObserver(() => {
      const text = /edit = \d+/.exec((cell.textContent ?? '').replaceAll('\u00a0', ' '))?.[0];
      if (text === undefined || frames.has(text)) return;
      frames.set(text, 0);
      requestAnimationFrame(() => setTimeout(() => frames.set(text, performance.timeOrigin + performance.now())));
    });
    watch.observe(cell, { subtree: true, childList: true, characterData: true });
  });
  const begun: [string, number][] = [];
  const answered: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    const at = performance.now();
    begun.push([`edit = ${index}`, performance.timeOrigin + at]);
    await edit(`edit = ${index}`);
    answered.push(performance.now() - at);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const frames = new Map(await page.evaluate(() => [...(window as unknown as { benchFrames: Map<string, number> }).benchFrames]));
  const painted = begun.map(([text, at]) => (frames.get(text) || Number.POSITIVE_INFINITY) - at);
  return { painted, answered };
}
