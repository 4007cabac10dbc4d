/**
 * Agents over MCP without a window: a call of `notebook_run` with `1+1` on a warm kernel from call to result, the same sent straight to the server by
 * HTTP, the smallest call there is, and eight agents with 250 edits each on one notebook.
 */
import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Endpoint, endpointFile } from '../../main/agents/endpoint-file.ts';
import { code, openMcp, type TestAgent, toolCalls } from '../kernel/agents/mcp-fixture.ts';
import { median, printTable, quantile, ratio } from './table.ts';

const CALLS = Number(process.env.BENCH_CALLS ?? 200);
const AGENTS = 8;
const EDITS = Number(process.env.BENCH_EDITS ?? 250);

type Caller = Pick<TestAgent, 'client' | 'text'>;

const fixture = await openMcp();
try {
  await fixture.notebook('warm.ipynb', [code('a', '1+1')]);
  await fixture.notebook('edits.ipynb', [code('a', '1')]);
  const stdio = await fixture.agent({ name: 'stdio' });
  const { url, token } = JSON.parse(await readFile(endpointFile(fixture.profile), 'utf8')) as Endpoint;
  const connect = async (name: string): Promise<Caller> => {
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
    const client = new Client({ name, version: '1.0.0' });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    return toolCalls(client);
  };
  const http = await connect('http');
  const run = (agent: Caller) => agent.text('notebook_run', { notebook_path: 'warm.ipynb', cell_id: 'a' });
  await run(stdio);
  const rows = [
    ['ping, stdio', await times(() => stdio.client.ping())],
    ['kernel status, stdio', await times(() => stdio.text('kernel', { action: 'status', notebook_path: 'warm.ipynb' }))],
    ['notebook_run of 1+1, stdio', await times(() => run(stdio))],
    ['notebook_run of 1+1, HTTP', await times(() => run(http))],
    ['python of 1+1, stdio', await times(() => stdio.text('python', { cells: [{ code: '1+1' }] }))],
    [
      'notebook edit, stdio',
      await times(() =>
        stdio.text('notebook', { notebook_path: 'edits.ipynb', action: 'edit', cell_id: 'a', content: `${Math.random()}` }),
      ),
    ],
  ] as const;
  const [, base] = rows[0];
  printTable(
    ['call', 'p50 ms', 'p99 ms', 'against a ping'],
    rows.map(([name, all]) => [name, median(all).toFixed(1), quantile(all, 0.99).toFixed(1), ratio(median(all), median(base))]),
  );
  await fixture.notebook('many.ipynb', [code('a', '')]);
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, index) => connect(`agent ${index}`)));
  const begun = performance.now();
  const each = await Promise.all(
    agents.map((agent) =>
      times(() => agent.text('notebook', { notebook_path: 'many.ipynb', action: 'insert', cell_index: 0, content: 'x' }), EDITS),
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  const all = each.flat();
  printTable(
    ['agents × edits', 'seconds', 'edits per second', 'p50 ms', 'p99 ms', 'cells'],
    [
      [
        `${AGENTS} × ${EDITS}`,
        seconds.toFixed(1),
        (all.length / seconds).toFixed(0),
        median(all).toFixed(1),
        quantile(all, 0.99).toFixed(1),
        String((await fixture.read('many.ipynb')).cells.length),
      ],
    ],
  );
} finally {
  await fixture.close();
}

async function times(call: () => Promise<unknown>, count = CALLS): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const begun = performance.now();
    await call();
    all.push(performance.now() - begun);
  }
  return all;
}
