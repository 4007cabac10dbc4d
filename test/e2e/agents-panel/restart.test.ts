/** An app that goes in the middle of an agent's work, and an agent that goes: what the person sees of it afterwards, with real agents in the real app. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cellAt, KERNEL_LIMIT_MS } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, endOf, must, readNotebook, until, writeNotebook } from '../window/start-app.ts';
import { connectAgent, type RealAgent } from './real-agent.ts';

const FOR_EVER = 'import time\nprint("begun", flush=True)\ntime.sleep(600)';

const run = appInPlace('file');
let agent: RealAgent;
let file: string;

beforeAll(async () => {
  file = await writeNotebook(path.join(run.place.folder, 'work.ipynb'), [
    codeCell('import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("go-on"):\n    time.sleep(0.05)\nprint("over")'),
    codeCell('print("second")'),
  ]);
  await run.start([file]);
  agent = await connectAgent(run.place, 'refactor');
});
afterAll(() => agent?.close());

const section = (): Locator => run.app.page.getByRole('region', { name: 'Agent refactor' });
const cards = (page: Page, state: string): Locator => page.locator(`article[data-call][data-state="${state}"]`);

/** Opens the panel and the section of the agent, as a person does after a start. */
async function openSection(): Promise<void> {
  const panel = run.app.page.getByRole('complementary', { name: 'Agents' });
  if ((await panel.count()) === 0) await run.app.page.getByRole('navigation').getByRole('button', { name: 'Agents' }).click();
  const toggle = section().getByRole('button', { name: /^refactor/ });
  await toggle.waitFor();
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
}

/** Ends the app while a call of the agent goes on, and starts it again. */
async function restart(signal: NodeJS.Signals): Promise<void> {
  const ended = endOf(run.app.child);
  run.app.child.kill(signal);
  await ended;
  await run.start([file]);
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'the app is ended by %s: the agent is there again, and its call is marked as cut',
  async (signal) => {
    const before = await agent.call('python', { cells: [{ title: signal, code: `print("before ${signal}")` }] });
    expect(before.failed, before.text).toBe(false);
    const cut = agent.call('python', { cells: [{ title: 'For ever', code: FOR_EVER }], timeout: 600 });
    await cards(run.app.page, 'running').getByText('begun', { exact: true }).waitFor({ timeout: KERNEL_LIMIT_MS });
    const { id } = await until(async () => (await must(run.app.page, 'agents.list', undefined)).find(({ connected }) => connected));
    // A call that lasts is recorded before its end, which is all that a kill leaves.
    const timeline = path.join(run.place.profile, 'agents', 'sessions', `${id}.jsonl`);
    await until(async () => (await recordedStates(timeline)).at(-1) === 'running');
    await restart(signal);
    expect((await cut).failed).toBe(true);

    const after = await agent.call('python', { cells: [{ title: 'After', code: 'print("after")' }] });
    expect(after.failed, after.text).toBe(false);
    const [same] = (await must(run.app.page, 'agents.list', undefined)).filter(({ connected }) => connected);
    expect(same).toMatchObject({ id, name: 'refactor' });
    await openSection();
    await section().getByText(`before ${signal}`, { exact: true }).last().waitFor();
    await section().getByText('after', { exact: true }).last().waitFor();
    const running = run.app.page.locator('article[data-call][data-state="running"], section[data-status="running"]');
    await until(async () => (await running.count()) === 0);
    const calls = await must(run.app.page, 'agents.calls', { agentId: id, before: null, limit: 3 });
    expect(calls.map(({ state }) => state === 'done')).toEqual([true, false, true]);
    expect(calls.map((call) => call.id)).toEqual([...calls.map((call) => call.id)].sort((a, b) => a - b));
    const [, ended] = calls;
    expect(ended?.endedAt).toBeGreaterThanOrEqual(ended?.startedAt ?? Number.POSITIVE_INFINITY);
    expect(run.app.problems).toEqual([]);
  },
);

async function recordedStates(timeline: string): Promise<string[]> {
  const text = await readFile(timeline, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => (JSON.parse(line) as { call?: { state: string } }).call?.state ?? []);
}

test('an agent that goes in the middle of a run leaves the run, whose card comes to its end', async () => {
  const leaver = await connectAgent(run.place, 'leaver');
  void leaver.call('notebook_run', { notebook_path: 'work.ipynb', select: 'all', timeout: 600 }).catch(() => {});
  await cellAt(run.app.page, 0).and(run.app.page.locator('[data-run="running"]')).waitFor({ timeout: KERNEL_LIMIT_MS });
  const { id } = await until(async () => (await must(run.app.page, 'agents.list', undefined)).find(({ name }) => name === 'leaver'));
  await leaver.close();
  await until(async () => (await must(run.app.page, 'agents.list', undefined)).some((each) => each.id === id && !each.connected));
  await writeFile(path.join(run.place.folder, 'go-on'), '');
  await cellAt(run.app.page, 1).and(run.app.page.locator('[data-run="done"]')).waitFor({ timeout: KERNEL_LIMIT_MS });
  const call = await until(async () => {
    const [last] = await must(run.app.page, 'agents.calls', { agentId: id, before: null, limit: 1 });
    const isOver = last?.card.kind === 'cells' && last.card.cells.every(({ status }) => status === 'complete');
    return isOver && last.endedAt !== null ? last : undefined;
  });
  expect(call.card.kind === 'cells' && call.card.cells.map(({ text }) => text)).toEqual(['begun\nover\n', 'second\n']);
  await expect.poll(async () => (await readNotebook(file)).cells[1]?.outputs.length, { timeout: KERNEL_LIMIT_MS }).toBe(1);
});

test('an agent that goes in the middle of its own Python ends it, and its kernel', async () => {
  const leaver = await connectAgent(run.place, 'python leaver');
  void leaver.call('python', { cells: [{ title: 'For ever', code: FOR_EVER }], timeout: 600 }).catch(() => {});
  const { id } = await until(async () => (await must(run.app.page, 'agents.list', undefined)).find(({ name }) => name === 'python leaver'));
  const last = async () => (await must(run.app.page, 'agents.calls', { agentId: id, before: null, limit: 1 }))[0];
  await until(async () => JSON.stringify((await last())?.card ?? '').includes('begun\\n'));
  await leaver.close();
  const call = await until(async () => {
    const value = await last();
    return value && value.endedAt !== null ? value : undefined;
  });
  expect(call.state).toBe('cancelled');
  expect(call.card.kind === 'cells' && call.card.cells[0]).toMatchObject({ status: 'error', text: expect.stringContaining('begun') });
});
