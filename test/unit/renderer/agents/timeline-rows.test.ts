/** Calls as rows: turns, search, and the scrubber's cut. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentCall } from '../../../../preload/agent-sessions.ts';
import { filterChoices, lastChangedTurn, NO_FILTER, scrubPlace, timelineRows } from '../../../../renderer/agents/timeline-rows.ts';
import { cell, cells, edit, plain } from '../../../support/agents-harness/sample-calls.ts';
import { ScriptedAgents } from '../../../support/agents-harness/scripted-agents.ts';

let agents: ScriptedAgents;
let calls: AgentCall[];

beforeEach(() => {
  agents = new ScriptedAgents();
  agents.come({ id: 'a' });
  agents.put({ agentId: 'a', card: plain('outline', 'Three cells') });
  agents.put({ agentId: 'a', card: edit({ source: 'Needle = 1', before: 'x' }) });
  agents.change('a', { turn: 2 });
  agents.put({ agentId: 'a', state: 'failed', card: edit({ summary: 'Error: out of range' }) });
  agents.put({ agentId: 'a', card: cells([cell({ code: 'fit()', text: 'the needle is here' })]) });
  calls = agents.calls('a', { before: null, limit: 50 });
});

const shown = (...args: Parameters<typeof timelineRows>) =>
  timelineRows(...args).map((row) => (row.kind === 'turn' ? `turn ${row.turn}` : row.call.id));

describe('the rows', () => {
  it('are the calls under the heads of their turns', () => {
    expect(shown(calls, NO_FILTER, null)).toEqual(['turn 1', 1, 2, 'turn 2', 3, 4]);
  });

  it('know which turns changed a notebook', () => {
    const turns = timelineRows(calls, NO_FILTER, null).filter((row) => row.kind === 'turn');
    expect(turns.map(({ changed, calls: count }) => [changed, count])).toEqual([
      [true, 2],
      [false, 2],
    ]);
    expect(lastChangedTurn(calls)).toBe(1);
    expect(lastChangedTurn([])).toBeNull();
  });

  it.each([
    ['a tool', { tool: 'notebook' }, ['turn 1', 2, 'turn 2', 3]],
    ['a state', { state: 'failed' as const }, ['turn 2', 3]],
    ['a turn', { turn: 1 }, ['turn 1', 1, 2]],
    ['words of source and output, whatever their case', { text: ' NEEDLE ' }, ['turn 1', 2, 'turn 2', 4]],
    ['words of an error', { text: 'out of range' }, ['turn 2', 3]],
    ['several at once', { tool: 'notebook', turn: 2, text: 'error' }, ['turn 2', 3]],
    ['what is not there', { text: 'nothing like it' }, []],
  ])('are narrowed by %s', (_, filter, expected) => {
    expect(shown(calls, { ...NO_FILTER, ...filter }, null)).toEqual(expected);
  });

  it('end where the scrubber stands, with turns as they were then', () => {
    expect(shown(calls, NO_FILTER, 1)).toEqual(['turn 1', 1]);
    const [turn] = timelineRows(calls, NO_FILTER, 1);
    expect(turn).toMatchObject({ changed: false, calls: 1 });
  });

  it('have keys that are never the same, also when turns are mixed', () => {
    const mixed = [calls[0]!, calls[2]!, calls[1]!, calls[3]!];
    const keys = timelineRows(mixed, NO_FILTER, null).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

it('offers the tools and turns there are', () => {
  expect(filterChoices(calls)).toEqual({ tools: ['kernel', 'notebook', 'python'], turns: [1, 2] });
});

it('finds the scrubber’s place, also of a call that is not kept', () => {
  expect(scrubPlace(calls, null)).toBe(3);
  expect(scrubPlace(calls, 2)).toBe(1);
  expect(scrubPlace([calls[0]!, calls[3]!], 3)).toBe(0);
});
