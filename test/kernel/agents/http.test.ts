/** The server over HTTP: who is let in, several agents with the SDK's client on one notebook, disconnects in the middle, and conflicts of writers. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Endpoint, endpointFile } from '../../../main/agents/endpoint-file.ts';
import { code, type McpFixture, openMcp, type TestAgent, textOf, toolCalls, until } from './mcp-fixture.ts';

let fixture: McpFixture;
let server: TestAgent;
let endpoint: Endpoint;

beforeAll(async () => {
  fixture = await openMcp();
  server = await fixture.agent({ name: 'first' });
  endpoint = JSON.parse(await readFile(endpointFile(fixture.profile), 'utf8')) as Endpoint;
});
afterAll(() => fixture?.close());

type HttpAgent = Pick<TestAgent, 'client' | 'call' | 'text' | 'structure'> & { transport: StreamableHTTPClientTransport };

async function connect(name: string, headers: Record<string, string> = {}): Promise<HttpAgent> {
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    requestInit: { headers: { authorization: `Bearer ${endpoint.token}`, ...headers } },
  });
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return { ...toolCalls(client), transport };
}

/** A bare request, with whatever headers. */
function request(path: string, headers: Record<string, string>, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = http.request(
      { host: '127.0.0.1', port: endpoint.port, path, method: body === undefined ? 'GET' : 'POST', headers },
      (response) => {
        let text = '';
        response.on('data', (data: Buffer) => {
          text += data.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bare', version: '1' } },
});

describe('who is let in', () => {
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

  test('the file with the token is its owner’s alone', async () => {
    const { mode } = await stat(endpointFile(fixture.profile));
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
    expect(endpoint.token).toMatch(/^[\w-]{43}$/);
    expect(endpoint.url).toBe(`http://127.0.0.1:${endpoint.port}/mcp`);
  });

  test.each([
    ['no token', {}, 401],
    ['another token', { authorization: 'Bearer abc' }, 401],
    ['the token as it is not written', { authorization: 'TOKEN' }, 401],
    ['a foreign host', { authorization: 'Bearer TOKEN', host: 'evil.example' }, 403],
    ['a foreign origin', { authorization: 'Bearer TOKEN', origin: 'https://evil.example' }, 403],
    ['no origin to speak of', { authorization: 'Bearer TOKEN', origin: 'null' }, 403],
    ['the right ones', { authorization: 'Bearer TOKEN' }, 200],
  ])('with %s', async (_name, headers, status) => {
    const real = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('TOKEN', endpoint.token)]));
    expect((await request('/mcp', { ...accept, ...real }, INITIALIZE)).status).toBe(status);
  });

  test('the proof needs no token and gives none away', async () => {
    const { status, text } = await request('/hello?nonce=0123456789abcdef', {});
    expect(status).toBe(200);
    expect(text).not.toContain(endpoint.token);
    expect((await request('/hello?nonce=x', {})).status).toBe(400);
    expect((await request('/', {})).status).toBe(404);
  });

  test('a session that is not there, and a body that is none, are said so', async () => {
    const authorization = `Bearer ${endpoint.token}`;
    expect((await request('/mcp', { ...accept, authorization, 'mcp-session-id': 'gone' }, '{}')).status).toBe(404);
    expect((await request('/mcp', { ...accept, authorization }, 'oops')).status).toBe(400);
    expect((await request('/mcp', { ...accept, authorization }, '{}')).status).toBe(400);
  });

  test('an agent reaches only the folders of its configuration', async () => {
    await fixture.notebook('inside.ipynb', [code('a', '1')]);
    const outside = await connect('outside', { 'cellwright-folders': encodeURIComponent('/usr/share') });
    const result = await outside.call('notebook_read', { notebook_path: `${fixture.folder}/inside.ipynb` });
    expect(textOf(result)).toMatch(/outside of the folders/);
    const nowhere = await connect('nowhere', { 'cellwright-folders': 'not/absolute' });
    expect((await nowhere.call('python', { cells: [{ code: '1' }] })).isError).toBe(true);
    await Promise.all([outside.client.close(), nowhere.client.close()]);
  });
});

test('eight agents at once make 2,000 edits: no error, no lost and no doubled cell', async () => {
  const AGENTS = 8;
  const EDITS = 250;
  await fixture.notebook('many.ipynb', [code('start', '')]);
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, index) => connect(`agent ${index}`)));
  const edit = { notebook_path: 'many.ipynb' };
  await Promise.all(
    agents.map(async (agent, who) => {
      let own: string[] = [];
      for (let step = 0; step < EDITS; step += 1) {
        const kind = step % 5;
        if (kind === 4 && own.length > 1) {
          const [cell_id, ...rest] = own;
          await agent.text('notebook', { ...edit, action: 'delete', cell_id });
          own = rest;
        } else if (kind === 3) {
          await agent.text('notebook', { ...edit, action: 'edit', cell_id: own.at(-1), content: `agent ${who} step ${step} edited` });
        } else {
          const { cellId } = await agent.structure<{ cellId: string }>('notebook', {
            ...edit,
            action: 'insert',
            cell_index: 0,
            content: `agent ${who} step ${step}`,
          });
          own.push(cellId);
        }
      }
    }),
  );
  const { cells } = await fixture.read('many.ipynb');
  const ids = cells.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  // Of five edits three add a cell and one takes one away.
  expect(cells.length).toBe(1 + AGENTS * EDITS * 0.4);
  const sources = cells.map(({ source }) => source.join(''));
  expect(new Set(sources).size).toBe(sources.length);
  // Each agent edits every third of its cells and takes away its first fifty, sixteen of which it had edited.
  expect(sources.filter((source) => source.endsWith('edited')).length).toBe(AGENTS * (EDITS / 5 - 16));
  await Promise.all(agents.map(({ client }) => client.close()));
}, 900_000);

