/** A notebook that the person has open and never saved: agents find it, edit and run it, and it stays the same one when it gets a file. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../../../scripts/setup/paths.mjs';
import { type TestAgent, textOf, toolCalls } from '../../kernel/agents/mcp-fixture.ts';
import { makePlace, must, type RunningApp, readNotebook, removePlace, startApp, stopApp, type TestPlace } from '../window/start-app.ts';

type Agent = Pick<TestAgent, 'client' | 'call' | 'text' | 'structure'>;

let place: TestPlace;
let app: RunningApp;
let agent: Agent;
let stranger: Agent;

beforeAll(async () => {
  place = await makePlace();
  app = await startApp(place);
  agent = await join('helper', place.folder);
  stranger = await join('stranger', path.join(place.root, 'jupyter'));
});
afterAll(async () => {
  await Promise.all([agent?.client.close(), stranger?.client.close()]);
  if (app) await stopApp(app);
  await removePlace(place);
});

async function join(name: string, folder: string): Promise<Agent> {
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', name, '--folder', folder];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: place.env, cwd: place.folder, stderr: 'inherit' });
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(transport, { timeout: 100_000 });
  return toolCalls(client);
}

async function listed(of: Agent): Promise<{ of: string; title: string | null }[]> {
  return (await of.structure<{ kernels: { of: string; title: string | null }[] }>('kernel', { action: 'list' })).kernels;
}

test('it is listed, edited, run and read by its address, and by its title while no other has it', async () => {
  const { document } = await must(app.page, 'doc.create', { folder: place.folder });
  const address = `untitled:${document.docId}`;
  expect(await listed(agent)).toContainEqual(expect.objectContaining({ of: address, title: document.title }));
  expect(await listed(stranger)).toEqual([]);

  const edited = await agent.text('notebook', { notebook_path: address, action: 'edit', cell_index: 0, content: '6 * 7' });
  expect(edited).toContain('no file yet');
  expect(await agent.text('notebook_run', { notebook_path: document.title, select: 'all' })).toContain('| 42');
  const read = await agent.structure<{ notebookPath: string; unsaved: boolean }>('notebook_read', { notebook_path: address });
  expect(read).toMatchObject({ notebookPath: address, unsaved: true });
  for (const name of [address, document.title]) {
    const refused = await stranger.call('notebook_read', { notebook_path: name });
    expect(textOf(refused)).toMatch(/^Error: /);
    expect(textOf(refused)).not.toContain('6 * 7');
  }
});

test('it keeps its address when the person saves it, and later edits are in the file', async () => {
  const { document } = await must(app.page, 'doc.create', { folder: place.folder });
  const address = `untitled:${document.docId}`;
  await agent.text('notebook', { notebook_path: address, action: 'edit', cell_index: 0, content: 'before' });
  const file = path.join(place.folder, 'a.ipynb');
  await must(app.page, 'doc.saveAs', { docId: document.docId, path: file });
  const inserted = await agent.text('notebook', { notebook_path: address, action: 'insert', cell_index: 1, content: 'by address' });
  expect(inserted).not.toContain('no file yet');
  await agent.text('notebook', { notebook_path: 'a.ipynb', action: 'insert', cell_index: 2, content: 'by path' });
  expect((await readNotebook(file)).cells.map(({ source }) => [source].flat().join(''))).toEqual(['before', 'by address', 'by path']);
  expect((await must(app.page, 'doc.attach', { docId: document.docId })).document.dirty).toBe(false);
});

test('what an agent wrote in it is there when its client was killed and another comes', async () => {
  const { document } = await must(app.page, 'doc.create', { folder: place.folder });
  const address = `untitled:${document.docId}`;
  const writer = await join('writer', place.folder);
  for (let step = 0; step < 50; step += 1) {
    await writer.text('notebook', { notebook_path: address, action: 'insert', cell_index: step, content: `cell ${step}` });
  }
  process.kill((writer.client.transport as StdioClientTransport).pid!, 'SIGKILL');
  const next = await join('next', place.folder);
  const { totalCells } = await next.structure<{ totalCells: number }>('notebook_read', { notebook_path: address });
  expect(totalCells).toBe(51);
  const { document: kept } = await must(app.page, 'doc.attach', { docId: document.docId });
  expect(kept).toMatchObject({ path: null, dirty: true });
  await next.client.close();
});

test('one that is closed is gone, and says so', async () => {
  const { document: first } = await must(app.page, 'doc.create', { folder: place.folder });
  const gone = `untitled:${first.docId}`;
  expect(await agent.text('notebook_read', { notebook_path: gone })).toContain(first.title);
  await must(app.page, 'doc.close', { docId: first.docId, discard: true, stop: true });
  // An agent keeps what it uses open for a moment longer.
  await expect
    .poll(async () => textOf(await agent.call('notebook_read', { notebook_path: gone })), { timeout: 60_000, interval: 5_000 })
    .toMatch(/^Error: .*No notebook with this address is open any more/);
  const missing = await agent.call('notebook_read', { notebook_path: 'Nowhere.ipynb' });
  expect(textOf(missing)).toMatch(/^Error: .*Nowhere\.ipynb/);
});
