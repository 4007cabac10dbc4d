/** The registry of agent sessions and its record on disk: who is there, what waits for a person, and what the next start knows of it. */
import { appendFile, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Agent } from '../../../main/agents/agent.ts';
import { AgentSessions, type AgentSessionsOptions } from '../../../main/agents/agent-sessions.ts';
import type { Call } from '../../../main/agents/call.ts';
import { TimelineFiles } from '../../../main/agents/timeline-files.ts';
import { silentLog } from '../../../main/log/log.ts';
import type { AgentCall, CallCard, Permission } from '../../../preload/agent-sessions.ts';

let folder: string;
let undone: unknown[];
let opened: AgentSessions[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sessions-'));
  undone = [];
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((sessions) => sessions.close()));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function open(options: Partial<AgentSessionsOptions> = {}): Promise<AgentSessions> {
  const sessions = await AgentSessions.open({
    folder,
    canAsk: true,
    cardFolder: () => null,
    undo: async (turn, edited) => {
      undone.push([turn, edited]);
      return null;
    },
    stopRuns: async () => {},
    log: silentLog,
    ...options,
  });
  opened.push(sessions);
  return sessions;
}

const connect = (sessions: AgentSessions, id: string, name = id): Agent =>
  sessions.connect({ id, name, client: 'test 1.0', folders: ['/project'] });
const plain = (title: string): CallCard => ({ kind: 'plain', title, summary: '', detail: null });

function begin(
  sessions: AgentSessions,
  agent: Agent,
  needs: Permission = 'run',
  card = plain('work'),
  signal = new AbortController().signal,
): Call {
  return sessions.begin(agent, { tool: card.kind === 'notebook' ? 'notebook' : 'python', needs, card }, signal, () => {});
}

/** What windows are told of calls until a condition holds for the newest state of one. */
function told(sessions: AgentSessions, holds: (call: AgentCall) => boolean): Promise<AgentCall> {
  return new Promise((resolve) => {
    const end = sessions.onCalls((calls) => {
      const call = calls.find(holds);
      if (!call) return;
      end();
      resolve(call);
    });
  });
}

function recorded(id: string): Promise<AgentCall[]> {
  return readFile(path.join(folder, `${id}.jsonl`), 'utf8').then((text) =>
    text.split('\n').flatMap((line) => {
      const call = line === '' ? undefined : (JSON.parse(line) as { call?: AgentCall }).call;
      return call ? [call] : [];
    }),
  );
}

describe('who is there', () => {
  test('each has a name and a hue of its own, and finds both again', async () => {
    const sessions = await open();
    const first = connect(sessions, 'a', 'refactor');
    const second = connect(sessions, 'b', 'refactor');
    expect(sessions.agents().map(({ name }) => name)).toEqual(['refactor', 'refactor 2']);
    expect(first.hue).not.toBe(second.hue);
    sessions.disconnect(first);
    expect(sessions.agents().map(({ connected }) => connected)).toEqual([false, true]);
    expect(connect(sessions, 'a', 'another name')).toBe(first);
    expect(first.view()).toMatchObject({ name: 'refactor', connected: true });
  });

  test('eight at once have eight hues', async () => {
    const sessions = await open();
    const hues = Array.from({ length: 8 }, (_, index) => connect(sessions, `agent-${index}`).hue);
    expect(new Set(hues).size).toBe(8);
  });

  test('a policy is kept over a start, and a pause is not', async () => {
    const sessions = await open();
    const { policy } = connect(sessions, 'a');
    sessions.setPolicy('a', { ...policy, edit: 'ask' });
    sessions.pause('a');
    await sessions.close();
    const [agent] = (await open()).agents();
    expect(agent).toMatchObject({ id: 'a', connected: false, paused: false, policy: { ...policy, edit: 'ask' } });
  });
});

