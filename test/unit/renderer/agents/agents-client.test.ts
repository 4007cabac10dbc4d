/** The replica of agents and calls: what main says last is right, and nothing is lost or doubled on the way. */
import { beforeEach, describe, expect, it } from 'vitest';
import { AgentsClient, mergeCalls } from '../../../../renderer/agents/agents-client.ts';
import { connectAgents } from '../../../support/agents-harness/connect-agents.ts';
import { edit, plain } from '../../../support/agents-harness/sample-calls.ts';
import { ScriptedAgents } from '../../../support/agents-harness/scripted-agents.ts';
import { FakeMain } from '../../../support/renderer-harness/fake-main.ts';

let main: FakeMain;
let agents: ScriptedAgents;
let client: AgentsClient;

beforeEach(() => {
  main = new FakeMain();
  agents = new ScriptedAgents();
  connectAgents(main, agents);
});

/** A window opens. */
async function open(): Promise<void> {
  client = new AgentsClient(main.bridge);
  await client.begin();
  await settled();
}

const ids = (agentId: string) => client.calls(agentId).map(({ id }) => id);
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const fill = (count: number) => {
  for (let index = 0; index < count; index += 1) agents.put({ agentId: 'a', card: plain('list', `call ${index}`) });
};

describe('at the start', () => {
  it('asks who is here, and for the newest calls of those', async () => {
    agents.come({ id: 'a' });
    agents.come({ id: 'gone', connected: false });
    fill(120);
    await open();
    expect(client.agents.map(({ id }) => id)).toEqual(['a', 'gone']);
    expect(ids('a')).toEqual(Array.from({ length: 50 }, (_, index) => index + 71));
    expect(client.complete('a')).toBe(false);
    expect(ids('gone')).toEqual([]);
    expect([client.met('a'), client.met('gone')]).toEqual([true, false]);
  });

  it('keeps what events brought before the answer', async () => {
    agents.come({ id: 'a' });
    fill(3);
    const opened = open();
    agents.put({ agentId: 'a', state: 'running', card: edit() });
    await opened;
    expect(ids('a')).toEqual([1, 2, 3, 4]);
  });
});

describe('older calls', () => {
  beforeEach(async () => {
    agents.come({ id: 'a' });
    fill(120);
    await open();
  });

  it('come page by page until there are none', async () => {
    await client.loadOlder('a');
    expect(ids('a')).toHaveLength(100);
    await client.loadOlder('a');
    expect(ids('a')).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    expect(client.complete('a')).toBe(true);
    const asked = main.calls.length;
    await client.loadOlder('a');
    expect(main.calls).toHaveLength(asked);
  });

  it('are asked for once, however often a list wants them', async () => {
    const asked = main.calls.length;
    await Promise.all([client.loadOlder('a'), client.loadOlder('a'), client.loadOlder('a')]);
    expect(main.calls).toHaveLength(asked + 1);
  });

  it('are asked for again by a list that is told of a page and is not filled by it', async () => {
    client.on('calls:a', () => void client.loadOlder('a'));
    await client.loadOlder('a');
    await settled();
    expect(ids('a')).toHaveLength(120);
  });

  it('come all at once for the scrubber', async () => {
    await client.loadAll('a');
    expect(ids('a')).toHaveLength(120);
  });

  it('end with an agent that main does not know any more', async () => {
    main.handlers.set('agents.calls', () => {
      throw new Error('There is no such agent.');
    });
    await client.loadAll('a');
    expect(ids('a')).toHaveLength(50);
  });
});

describe('a call', () => {
  beforeEach(async () => {
    agents.come({ id: 'a' });
    await open();
  });

  it('is one card from its beginning to its end, and lives until then', () => {
    const seen: string[] = [];
    client.on('live', () => seen.push(client.live.map(({ state }) => state).join()));
    const [call] = agents.put({ agentId: 'a', state: 'running', card: edit() });
    agents.put({ ...call!, state: 'approval' });
    agents.put({ ...call!, state: 'done' });
    expect(client.calls('a').map(({ state }) => state)).toEqual(['done']);
    expect(seen).toEqual(['running', 'approval', '']);
  });

  it('that is over stays over when a page brings an older state', () => {
    const [running] = agents.put({ agentId: 'a', state: 'running', card: edit() });
    const [done] = agents.put({ ...running!, state: 'done', endedAt: 1 });
    expect(mergeCalls([done!], [running!])).toEqual([done]);
    expect(mergeCalls([running!], [done!])).toEqual([done]);
  });

  it('takes its place in the order, however it comes', () => {
    fill(5);
    const all = agents.calls('a', { before: null, limit: 10 });
    const [one, two, three, four, five] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0]];
    expect(mergeCalls([two, four], [one, three, five, four]).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  });

  it('goes with its agent', () => {
    fill(2);
    main.emit('agents.changed', { agents: [] });
    expect(ids('a')).toEqual([]);
    expect(client.agents).toEqual([]);
  });
});
