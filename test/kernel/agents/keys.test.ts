/** Idempotency keys over the death of the server: what was done is answered again, and what was cut off is not done twice. */
import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, endpointFile } from '../../../main/agents/endpoint-file.ts';
import { code, type McpFixture, openMcp, PATIENCE_MS, type TestAgent, textOf, toolCalls, until } from './mcp-fixture.ts';

let fixture: McpFixture;

beforeAll(async () => {
  fixture = await openMcp();
});
afterAll(() => fixture?.close());

/** A client of the server that runs now, always the same agent. */
async function connect(): Promise<Pick<TestAgent, 'client' | 'call' | 'text' | 'structure'>> {
  const { url, token } = JSON.parse(await readFile(endpointFile(fixture.profile), 'utf8')) as Endpoint;
  const headers = {
    authorization: `Bearer ${token}`,
    'cellwright-agent': 'keyed-agent',
    'cellwright-folders': encodeURIComponent(fixture.folder),
  };
  const client = new Client({ name: 'keyed', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client['connect']>[0], { timeout: PATIENCE_MS });
  return toolCalls(client);
}

test('the same keys after the server was killed in the middle of a call', async () => {
  await fixture.notebook('keys.ipynb', [code('a', 'x'), code('slow', 'import time\nprint("begun", flush=True)\ntime.sleep(600)')]);
  const server = await fixture.agent({ name: 'server' });
  const before = await connect();
  const insert = { notebook_path: 'keys.ipynb', action: 'insert', cell_index: 0, content: 'once', idempotency_key: 'insert' };
  const compute = { cells: [{ code: 'import random; random.random()' }], timeout: 90, idempotency_key: 'compute' };
  const run = { notebook_path: 'keys.ipynb', cell_id: 'slow', timeout: 500, idempotency_key: 'run' };
  const inserted = await before.structure<{ cellId: string }>('notebook', insert);
  const computed = await before.text('python', compute);
  const cut = before.call('notebook_run', run).catch(() => null);
  await until(
    async () => (await before.text('notebook_read', { notebook_path: 'keys.ipynb', cell_id: 'slow' })).includes('| begun'),
    'the run',
  );
  process.kill(server.pid, 'SIGKILL');
  await before.client.close();
  await cut;

  await fixture.agent({ name: 'next server' });
  const after = await connect();
  expect(await after.structure('notebook', insert)).toEqual(inserted);
  expect(await after.text('python', compute)).toBe(computed);
  expect((await fixture.read('keys.ipynb')).cells.filter(({ source }) => source.join('') === 'once').length).toBe(1);
  expect(textOf(await after.call('notebook_run', run))).toMatch(/^Error: .*"run" was under way when Cellwright ended.*notebook_read/);
  expect(textOf(await after.call('notebook_run', { ...run, timeout: 1 }))).toMatch(/used for another call/);
  await after.client.close();
});