describe('a call', () => {
  test('of a paused agent waits, says since when, and goes on', async () => {
    const sessions = await open();
    const agent = connect(sessions, 'a');
    sessions.pause('a');
    const call = begin(sessions, agent);
    const permitted = call.permit('');
    const waiting = await told(sessions, ({ state }) => state === 'waiting');
    expect(waiting.waitingFor).toMatch(/paused/);
    expect(waiting.waitingSince).toBeGreaterThanOrEqual(waiting.startedAt);
    sessions.resume('a');
    await permitted;
    expect(call.value).toMatchObject({ state: 'running', waitingFor: null, waitingSince: null });
  });

  test('that moves up in a line has waited since it came', async () => {
    const sessions = await open();
    const call = begin(sessions, connect(sessions, 'a'));
    call.waits('second');
    const since = call.value.waitingSince;
    expect(since).not.toBeNull();
    call.waits('next');
    expect(call.value).toMatchObject({ state: 'waiting', waitingFor: 'next', waitingSince: since });
    call.waits(null);
    expect(call.value).toMatchObject({ state: 'running', waitingSince: null });
  });

  test('that asks is answered once; “always” changes the policy', async () => {
    const sessions = await open();
    const agent = connect(sessions, 'a');
    sessions.setPolicy('a', { ...agent.policy, edit: 'ask' });
    const refused = begin(sessions, agent, 'edit');
    const permission = refused.permit('Edit it?');
    expect(refused.value).toMatchObject({ state: 'approval', waitingFor: 'Edit it?' });
    sessions.decide(refused.value.id, { approve: false, reason: 'keep it', always: false });
    await expect(permission).rejects.toThrow(/refused.*keep it/);
    const approved = begin(sessions, agent, 'edit');
    const second = approved.permit('Edit it?');
    sessions.decide(approved.value.id, { approve: true, reason: '', always: true });
    await second;
    expect(agent.policy.edit).toBe('allow');
    await begin(sessions, agent, 'edit').permit('Edit it?');
  });

  test('of an agent that was taken over is stopped, and the next one may only read', async () => {
    const stopped: string[] = [];
    const sessions = await open({ stopRuns: async (agentId) => void stopped.push(agentId) });
    const agent = connect(sessions, 'a');
    const running = begin(sessions, agent);
    await running.permit('');
    await sessions.takeOver('a');
    expect(running.signal.aborted).toBe(true);
    expect(stopped).toEqual(['a']);
    await expect(begin(sessions, agent, 'edit').permit('')).rejects.toThrow(/taken over/);
    await begin(sessions, agent, 'read').permit('');
    const { turn } = agent;
    sessions.giveBack('a');
    expect(agent.turn).toBe(turn + 1);
  });

  test('is told to windows with its last state, however often it changed', async () => {
    const sessions = await open();
    const call = begin(sessions, connect(sessions, 'a'));
    const news = told(sessions, () => true);
    for (let step = 0; step < 100; step += 1) call.show(plain(`step ${step}`));
    expect((await news).card).toEqual(plain('step 99'));
  });

  test('that is over at once is seen at its cell all the same, and then no more', async () => {
    const sessions = await open();
    const agent = connect(sessions, 'a');
    const seen: unknown[] = [];
    sessions.onAgents(([view]) => void seen.push(view?.cursor));
    const call = begin(sessions, agent, 'edit');
    sessions.pointAt(agent, { docId: 'doc', key: 'cell' });
    sessions.end(call, 'done');
    await expect.poll(() => seen, { timeout: 15_000 }).toEqual([{ docId: 'doc', key: 'cell' }, null]);
  });

  test('that ends twice is recorded once', async () => {
    const sessions = await open();
    const call = begin(sessions, connect(sessions, 'a'));
    sessions.end(call, 'done');
    sessions.end(call, 'failed');
    await sessions.close();
    expect((await recorded('a')).map(({ state }) => state)).toEqual(['done']);
  });

  test('that runs Python in a kernel of its own is what quitting asks about', async () => {
    const sessions = await open();
    const agent = connect(sessions, 'a', 'refactor');
    const cells = (file: string | null): CallCard => ({ kind: 'cells', path: file, cwd: '/home/ada/project', cells: [], summary: '' });
    begin(sessions, agent, 'run', cells('/x.ipynb'));
    const call = begin(sessions, agent, 'run', cells(null));
    expect(sessions.runningPython()).toEqual([{ name: 'refactor', folder: 'project' }]);
    call.waits('for a kernel');
    expect(sessions.runningPython()).toEqual([]);
  });
});

test('a turn that is taken back names the notebooks it edited, and is over', async () => {
  const sessions = await open();
  const agent = connect(sessions, 'a');
  const { turn } = agent;
  for (const [docId, state] of [
    ['doc-1', 'done'],
    ['doc-1', 'done'],
    ['doc-2', 'failed'],
  ] as const) {
    const card: CallCard = {
      kind: 'notebook',
      action: 'edit',
      path: `/${docId}.ipynb`,
      cellIndex: 0,
      cellType: 'code',
      summary: '',
      source: '',
      before: '',
    };
    const call = begin(sessions, agent, 'edit', card);
    call.at(docId, ['key']);
    sessions.end(call, state);
  }
  expect(await sessions.undoTurn('a', turn)).toBeNull();
  expect(undone).toEqual([[{ agentId: 'a', turn: String(turn) }, [{ docId: 'doc-1', path: '/doc-1.ipynb' }]]]);
  expect(agent.turn).toBe(turn + 1);
  expect(() => sessions.pause('nobody')).toThrow();
});

