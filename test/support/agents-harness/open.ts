/** Builds the page of the agents' tests, serves it, and opens its scenes in the app's own browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { _electron } from 'playwright-core';
import { build, preview } from 'vite';
import { repository } from '../../../scripts/setup/paths.mjs';
import { electronLaunch } from '../electron.ts';
import type { FakeMain } from '../renderer-harness/fake-main.ts';
import type { ScriptedAgents } from './scripted-agents.ts';

declare global {
  interface Window {
    readonly scripted: ScriptedAgents;
    readonly fakeMain: FakeMain;
  }
}

export interface AgentsPage {
  page: Page;
  /** Loads a scene anew, with nothing remembered of the one before. */
  show(query: string): Promise<void>;
  close(): Promise<void>;
}

export async function openAgentsPage(): Promise<AgentsPage> {
  const configFile = path.join(repository, 'test/support/agents-harness/vite.config.ts');
  const outDir = await mkdtemp(path.join(tmpdir(), 'agents-page-'));
  await build({ configFile, build: { outDir, emptyOutDir: true } });
  const server = await preview({ configFile, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  const address = server.httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('The page has no port.');
  const url = `http://127.0.0.1:${address.port}/`;
  const launch = electronLaunch();
  const app = await _electron.launch({
    executablePath: launch.executablePath,
    args: [...launch.args.slice(0, -1), path.join(repository, 'test/support/outputs-harness/browser')],
    env: { ...stringsOf(process.env), OUTPUTS_PAGE: `${url}?scene=empty` },
  });
  const page = await app.firstWindow();
  const loaded = () => page.waitForFunction(() => 'scripted' in window && document.querySelector('nav') !== null);
  await loaded();
  return {
    page,
    async show(query) {
      await page.evaluate(() => localStorage.clear());
      await page.goto(`${url}?${query}`);
      await loaded();
    },
    async close() {
      await app.close();
      await server.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

function stringsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
