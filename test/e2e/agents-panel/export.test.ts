/** The exported timeline in a real browser: whole without anything beside it, narrowed without a script, and harmless whatever is in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CardArtifacts } from '../../../main/agents/card-artifacts.ts';
import { timelinePage } from '../../../main/agents/timeline-page.ts';
import type { AgentCall, AgentView, CallCard } from '../../../preload/agent-sessions.ts';
import { type AgentsPage, openAgentsPage } from '../../support/agents-harness/open.ts';
import { cell, cells, edit, plain } from '../../support/agents-harness/sample-calls.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HOSTILE = `</pre></details><script>window.pwned=1</script><img src="https://example.invalid/x" onerror="window.pwned=1"><style>body{display:none}</style>"'&`;

let harness: AgentsPage;
let page: Page;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'export-'));
  harness = await openAgentsPage();
  page = harness.page;
});
afterAll(async () => {
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});

const agent: AgentView = {
  id: 'agent-1',
  name: HOSTILE,
  hue: 0,
  client: HOSTILE,
  connected: true,
  paused: false,
  takenOver: false,
  cursor: null,
  policy: { read: 'allow', edit: 'allow', run: 'allow', install: 'ask', delete: 'allow', restart: 'allow' },
  folders: [],
  turn: 2,
  startedAt: 1_700_000_000_000,
};

function call(id: number, card: CallCard, more: Partial<AgentCall> = {}): AgentCall {
  const base = { agentId: agent.id, turn: id, tool: HOSTILE, state: 'done' as const, waitingFor: null, waitingSince: null };
  return {
    ...base,
    id,
    needs: 'run',
    docId: null,
    cellKeys: [],
    startedAt: agent.startedAt,
    endedAt: agent.startedAt + 900,
    card,
    ...more,
  };
}

async function show(calls: readonly AgentCall[]): Promise<void> {
  const file = path.join(folder, 'timeline.html');
  await writeFile(file, await timelinePage(agent, calls, (host) => (host === agent.id ? folder : null)));
  await page.goto(pathToFileURL(file).href);
}

test('everything in it is text, and nothing is asked for from elsewhere', async () => {
  const url = await new CardArtifacts(agent.id, folder).image('image/png', PNG);
  const images = [
    { url: url ?? '', mime: 'image/png' },
    { url: 'https://example.invalid/image.png', mime: 'image/png' },
    { url: 'artifact://elsewhere/0', mime: 'image/png' },
  ];
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const ran = cell({ title: HOSTILE, code: HOSTILE, text: HOSTILE, json: [HOSTILE], statusEvents: [{ op: HOSTILE }], images });
  await show([
    call(1, edit({ action: HOSTILE, path: HOSTILE, summary: HOSTILE, source: HOSTILE, before: HOSTILE })),
    call(2, cells([ran], { cwd: HOSTILE, summary: HOSTILE })),
    call(3, plain(HOSTILE, HOSTILE, HOSTILE)),
  ]);
  for (const summary of await page.locator('details > summary').all()) await summary.click();
  expect(await page.locator('details').count()).toBe(3);
  expect(await page.locator('script').count()).toBe(0);
  expect(await page.locator('style').count()).toBe(1);
  expect(await page.getByText('window.pwned=1').first().isVisible()).toBe(true);
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  const shown = page.locator('img');
  expect(await shown.count()).toBe(1);
  expect(await shown.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(1);
  expect(await page.getByText('Image (image/png) left out.').count()).toBe(2);
  expect(requests.filter((request) => !request.startsWith('file:') && !request.startsWith('data:'))).toEqual([]);
});

test('it is narrowed to edits, runs and what did not end well', async () => {
  await show([
    call(1, edit()),
    call(2, cells([cell()]), { state: 'failed' }),
    call(3, plain('outline', 'read')),
    call(4, edit(), { state: 'refused' }),
  ]);
  const visible = () => page.locator('details:visible').count();
  expect(await visible()).toBe(4);
  await page.getByLabel('Edits').check();
  expect(await visible()).toBe(2);
  await page.getByLabel('Runs').check();
  expect(await visible()).toBe(1);
  await page.getByLabel('Failed, stopped or refused').check();
  expect(await visible()).toBe(2);
  await page.getByLabel('All calls').check();
  expect(await visible()).toBe(4);
});
