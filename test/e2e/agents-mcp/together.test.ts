/** A person and agents on one open notebook: both run, both write, clients come and go, and the page, the document and the file say the same. */
import { readFile, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, endpointFile } from '../../../main/agents/endpoint-file.ts';
import type { DocumentSnapshot } from '../../../preload/contract.ts';
import { repository } from '../../../scripts/setup/paths.mjs';
import { type TestAgent, textOf, toolCalls } from '../../kernel/agents/mcp-fixture.ts';
import { cellKeys, editSource, sourceOf } from '../window/edit-source.ts';
import {
  codeCell,
  makePlace,
  must,
  type RunningApp,
  readNotebook,
  removePlace,
  startApp,
  startBeside,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from '../window/start-app.ts';

let place: TestPlace;
let app: RunningApp;
let agent: Pick<TestAgent, 'client' | 'call' | 'text' | 'structure'>;

beforeAll(async () => {
  place = await makePlace();
  app = await startApp(place);
  agent = await join();
});
afterAll(async () => {
  await agent?.client.close();
  if (app) await stopApp(app);
  await removePlace(place);
});

async function join(): Promise<typeof agent> {
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', 'helper'];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: place.env, cwd: place.folder, stderr: 'inherit' });
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(transport, { timeout: 100_000 });
  return toolCalls(client);
}

function file(name: string): string {
  return path.join(place.folder, name);
}

async function sources(name: string): Promise<string[]> {
  return (await readNotebook(file(name))).cells.map(({ source }) => [source].flat().join(''));
}

/** Opens a new notebook in the window. */
async function open(name: string, cells: readonly string[]): Promise<{ docId: string; snapshot: DocumentSnapshot; keys: string[] }> {
  await writeNotebook(
    file(name),
    cells.map((source) => codeCell(source)),
  );
  const snapshot = await must(app.page, 'doc.open', { path: file(name) });
  return { docId: snapshot.document.docId, snapshot, keys: cellKeys(snapshot) };
}

test('the person runs one cell and the agent another at the same time: both run, and each has its own output', async () => {
  const held = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.05)\n"person"';
  const { docId, keys } = await open('both-run.ipynb', [held, '"agent"']);
  const now = () => must(app.page, 'doc.attach', { docId });
  await app.page.evaluate(([id, key]) => void window.cellwright.call('run.cells', { docId: id, keys: [key] }), [docId, keys[0]!] as const);
  await until(async () => (await now()).runs[keys[0]!]?.state === 'running');
  const run = agent.structure<{ status: string }>('notebook_run', { notebook_path: 'both-run.ipynb', cell_index: 1, timeout: 90 });
  await until(async () => (await now()).kernel.queued === 1);
  await writeFile(file('go'), '');
  expect(await run).toMatchObject({ status: 'done', cells: [{ output: "'agent'" }] });
  await must(app.page, 'doc.save', { docId });
  const { cells } = await readNotebook(file('both-run.ipynb'));
  expect(cells.map(({ outputs }) => outputs)).toMatchObject([
    [{ data: { 'text/plain': ["'person'"] } }],
    [{ data: { 'text/plain': ["'agent'"] } }],
  ]);
});

test('the agent edits one cell, then the person another and saves: both are in the file', async () => {
  const { docId } = await open('both-edit.ipynb', ['one', 'two']);
  await agent.text('notebook', { notebook_path: 'both-edit.ipynb', action: 'edit', cell_index: 0, content: 'agent' });
  await editSource(app.page, await must(app.page, 'doc.attach', { docId }), 1, 'person');
  await must(app.page, 'doc.save', { docId });
  expect(await sources('both-edit.ipynb')).toEqual(['agent', 'person']);
});

test('the agent’s edit is saved and said to be while a cell of the person’s waits for a choice; one of that cell is not', async () => {
  const { docId, snapshot } = await open('waits.ipynb', ['one', 'two', 'three']);
  await editSource(app.page, snapshot, 0, 'person');
  const other = (await readNotebook(file('waits.ipynb'))).cells.map((cell, index) => (index === 0 ? { ...cell, source: 'program' } : cell));
  await writeNotebook(file('waits.ipynb'), other);
  await until(async () => (await must(app.page, 'doc.attach', { docId })).document.conflicts === 1);
  const edit = { notebook_path: 'waits.ipynb', action: 'edit' };
  expect(await agent.text('notebook', { ...edit, cell_index: 1, content: 'agent' })).toMatch(/^Edited code cell 1 .* It is saved\. /);
  expect(await sources('waits.ipynb')).toEqual(['program', 'agent', 'three']);
  const result = await agent.call('notebook', { ...edit, cell_index: 0, content: 'person and agent' });
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toMatch(/Error: .*The edit was made in the open notebook, but waits\.ipynb could not be saved/);
  expect(await sources('waits.ipynb')).toEqual(['program', 'agent', 'three']);
});

