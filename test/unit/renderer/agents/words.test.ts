/** Agents and calls in words: what heads, cards and a screen reader say. */
import { describe, expect, it } from 'vitest';
import type { AgentCall, AgentView } from '../../../../preload/agent-sessions.ts';
import { agentNews } from '../../../../renderer/agents/agent-news.tsx';
import { agentWords, approvalQuestion, callLabel, cellHeading, cellsProgress, holdOf } from '../../../../renderer/agents/call-words.ts';
import { artifactOf } from '../../../../renderer/agents/truncation-note.tsx';
import { cell, cells, edit } from '../../../support/agents-harness/sample-calls.ts';
import { ScriptedAgents } from '../../../support/agents-harness/scripted-agents.ts';

const script = new ScriptedAgents();
const agent = script.come({ id: 'a', name: 'refactor' });
const call = (change: Partial<AgentCall>): AgentCall => script.put({ agentId: 'a', card: edit(), ...change })[0]!;
const as = (change: Partial<AgentView>): AgentView => ({ ...agent, ...change });

describe('an agent', () => {
  const running = call({ state: 'running' });
  const waiting = call({ state: 'waiting' });
  const asking = call({ state: 'approval' });
  it.each([
    ['does nothing', as({}), [], 'idle'],
    ['has left', as({ connected: false, paused: true }), [running], 'left'],
    ['runs something', as({}), [running], 'runs notebook'],
    ['waits', as({}), [waiting], 'waiting'],
    ['asks', as({ paused: true }), [running, asking], 'asks you'],
    ['asks more than once', as({}), [asking, asking], '2 questions'],
    ['is paused', as({ paused: true }), [waiting], 'paused'],
    ['is paused in the middle of a call', as({ paused: true }), [running], 'pausing'],
    ['was taken over from', as({ takenOver: true, paused: true }), [], 'taken over'],
  ])('that %s', (_, view, live, words) => {
    expect(agentWords(view, live)).toBe(words);
  });

  it('that is held says what that means for it', () => {
    const waits = { words: 'Waits for a kernel.', since: 7, yours: false };
    expect(holdOf(as({}), [])).toBeNull();
    expect(holdOf(as({ connected: false, paused: true }), [waiting])).toBeNull();
    expect(holdOf(as({ paused: true }), [])).toMatchObject({ words: expect.stringMatching(/next call waits/), since: null });
    expect(holdOf(as({ paused: true }), [waiting])).toMatchObject({ words: expect.stringMatching(/its call waits/) });
    expect(holdOf(as({ paused: true, takenOver: true }), [])).toMatchObject({
      words: expect.stringMatching(/taken over.*give back/),
      yours: true,
    });
    expect(holdOf(as({}), [{ ...waiting, waitingFor: waits.words, waitingSince: waits.since }])).toEqual(waits);
    expect(holdOf(as({}), [{ ...waiting, state: 'approval', waitingFor: 'Edit?', waitingSince: 9 }])).toEqual({
      words: 'Waits for your answer.',
      since: 9,
      yours: true,
    });
  });
});

describe('a call', () => {
  it('is said with tool, action, outcome, time and place', () => {
    const done = call({ state: 'failed', startedAt: 0, endedAt: 2_000, card: edit({ path: '/home/ada/a b.ipynb', cellIndex: 4 }) });
    expect(callLabel(done)).toBe('notebook edit, failed after 2 seconds, a b.ipynb, cell index 4');
    expect(callLabel(call({ state: 'running', card: cells([cell()]) }))).toBe('python 1 cell, running');
    expect(callLabel(call({ state: 'waiting', waitingFor: 'Waits for a kernel.', card: cells([cell()]) }))).toBe(
      'python 1 cell, waiting, Waits for a kernel',
    );
  });

  it('counts its cells, and says which one runs', () => {
    const [done, running, pending] = [cell(), cell({ status: 'running' }), cell({ status: 'pending' })];
    expect(cellsProgress([done, running, pending])).toBe('2/3');
    expect(cellsProgress([running])).toBe('1 cell');
    expect(cellsProgress([done, done])).toBe('2 cells');
  });

  it('that asks has a question in any case', () => {
    expect(approvalQuestion(call({ waitingFor: 'May I?' }), 'refactor')).toBe('May I?');
    expect(approvalQuestion(call({ waitingFor: null, needs: 'restart' }), 'refactor')).toBe(
      'refactor asks to restart or shut down kernels.',
    );
  });

  it('names a cell without a title by its first line', () => {
    expect(cellHeading(cell({ title: 'Load', code: 'x' }), 0)).toBe('Load');
    expect(cellHeading(cell({ code: '\n\n  import os\nos' }), 0)).toBe('import os');
    expect(cellHeading(cell({ code: '\n' }), 2)).toBe('Cell 3');
  });
});

describe('news', () => {
  const asking = call({ state: 'approval', waitingFor: 'May it delete cell 3?' });
  const running = call({ state: 'running' });
  const nobody = { agents: [], live: [] };

  it('are comings, goings and questions, and not each call', () => {
    expect(agentNews(nobody, { agents: [agent], live: [running] })).toEqual(['Agent refactor came.']);
    expect(agentNews({ agents: [agent], live: [] }, { agents: [as({ connected: false })], live: [] })).toEqual(['Agent refactor left.']);
    expect(agentNews({ agents: [agent], live: [running] }, { agents: [agent], live: [running, asking] })).toEqual([
      'refactor asks you: May it delete cell 3?',
    ]);
    expect(agentNews({ agents: [agent], live: [asking] }, { agents: [agent], live: [asking, running] })).toEqual([]);
  });

  it('are none for the sessions of earlier days', () => {
    expect(agentNews(nobody, { agents: [as({ connected: false })], live: [] })).toEqual([]);
  });
});

it('reads addresses of artifacts and nothing else', () => {
  expect(artifactOf('artifact://agent-1/12')).toEqual({ host: 'agent-1', id: '12' });
  for (const other of ['https://a/1', 'artifact://a', 'artifact://a/b/c', 'artifact://a/1?x', '/etc/passwd'])
    expect(artifactOf(other)).toBeNull();
});