describe('the record', () => {
  test('is there after a start, and new calls come after it', async () => {
    const sessions = await open();
    const agent = connect(sessions, 'a');
    for (const title of ['one', 'two']) sessions.end(begin(sessions, agent, 'run', plain(title)), 'done');
    await sessions.close();
    const again = await open();
    const calls = again.calls('a', { before: null, limit: 10 });
    expect(calls.map(({ card }) => card)).toEqual([plain('one'), plain('two')]);
    const next = begin(again, connect(again, 'a'));
    expect(next.value.id).toBeGreaterThan(calls.at(-1)!.id);
    expect(again.calls('a', { before: next.value.id, limit: 1 }).map(({ id }) => id)).toEqual([calls[1]!.id]);
  });

  test('says of a call that goes on at the app’s end that it was cut', async () => {
    const sessions = await open();
    const card: CallCard = {
      kind: 'cells',
      path: null,
      cwd: '/',
      summary: '',
      cells: (['complete', 'running', 'pending'] as const).map((status) => ({
        title: status,
        code: '',
        status,
        text: 'so far',
        truncation: null,
        durationMs: null,
        executionCount: null,
        images: [],
        json: [],
        statusEvents: [],
      })),
    };
    begin(sessions, connect(sessions, 'a'), 'run', card);
    await sessions.close();
    const [call] = (await open()).calls('a', { before: null, limit: 10 });
    expect(call).toMatchObject({
      state: 'cancelled',
      waitingFor: null,
      card: { summary: expect.stringMatching(/^Error: Cellwright ended/) },
    });
    expect(call?.endedAt).not.toBeNull();
    expect(call?.card.kind === 'cells' && call.card.cells.map(({ status, text }) => [status, text])).toEqual([
      ['complete', 'so far'],
      ['error', 'so far'],
      ['pending', 'so far'],
    ]);
  });

  test('has a lasting call before its end, so that it is known after a kill, with the same end at every start', async () => {
    const sessions = await open();
    const call = begin(sessions, connect(sessions, 'a'));
    await expect.poll(() => recorded('a'), { timeout: 15_000 }).toEqual([expect.objectContaining({ id: call.value.id, endedAt: null })]);
    const file = path.join(folder, 'a.jsonl');
    const { mtimeMs } = await stat(file);
    const ends: (number | null | undefined)[] = [];
    // What is in memory of the first is as good as gone: the file alone is looked at.
    for (let start = 0; start < 2; start += 1) {
      const again = await open();
      const [cut] = again.calls('a', { before: null, limit: 10 });
      expect(cut?.state).toBe('cancelled');
      ends.push(cut?.endedAt);
      connect(again, 'a');
      await again.close();
    }
    expect(ends).toEqual([mtimeMs, mtimeMs]);
  });

  test('is read up to a line that was cut, and past what is no line of it', async () => {
    const sessions = await open();
    const agent = connect(sessions, 'a');
    for (const title of ['one', 'two']) sessions.end(begin(sessions, agent, 'run', plain(title)), 'done');
    await sessions.close();
    await appendFile(path.join(folder, 'a.jsonl'), 'null\n[]\n{"call":{"id":3}}\n{"call":{"id":4,"agentId":"a","card":{"kind":"pl');
    await writeFile(path.join(folder, 'empty.jsonl'), '');
    await writeFile(path.join(folder, 'NOT-OURS.jsonl'), '{}');
    const again = await open();
    expect(again.agents().map(({ id }) => id)).toEqual(['a']);
    expect(again.calls('a', { before: null, limit: 10 }).map(({ card }) => card)).toEqual([plain('one'), plain('two')]);
  });

  test('of many sessions is that of the newest, and the oldest are removed', async () => {
    const sessions = await open();
    const view = connect(sessions, 'a').view();
    await sessions.close();
    for (let index = 0; index < 310; index += 1) {
      const file = path.join(folder, `s-${String(index).padStart(3, '0')}.jsonl`);
      await writeFile(file, `${JSON.stringify({ agent: { ...view, id: path.basename(file, '.jsonl') } })}\n`);
      await utimes(file, 1_000 + index, 1_000 + index);
    }
    const restored = await new TimelineFiles(folder, silentLog).restore();
    expect(restored).toHaveLength(20);
    expect(restored.slice(-2).map(({ agent }) => agent.id)).toEqual(['s-309', 'a']);
    await expect(stat(path.join(folder, 's-000.jsonl'))).rejects.toThrow(/ENOENT/);
    await stat(path.join(folder, 's-309.jsonl'));
  });

  test('that is long is read from its end', async () => {
    const sessions = await open();
    const agent = connect(sessions, 'a');
    const text = 'x'.repeat(2_000);
    for (let index = 0; index < 600; index += 1)
      sessions.end(begin(sessions, agent, 'run', { ...plain(`call ${index}`), detail: text } as CallCard), 'done');
    await sessions.close();
    const again = await open();
    const calls = again.calls('a', { before: null, limit: 1_000 });
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.length).toBeLessThan(600);
    expect(calls.at(-1)?.card).toMatchObject({ title: 'call 599' });
  });

  test('that can’t be written costs nothing but itself', async () => {
    const blocked = path.join(folder, 'file');
    await writeFile(blocked, '');
    const sessions = await open({ folder: path.join(blocked, 'below') });
    sessions.end(begin(sessions, connect(sessions, 'a')), 'done');
    await sessions.close();
    expect(sessions.calls('a', { before: null, limit: 1 })).toHaveLength(1);
  });
});