test('a file that somebody deleted stays deleted while the notebook is open: what the agent does is shown, and the person decides', async () => {
  const { docId } = await open('deleted.ipynb', ['1 + 1']);
  await must(app.page, 'doc.attach', { docId });
  const at = { notebook_path: 'deleted.ipynb', cell_index: 0 };
  await agent.text('notebook_read', at);
  await unlink(file('deleted.ipynb'));
  const edited = textOf(await agent.call('notebook', { ...at, action: 'edit', content: '2 + 2' }));
  expect(edited).toMatch(/^Error: .*The edit was made in the open notebook, but .* was deleted or moved on the disk\..*Ask the person/);
  const ran = textOf(await agent.call('notebook_run', at)).split('\n');
  expect(ran[0]).toMatch(/^Error: could not save the outputs\. Ran 1 cell /);
  expect(ran).toContain('| 4');
  expect(ran.at(-1)).toMatch(/deleted\.ipynb was deleted or moved/);
  await expect(stat(file('deleted.ipynb'))).rejects.toMatchObject({ code: 'ENOENT' });
  await must(app.page, 'doc.save', { docId });
  expect(await sources('deleted.ipynb')).toEqual(['2 + 2']);
  expect(await agent.text('notebook', { ...at, action: 'edit', content: '3 + 3' })).toMatch(/^Edited/);
  expect(await sources('deleted.ipynb')).toEqual(['3 + 3']);
});

test('agents that come and go while the notebook is open and unsaved leave every cell as it is, once', async () => {
  const { docId, snapshot } = await open('come-and-go.ipynb', ['one', 'two', 'three']);
  await editSource(app.page, snapshot, 1, 'typed and not saved');
  for (let round = 0; round < 20; round += 1) {
    const visitor = await connected(round);
    expect(await visitor.text('notebook_read', { notebook_path: 'come-and-go.ipynb' })).toContain('typed and not saved');
    await visitor.client.close();
  }
  const after = await must(app.page, 'doc.attach', { docId });
  expect(cellKeys(after).map((_key, index) => sourceOf(after, index))).toEqual(['one', 'typed and not saved', 'three']);
});

/** Straight over HTTP, as clients without a process of their own come; the same agent each time. */
async function connected(round: number): Promise<Pick<TestAgent, 'client' | 'text'>> {
  const { url, token } = JSON.parse(await readFile(endpointFile(place.profile), 'utf8')) as Endpoint;
  const headers = {
    authorization: `Bearer ${token}`,
    'cellwright-agent': 'visitor-again',
    'cellwright-folders': encodeURIComponent(place.folder),
  };
  const client = new Client({ name: `visit ${round}`, version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Parameters<Client['connect']>[0]);
  return toolCalls(client);
}

test('fifty edits of an agent are on the page, in the document and in the file after each', async () => {
  const { docId } = await open('fifty.ipynb', ['start']);
  // As from a file manager, so that the page shows it.
  startBeside(place, [file('fifty.ipynb')]);
  await app.page.locator('article[data-cell-key]').first().waitFor();
  const edit = { notebook_path: 'fifty.ipynb' };
  for (let step = 0; step < 50; step += 1) {
    const before = await sources('fifty.ipynb');
    if (step % 3 === 2) await agent.text('notebook', { ...edit, action: 'delete', cell_index: before.length - 1 });
    else if (step % 3 === 1) await agent.text('notebook', { ...edit, action: 'edit', cell_index: 0, content: `edited ${step}` });
    else await agent.text('notebook', { ...edit, action: 'insert', cell_index: before.length, content: `added ${step}` });
    const stored = await sources('fifty.ipynb');
    const held = await must(app.page, 'doc.attach', { docId });
    expect(cellKeys(held).map((_key, index) => sourceOf(held, index))).toEqual(stored);
    await until(async () => {
      const shown = await app.page.locator('article[data-cell-key]').count();
      return shown === stored.length;
    });
  }
});
