/** The window's calls about agents over the real router, and what windows are told, with a scripted watch behind them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../main/agents/endpoint-file.ts';
import { type AgentCallsOptions, agentCalls, fileStem } from '../../../main/window/agent-calls.ts';
import { feedAgents } from '../../../main/window/agent-feed.ts';
import { type CallHandlers, IpcRouter, type PostHandlers } from '../../../main/window/ipc-router.ts';
import type { View } from '../../../main/window/notebook-feed.ts';
import type { ExportKind, PageWindow } from '../../../main/window/page-window.ts';
import { type AgentCall, agentCallSchemas } from '../../../preload/agent-sessions.ts';
import { edit, plain } from '../../support/agents-harness/sample-calls.ts';
import { OPEN_POLICY, ScriptedAgents } from '../../support/agents-harness/scripted-agents.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let folder: string;
let watch: ScriptedAgents;
let asked: { suggested: string; kind: ExportKind }[];
let answer: string | null;
let router: IpcRouter<PageWindow>;

const window = {
  askForExportPath: async (suggested: string, kind: ExportKind) => {
    asked.push({ suggested, kind });
    return answer;
  },
} as PageWindow;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-agent-calls-'));
  watch = new ScriptedAgents();
  watch.come({ id: 'a', name: '../re: factor' });
  asked = [];
  answer = path.join(folder, 'out.html');
  const handlers = agentCalls(options()) as unknown as CallHandlers<PageWindow>;
  router = new IpcRouter(handlers, {} as PostHandlers<PageWindow>, silent);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const endpoint: Endpoint = { url: 'http://127.0.0.1:4711/mcp', port: 4711, token: 't'.repeat(43), pid: 1, window: true, version: '1' };
let copied: string[];

function options(): AgentCallsOptions {
  const connect = { command: { command: 'node', args: ['/app/cellwright.mjs', 'mcp'] }, folder: () => '/work', endpoint };
  copied = [];
  return { watch, folder, connect, copyText: (text) => copied.push(text) };
}

const call = (name: string, args?: unknown) => router.call(window, name, args);

describe('a call', () => {
  it('gives the agents and pages of their calls', async () => {
    for (let index = 0; index < 5; index += 1) watch.put({ agentId: 'a', card: plain('list', '') });
    expect(await call('agents.list')).toMatchObject({ ok: true, value: [{ id: 'a' }] });
    const page = await call('agents.calls', { agentId: 'a', before: 4, limit: 2 });
    expect(page).toMatchObject({ ok: true, value: [{ id: 2 }, { id: 3 }] });
  });

  it.each(['pause', 'resume', 'takeOver', 'giveBack', 'stop'])('%s is passed on', async (name) => {
    expect(await call(`agents.${name}`, { agentId: 'a' })).toEqual({ ok: true, value: null });
    expect(watch.acts).toEqual([[name, 'a']]);
  });

  it('passes answers, policies and undos on', async () => {
    watch.left = 'Cell 3 was edited since.';
    const [question] = watch.put({ agentId: 'a', state: 'approval', card: edit() });
    const approval = { approve: false, reason: 'not now', always: false };
    const policy = { ...OPEN_POLICY, delete: 'deny' as const };
    expect(await call('agents.decide', { callId: question?.id, approval })).toEqual({ ok: true, value: null });
    expect(await call('agents.setPolicy', { agentId: 'a', policy })).toEqual({ ok: true, value: null });
    expect(await call('agents.undoTurn', { agentId: 'a', turn: 1 })).toEqual({ ok: true, value: { left: 'Cell 3 was edited since.' } });
    expect(watch.acts).toEqual([
      ['decide', question?.id, approval],
      ['setPolicy', 'a', policy],
      ['undoTurn', 'a', 1],
    ]);
  });

  it.each([
    ['agents.calls', { agentId: 'a', before: null, limit: 100_000 }],
    ['agents.setPolicy', { agentId: 'a', policy: { ...OPEN_POLICY, run: 'always' } }],
    ['agents.setPolicy', { agentId: 'a', policy: { read: 'allow' } }],
    ['agents.decide', { callId: 1, approval: { approve: 'yes', reason: '', always: true } }],
    ['agents.decide', { callId: 1, approval: { approve: true, reason: 'x'.repeat(2001), always: true } }],
    ['agents.undoTurn', { agentId: 'a', turn: 0 }],
    ['agents.pause', { agentId: '' }],
    ['agents.list', { agentId: 'a' }],
  ])('%s with %j is refused before it reaches anybody', async (name, args) => {
    expect(await call(name, args)).toMatchObject({ ok: false, error: { code: 'bad-call' } });
    expect(watch.acts).toEqual([]);
  });

  it('about an agent that is gone says so', async () => {
    for (const name of ['agents.stop', 'agents.exportTimeline', 'agents.exportNotebook']) {
      expect(await call(name, { agentId: 'gone' })).toMatchObject({ ok: false, error: { code: 'no-agent' } });
    }
  });

  it('has a handler for every name of the contract', () => {
    expect(Object.keys(agentCalls(options())).sort()).toEqual(Object.keys(agentCallSchemas).sort());
  });
});

describe('clients to connect', () => {
  it('are shown without the token and copied with it', async () => {
    const shown = await call('agents.clients');
    expect(shown).toMatchObject({ ok: true });
    expect(JSON.stringify(shown)).not.toContain(endpoint.token);
    expect(JSON.stringify(shown)).toContain('/app/cellwright.mjs');
    expect(await call('agents.copyClient', { client: 'Any client over HTTP' })).toMatchObject({ ok: true });
    expect(await call('agents.copyClient', { client: 'Claude Code' })).toMatchObject({ ok: true });
    expect(copied).toEqual([
      expect.stringContaining(endpoint.token),
      'claude mcp add cellwright -- node /app/cellwright.mjs mcp --folder /work',
    ]);
  });

  it('that nobody knows are refused with what to do', async () => {
    expect(await call('agents.copyClient', { client: 'Nobody' })).toMatchObject({ ok: false, error: { code: 'no-client' } });
    expect(copied).toEqual([]);
  });
});

describe('an export', () => {
  it('is written where the person says', async () => {
    expect(await call('agents.exportTimeline', { agentId: 'a' })).toEqual({ ok: true, value: { path: answer } });
    expect(await readFile(path.join(folder, 'out.html'), 'utf8')).toContain('<title>');
    expect(asked).toEqual([
      { suggested: path.join(folder, 're-factor-timeline.html'), kind: expect.objectContaining({ extension: 'html' }) },
    ]);
  });

  it('of a notebook is a notebook', async () => {
    answer = path.join(folder, 'out.ipynb');
    await call('agents.exportNotebook', { agentId: 'a' });
    expect(JSON.parse(await readFile(answer, 'utf8'))).toMatchObject({ nbformat: 4 });
    expect(asked[0]?.suggested.endsWith('re-factor-session.ipynb')).toBe(true);
  });

  it('that is cancelled writes nothing', async () => {
    answer = null;
    expect(await call('agents.exportTimeline', { agentId: 'a' })).toEqual({ ok: true, value: { path: null } });
  });

  it('that can’t be written says why', async () => {
    answer = path.join(folder, 'no such folder', 'x.html');
    expect(await call('agents.exportTimeline', { agentId: 'a' })).toMatchObject({ ok: false, error: { code: 'enoent' } });
  });

  it.each([
    ['refactor', 'refactor'],
    ['../../etc/passwd', 'etc-passwd'],
    ['Über agent 2', 'Über-agent-2'],
    ['...', 'agent'],
    ['', 'agent'],
    ['x'.repeat(300), 'x'.repeat(80)],
  ])('of an agent called %j is called %j', (name, stem) => {
    expect(fileStem(name)).toBe(stem);
  });
});

/** A window that takes events, or is behind. */
class Taker implements View {
  readonly id = 1;
  behind = false;
  readonly got: [string, unknown][] = [];
  send(name: string, payload: unknown): void {
    this.got.push([name, payload]);
  }
  get calls(): AgentCall[] {
    return this.got.flatMap(([name, payload]) => (name === 'agents.calls' ? (payload as { calls: AgentCall[] }).calls : []));
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('windows', () => {
  it('are told of agents and calls, in order', async () => {
    const view = new Taker();
    const end = feedAgents(watch, () => [view]);
    watch.come({ id: 'b' });
    watch.put({ agentId: 'b', card: edit() });
    watch.put({ agentId: 'b', card: edit() });
    await until(() => view.calls.length === 2);
    expect(view.got[0]).toMatchObject(['agents.changed', { agents: [{ id: 'a' }, { id: 'b' }] }]);
    expect(view.calls.map(({ id }) => id)).toEqual([1, 2]);
    end();
  });

  it('that are behind get the newest of each call when they have caught up', async () => {
    const [slow, quick] = [new Taker(), new Taker()];
    const end = feedAgents(watch, () => [slow, quick]);
    slow.behind = true;
    const [call] = watch.put({ agentId: 'a', state: 'running', card: edit() });
    await until(() => quick.calls.length === 1);
    for (let step = 0; step < 20; step += 1) watch.put({ ...call!, card: edit({ summary: `step ${step}` }) });
    watch.put({ ...call!, state: 'done' });
    await until(() => quick.calls.at(-1)?.state === 'done');
    expect(slow.got).toEqual([]);
    slow.behind = false;
    await until(() => slow.calls.length > 0);
    expect(slow.calls.map(({ id, state }) => [id, state])).toEqual([[1, 'done']]);
    end();
  });

  it('get large calls in several messages', async () => {
    const view = new Taker();
    const end = feedAgents(watch, () => [view]);
    const source = 'x'.repeat(200_000);
    watch.put(...Array.from({ length: 6 }, () => ({ agentId: 'a', card: edit({ source }) })));
    await until(() => view.calls.length === 6);
    expect(view.got.length).toBeGreaterThanOrEqual(3);
    expect(view.calls.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    end();
  });

  it('that are closed are forgotten, and nobody is told after the end', async () => {
    const [closed, open] = [new Taker(), new Taker()];
    let views = [closed, open];
    const end = feedAgents(watch, () => views);
    closed.behind = true;
    watch.put({ agentId: 'a', card: edit() });
    await until(() => open.calls.length === 1);
    views = [open];
    closed.behind = false;
    watch.put({ agentId: 'a', card: edit() });
    await until(() => open.calls.length === 2);
    expect(closed.got).toEqual([]);
    end();
    watch.put({ agentId: 'a', card: edit() });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(open.calls).toHaveLength(2);
  });
});
