/** An agent that began without the app is in the app's window once there is one. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { repository } from '../../../scripts/setup/paths.mjs';
import { toolCalls } from '../../kernel/agents/mcp-fixture.ts';
import { codeCell, makePlace, must, removePlace, startApp, stopApp, until, writeNotebook } from '../window/start-app.ts';

test('a server without a window gives way to an app that is started later', async () => {
  const place = await makePlace();
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', 'early'];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: place.env, cwd: place.folder, stderr: 'inherit' });
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(transport, { timeout: 100_000 });
  const agent = toolCalls(client);
  const file = await writeNotebook(path.join(place.folder, 'early.ipynb'), [codeCell('1')]);
  await agent.text('notebook', { notebook_path: file, action: 'edit', cell_id: 'c0', content: 'before' });
  const app = await startApp(place);
  try {
    await until(async () => (await must(app.page, 'agents.list', undefined)).find(({ name, connected }) => name === 'early' && connected));
    await agent.text('notebook', { notebook_path: file, action: 'edit', cell_id: 'c0', content: 'after', expected_source: 'before' });
    const { document } = await must(app.page, 'doc.open', { path: file });
    expect(document.dirty).toBe(false);
  } finally {
    await client.close();
    await stopApp(app);
    await removePlace(place);
  }
});
