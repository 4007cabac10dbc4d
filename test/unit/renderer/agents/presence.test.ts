/** Where agents are on a notebook, and what their flag says. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentsClient } from '../../../../renderer/agents/agents-client.ts';
import { flagWords } from '../../../../renderer/agents/cell-agents.tsx';
import { Presence } from '../../../../renderer/agents/presence.ts';
import { connectAgents } from '../../../support/agents-harness/connect-agents.ts';
import { cell, cells } from '../../../support/agents-harness/sample-calls.ts';
import { ScriptedAgents } from '../../../support/agents-harness/scripted-agents.ts';
import { FakeMain } from '../../../support/renderer-harness/fake-main.ts';

let agents: ScriptedAgents;
let presence: Presence;
let told: string[];

beforeEach(() => {
  vi.useFakeTimers();
  const main = new FakeMain();
  agents = new ScriptedAgents();
  connectAgents(main, agents);
  presence = new Presence(new AgentsClient(main.bridge));
  told = [];
  for (const key of ['x', 'y']) presence.on('doc', key, () => told.push(key));
  agents.come({ id: 'a', name: 'refactor', hue: 3 });
});
afterEach(() => {
  vi.useRealTimers();
});

const names = (key: string) => presence.at('doc', key).map(({ name }) => name);
const to = (key: string | null) => agents.change('a', { cursor: key === null ? null : { docId: 'doc', key } });

describe('a mark', () => {
  it('is where the agent is, and only that cell is told', () => {
    to('x');
    expect(presence.at('doc', 'x')).toEqual([{ agentId: 'a', name: 'refactor', hue: 3, here: true, runs: false }]);
    expect(presence.at('other', 'x')).toEqual([]);
    expect(told).toEqual(['x']);
  });

  it('stays for a moment after the agent has gone on', () => {
    to('x');
    to('y');
    expect([names('x'), names('y')]).toEqual([['refactor'], ['refactor']]);
    vi.advanceTimersByTime(10_000);
    expect([names('x'), names('y')]).toEqual([[], ['refactor']]);
    to(null);
    expect(names('y')).toEqual(['refactor']);
    vi.advanceTimersByTime(10_000);
    expect(names('y')).toEqual([]);
  });

  it('is the same until it changes', () => {
    to('x');
    const marks = presence.at('doc', 'x');
    agents.change('a', { turn: 2 });
    expect(presence.at('doc', 'x')).toBe(marks);
    expect(told).toEqual(['x']);
  });

  it('goes with the agent', () => {
    to('x');
    agents.change('a', { connected: false });
    expect(names('x')).toEqual([]);
  });

  it('of two agents in one cell are two', () => {
    agents.come({ id: 'b', name: 'plots', cursor: { docId: 'doc', key: 'x' } });
    to('x');
    expect(names('x')).toEqual(['refactor', 'plots']);
  });

  it('is on every cell of a run while it goes on', () => {
    const [call] = agents.put({ agentId: 'a', state: 'running', docId: 'doc', cellKeys: ['x', 'y'], card: cells([cell(), cell()]) });
    expect([names('x'), names('y')]).toEqual([['refactor'], ['refactor']]);
    expect(presence.at('doc', 'x')[0]).toMatchObject({ runs: true, here: false });
    agents.put({ ...call!, state: 'done' });
    expect([names('x'), names('y')]).toEqual([[], []]);
  });
});

describe('a flag', () => {
  const agent = { agentId: 'a', name: 'refactor', hue: 0, here: false, runs: true };
  it.each([
    ['running', 'run by refactor'],
    ['queued', 'queued by refactor'],
    ['done', null],
    ['idle', null],
  ] as const)('on a cell of its run that is %s says %s', (run, words) => {
    expect(flagWords(agent, run)).toBe(words);
  });

  it('where it edits says its name alone, also while somebody else runs the cell', () => {
    expect(flagWords({ ...agent, runs: false, here: true }, 'running')).toBe('refactor');
    expect(flagWords({ ...agent, here: true }, 'done')).toBe('refactor');
  });
});
