/** `cellwright mcp` ends with its client, however soon that goes: also while its own server is only starting. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type McpFixture, openMcp, PATIENCE_MS } from './mcp-fixture.ts';

let fixture: McpFixture;
beforeAll(async () => {
  fixture = await openMcp();
});
afterAll(() => fixture?.close());

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hasty', version: '1' } },
};

test.each([0, 50, 200, 500, 1_000])('a client that asks and is gone after %i ms', { timeout: PATIENCE_MS }, async (stay) => {
  const child = spawn(process.execPath, [path.join(fixture.root, 'bin', 'cellwright.mjs'), 'mcp'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: fixture.env,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  setTimeout(() => child.stdin.end(), stay);
  expect(await ended).toBe(0);
});
