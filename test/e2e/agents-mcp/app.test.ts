/**
 * The SDK's client against the real app, with a person's decisions made through the window's own bridge: what agents do is seen at once, and what the person
 * decides holds.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentCall, AgentView } from '../../../preload/agent-sessions.ts';
import type { DocumentSnapshot } from '../../../preload/contract.ts';
import { repository } from '../../../scripts/setup/paths.mjs';
import { type TestAgent, textOf, toolCalls } from '../../kernel/agents/mcp-fixture.ts';
import { editSource } from '../window/edit-source.ts';
import {
  codeCell,
  makePlace,
  must,
  type RunningApp,
  readNotebook,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from '../window/start-app.ts';

type JoinedAgent = Pick<TestAgent, 'client' | 'call' | 'text' | 'structure'>;

let place: TestPlace;
let app: RunningApp;
let agent: JoinedAgent;
let notebooks = 0;

beforeAll(async () => {
  place = await makePlace();
  app = await startApp(place);
  agent = await join('helper');
});
afterEach(async () => {
  for (const { id } of await must(app.page, 'agents.list', undefined)) {
    await must(app.page, 'agents.resume', { agentId: id });
    await must(app.page, 'agents.giveBack', { agentId: id });
  }
});
afterAll(async () => {
  await agent?.client.close();
  if (app) await stopApp(app);
  await removePlace(place);
});

async function join(name: string): Promise<JoinedAgent> {
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', name];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: place.env, cwd: place.folder, stderr: 'inherit' });
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(transport, { timeout: 100_000 });
  return toolCalls(client);
}

async function open(...sources: string[]): Promise<{ docId: string; snapshot: DocumentSnapshot; file: string }> {
  notebooks += 1;
  const file = path.join(place.folder, `agents${notebooks}.ipynb`);
  await writeNotebook(
    file,
    sources.map((source) => codeCell(source)),
  );
  const snapshot = await must(app.page, 'doc.open', { path: file });
  return { docId: snapshot.document.docId, snapshot, file };
}

async function seen(name = 'helper'): Promise<AgentView> {
  return until(async () => (await must(app.page, 'agents.list', undefined)).find((one) => one.name === name));
}

async function lastCall(agentId: string): Promise<AgentCall | undefined> {
  return (await must(app.page, 'agents.calls', { agentId, before: null, limit: 1 }))[0];
}

function sourceOf(cell: { source: string | string[] } | undefined): string {
  return cell ? [cell.source].flat().join('') : '';
}

test('the agent is in the app: named, with its folder, and its edit is in the document and in the file', async () => {
  const { docId, file } = await open('1');
  const view = await seen();
  expect(view).toMatchObject({ connected: true, paused: false, client: 'e2e 1.0.0' });
  expect(view.folders).toEqual([await realpath(place.folder)]);
  await agent.text('notebook', { notebook_path: file, action: 'edit', cell_id: 'c0', content: 'edited' });
  expect(sourceOf((await readNotebook(file)).cells[0])).toBe('edited');
  const snapshot = await must(app.page, 'doc.attach', { docId });
  expect(snapshot.document.dirty).toBe(false);
  expect(await lastCall(view.id)).toMatchObject({
    tool: 'notebook',
    state: 'done',
    docId,
    card: { kind: 'notebook', before: '1', source: 'edited' },
  });
});

test('what the person types and what the agent writes in the same cell are both kept', async () => {
  const { docId, snapshot, file } = await open('middle');
  const typing = editSource(app.page, snapshot, 0, 'typed middle');
  const writing = agent.text('notebook', {
    notebook_path: file,
    action: 'edit',
    cell_id: 'c0',
    old_string: 'middle',
    new_string: 'middle written',
  });
  await Promise.all([typing, writing]);
  await must(app.page, 'doc.save', { docId });
  expect(sourceOf((await readNotebook(file)).cells[0])).toBe('typed middle written');
});

test('what an Output widget takes in is in the answers, where the window shows it', async () => {
  const { file } = await open(
    'import ipywidgets as w\nout, late = w.Output(), w.Output()\nprint("before")\nwith out:\n    print("inside")\ndisplay(w.VBox([out]))\nprint("after")',
    'with out:\n    print("inside again")',
    'with late:\n    raise ValueError("taken in")',
  );
  const lines = (text: string) => text.split('\n').filter((line) => /^\| (before|inside|after|ValueError:)/.test(line));
  expect(lines(await agent.text('notebook_run', { notebook_path: file, cell_id: 'c0' }))).toEqual(['| before', '| inside', '| after']);
  expect(lines(await agent.text('notebook_run', { notebook_path: file, cell_id: 'c1' }))).toEqual(['| inside again']);
  expect(lines(await agent.text('notebook_run', { notebook_path: file, cell_id: 'c2' }))).toEqual(['| ValueError: taken in']);
  expect(lines(await agent.text('notebook_read', { notebook_path: file, cell_id: 'c0', outputs: 'full' }))).toEqual([
    '| before',
    '| inside',
    '| inside again',
    '| after',
  ]);
  const { id } = await seen();
  const cards = (await must(app.page, 'agents.calls', { agentId: id, before: null, limit: 4 })).map(({ card }) =>
    card.kind === 'cells' ? card.cells.map(({ text }) => text).join('') : '',
  );
  expect(cards.slice(0, 2).map((text) => lines(text.replace(/^/gm, '| ')))).toEqual([
    ['| before', '| inside', '| after'],
    ['| inside again'],
  ]);
});

test('a paused agent’s next call waits and says so, and goes on afterwards', async () => {
  const { file } = await open('1 + 1');
  const { id } = await seen();
  await must(app.page, 'agents.pause', { agentId: id });
  const told: string[] = [];
  const running = agent.text(
    'notebook_run',
    { notebook_path: file, cell_id: 'c0' },
    { onProgress: ({ message }) => told.push(message ?? '') },
  );
  await until(async () => (await lastCall(id))?.state === 'waiting');
  await until(async () => told.some((message) => /paused/.test(message)));
  expect((await readNotebook(file)).cells[0]!.outputs).toEqual([]);
  await must(app.page, 'agents.resume', { agentId: id });
  expect(await running).toContain('| 2');
});

test('taking over ends what runs; until it is given back the agent may only read', async () => {
  const { file } = await open('import time\nprint("on", flush=True)\ntime.sleep(600)', '2');
  const { id } = await seen();
  const run = agent.call('notebook_run', { notebook_path: file, cell_id: 'c0', timeout: 500 });
  await until(async () => (await lastCall(id))?.card.kind === 'cells' && JSON.stringify((await lastCall(id))?.card).includes('"on'));
  await must(app.page, 'agents.takeOver', { agentId: id });
  const stopped = await run;
  expect(stopped.isError).toBe(true);
  expect(textOf(stopped)).toMatch(/person stopped/);
  expect(await agent.text('notebook_read', { notebook_path: file })).toContain('agents');
  const refused = await agent.call('notebook', { notebook_path: file, action: 'edit', cell_id: 'c1', content: '3' });
  expect(textOf(refused)).toMatch(/^Error: A person has taken over/);
  const waiting = agent.structure<{ happened: boolean }>('wait', { for: 'decision', timeout: 90 });
  await must(app.page, 'agents.giveBack', { agentId: id });
  expect((await waiting).happened).toBe(true);
  expect(await agent.text('notebook_run', { notebook_path: file, cell_id: 'c1' })).toContain('| 2');
});

test('an edit that needs approval shows its difference first; a refusal says why, an approval lets it through', async () => {
  const { file } = await open('keep');
  const { id, policy } = await seen();
  await must(app.page, 'agents.setPolicy', { agentId: id, policy: { ...policy, edit: 'ask' } });
  const edit = { notebook_path: file, action: 'edit', cell_id: 'c0', content: 'changed' };
  const refused = agent.call('notebook', edit);
  const asked = await until(async () => {
    const call = await lastCall(id);
    return call?.state === 'approval' ? call : undefined;
  });
  expect(asked).toMatchObject({ needs: 'edit', card: { kind: 'notebook', before: 'keep', source: 'changed' } });
  await must(app.page, 'agents.decide', { callId: asked.id, approval: { approve: false, reason: 'Leave it as it is.', always: false } });
  expect(textOf(await refused)).toMatch(/refused[\s\S]*Leave it as it is\./);
  expect(sourceOf((await readNotebook(file)).cells[0])).toBe('keep');
  const approved = agent.text('notebook', edit);
  const again = await until(async () => {
    const call = await lastCall(id);
    return call?.state === 'approval' ? call : undefined;
  });
  await must(app.page, 'agents.decide', { callId: again.id, approval: { approve: true, reason: '', always: true } });
  await approved;
  expect(sourceOf((await readNotebook(file)).cells[0])).toBe('changed');
  expect((await seen()).policy.edit).toBe('allow');
});

test('installing packages is asked about', async () => {
  const { id } = await seen();
  const install = agent.call('python', { cells: [{ code: '%pip install nothing-at-all' }] });
  const asked = await until(async () => {
    const call = await lastCall(id);
    return call?.state === 'approval' ? call : undefined;
  });
  expect(asked.needs).toBe('install');
  await must(app.page, 'agents.decide', { callId: asked.id, approval: { approve: false, reason: '', always: false } });
  expect((await install).isError).toBe(true);
});

test('a turn is taken back without what the person wrote', async () => {
  const { docId, snapshot, file } = await open('one', 'two');
  const { id, turn } = await seen();
  await agent.text('notebook', { notebook_path: file, action: 'edit', cell_id: 'c0', content: 'agent' });
  await agent.text('notebook', { notebook_path: file, action: 'insert', cell_index: 2, content: 'added' });
  await editSource(app.page, snapshot, 1, 'person');
  await must(app.page, 'agents.undoTurn', { agentId: id, turn });
  await must(app.page, 'doc.save', { docId });
  expect((await readNotebook(file)).cells.map(sourceOf)).toEqual(['one', 'person']);
  expect((await seen()).turn).toBe(turn + 1);
});

test('a notebook that no window shows is worked on all the same', async () => {
  const file = await writeNotebook(path.join(place.folder, 'unseen.ipynb'), [codeCell('6 * 7')]);
  expect(await agent.text('notebook_run', { notebook_path: file, select: 'all' })).toContain('| 42');
  expect((await readNotebook(file)).cells[0]!.outputs).toMatchObject([{ data: { 'text/plain': ['42'] } }]);
});

test('the app is restarted in the middle: the cut call says so, the next one works, and the timeline is still there', async () => {
  const file = await writeNotebook(path.join(place.folder, 'restart.ipynb'), [codeCell('1')]);
  const before = await seen();
  const cut = agent.call('python', { cells: [{ code: 'import time; print("begun", flush=True); time.sleep(600)' }], timeout: 600 });
  await until(async () => JSON.stringify((await lastCall(before.id))?.card).includes('begun'));
  await stopApp(app);
  app = await startApp(place);
  const answer = await cut;
  expect(answer.isError).toBe(true);
  expect(await agent.text('notebook_read', { notebook_path: file, cell_id: 'c0' })).toContain('1');
  const after = await until(async () =>
    (await must(app.page, 'agents.list', undefined)).find(({ id, connected }) => id === before.id && connected),
  );
  expect(after.name).toBe('helper');
  const calls = await must(app.page, 'agents.calls', { agentId: before.id, before: null, limit: 100 });
  expect(calls.filter(({ tool }) => tool === 'notebook').length).toBeGreaterThan(2);
  const { mode } = await stat(path.join(place.profile, 'agents', 'endpoint.json'));
  expect(mode & 0o777).toBe(0o600);
  expect(app.problems).toEqual([]);
});

test('the timeline is kept by the line, and its texts are bounded', async () => {
  const { id } = await seen();
  const text = await readFile(path.join(place.profile, 'agents', 'sessions', `${id}.jsonl`), 'utf8');
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
});
