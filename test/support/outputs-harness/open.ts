/** Builds the outputs' test page, serves it, and opens it in the app's own browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { _electron } from 'playwright-core';
import { build, preview } from 'vite';
import { electronBinary } from '../../../scripts/electron-path.mjs';
import { switchesFor, thisMachine } from '../../../scripts/electron-switches.mjs';
import { repository } from '../../../scripts/setup/paths.mjs';

export interface OpenHarness {
  page: Page;
  close(): Promise<void>;
}

export async function openHarness(): Promise<OpenHarness> {
  const binary = electronBinary(repository);
  if (!binary) throw new Error('There is no Electron binary yet. Start the tests with `npm test`.');
  const configFile = path.join(import.meta.dirname, 'vite.config.ts');
  const outDir = await mkdtemp(path.join(tmpdir(), 'outputs-page-'));
  await build({ configFile, build: { outDir, emptyOutDir: true } });
  const server = await preview({ configFile, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  const address = server.httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('The page has no port.');
  const { switches } = switchesFor(thisMachine(process.env, { isVirtual: process.platform === 'linux' }));
  const app = await _electron.launch({
    executablePath: binary.path,
    args: [...switches, path.join(import.meta.dirname, 'browser')],
    env: { ...stringsOf(process.env), OUTPUTS_PAGE: `http://127.0.0.1:${address.port}/` },
  });
  const page = await app.firstWindow();
  await page.waitForFunction(() => 'harness' in window);
  return {
    page,
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