test('agents that edit one cell at once lose nothing', async () => {
  await fixture.notebook('one.ipynb', [code('a', 'HERE')]);
  const agents = await Promise.all([connect('left'), connect('right')]);
  await Promise.all(
    agents.flatMap((agent, who) =>
      Array.from({ length: 20 }, (_, step) =>
        agent.text('notebook', {
          notebook_path: 'one.ipynb',
          action: 'edit',
          cell_id: 'a',
          old_string: 'HERE',
          new_string: who === 0 ? `(l${step})HERE` : `HERE(r${step})`,
        }),
      ),
    ),
  );
  const { cells } = await fixture.read('one.ipynb');
  const text = cells[0]!.source.join('');
  for (let step = 0; step < 20; step += 1) expect(text).toMatch(new RegExp(`\\(l${step}\\).*HERE.*\\(r${step}\\)`));
  await Promise.all(agents.map(({ client }) => client.close()));
});

test('two notebooks, two agents: nothing goes into the other one', async () => {
  await fixture.notebook('left.ipynb', []);
  await fixture.notebook('right.ipynb', []);
  const [left, right] = await Promise.all([connect('l'), connect('r')]);
  for (let step = 0; step < 5; step += 1) {
    await left.text('notebook', { notebook_path: 'left.ipynb', action: 'insert', cell_index: step, content: `l${step}` });
    await right.text('notebook', { notebook_path: 'right.ipynb', action: 'insert', cell_index: step, content: `r${step}` });
  }
  const sources = async (name: string) => (await fixture.read(name)).cells.map(({ source }) => source.join(''));
  expect(await sources('left.ipynb')).toEqual(['l0', 'l1', 'l2', 'l3', 'l4']);
  expect(await sources('right.ipynb')).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
  await Promise.all([left.client.close(), right.client.close()]);
});

test('a run goes on when its client is cut off, and the agent finds it again under its id', async () => {
  const id = 'cut-off-agent-1';
  await fixture.notebook('cut.ipynb', [code('a', 'import time\nfor i in range(20):\n    time.sleep(0.1)\nprint("finished")')]);
  const first = await connect('cutter', { 'cellwright-agent': id });
  const { runId } = await first.structure<{ runId: string }>('notebook_run', {
    notebook_path: 'cut.ipynb',
    select: 'all',
    timeout: 0,
    idempotency_key: 'the run',
  });
  await first.transport.close();
  const second = await connect('cutter', { 'cellwright-agent': id });
  const again = await second.structure<{ runId: string }>('notebook_run', {
    notebook_path: 'cut.ipynb',
    select: 'all',
    timeout: 0,
    idempotency_key: 'the run',
  });
  expect(again.runId).toBe(runId);
  const { run } = await second.structure<{ run: { status: string; cells: { output: string }[] } }>('wait', { for: 'run', run_id: runId });
  expect(run).toMatchObject({ status: 'done', cells: [{ output: 'finished' }] });
  const stranger = await connect('stranger');
  expect((await stranger.call('wait', { for: 'run', run_id: runId })).isError).toBe(true);
  await Promise.all([second.client.close(), stranger.client.close()]);
});

test('an edit of another program is taken in before the next edit, and both are in the file', async () => {
  const file = await fixture.notebook('outside.ipynb', [code('a', 'one'), code('b', 'two')]);
  const agent = await connect('inside');
  await agent.text('notebook', { notebook_path: file, action: 'edit', cell_id: 'a', content: 'agent' });
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"two"', '"outside"'));
  await agent.text('notebook', { notebook_path: file, action: 'insert', cell_index: 2, content: 'more' });
  const { cells } = await fixture.read('outside.ipynb');
  expect(cells.map(({ source }) => source.join(''))).toEqual(['agent', 'outside', 'more']);
  await agent.client.close();
});

test('when the one that serves goes, the others go on with a server of their own', async () => {
  await fixture.notebook('survive.ipynb', [code('a', 'x = 1')]);
  const [other, quiet] = await Promise.all(['survivor', 'quiet'].map((name) => fixture.agent({ name })));
  await other!.text('notebook_read', { notebook_path: 'survive.ipynb' });
  await quiet!.text('notebook_run', { notebook_path: 'survive.ipynb', cell_id: 'a', timeout: 90 });
  const cut = other!.call('python', { cells: [{ code: 'import time; time.sleep(300)' }], timeout: 400 });
  // Its code has begun when its kernel is there.
  await until(async () => (await other!.text('kernel', { action: 'list' })).includes('python in'), 'the kernel');
  await server.close();
  const answer = await cut;
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toMatch(/closed or restarted while this call/);
  expect(await other!.text('notebook_read', { notebook_path: 'survive.ipynb', cell_id: 'a' })).toContain('x = 1');
  expect(await other!.text('python', { cells: [{ code: '6 * 7' }], timeout: 90 })).toBe('42');
  const read = () => quiet!.text('notebook_read', { notebook_path: 'survive.ipynb' });
  // Told once, to whoever ran something and was not told by an answer that was cut off.
  expect(await read()).toMatch(/Kernels ended with it, and their variables are gone\.\]$/);
  expect(await read()).not.toContain('variables are gone');
});
