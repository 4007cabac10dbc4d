/**
 * What the messages of a server say about a kernel's end, which requests a cut leaves open, and the state that is shown: tables of values.
 */
import { describe, expect, it } from 'vitest';
import { endIn, endMessage, type KernelEnd, sessionOf } from '../../../main/kernels/gateway/kernel-end.ts';
import { OpenRequests } from '../../../main/kernels/gateway/open-requests.ts';
import { ShownState } from '../../../main/kernels/gateway/shown-state.ts';
import type { KernelState } from '../../../main/kernels/kernel.ts';
import type { Channel, JupyterMessage } from '../../../main/kernels/messages.ts';

const OURS = 'our-session';
const KERNEL = 'kernel-session';

function message(
  channel: Channel,
  type: string,
  content: Record<string, unknown>,
  ids: { session?: string; parent?: string; parentSession?: string } = {},
): JupyterMessage {
  const { session = KERNEL, parent = 'a-request', parentSession = OURS } = ids;
  return {
    channel,
    header: { msg_id: 'm', msg_type: type, session, username: '', date: '', version: '5.3' } as JupyterMessage['header'],
    parent_header: { msg_id: parent, session: parentSession },
    metadata: {},
    content,
    buffers: [],
  };
}

describe('the end of a kernel', () => {
  it.each<[string, JupyterMessage, KernelEnd | null]>([
    ['the server restarts it', message('iopub', 'status', { execution_state: 'restarting' }, { session: OURS }), 'restarted'],
    ['the server gives it up', message('iopub', 'status', { execution_state: 'dead' }, { session: OURS }), 'dead'],
    ['it works', message('iopub', 'status', { execution_state: 'busy' }), null],
    ['it says goodbye', message('iopub', 'shutdown_reply', { restart: false }), 'gone'],
    ['it says goodbye for a restart', message('iopub', 'shutdown_reply', { restart: true }), 'restarted-by-other'],
    ['another process answers us', message('shell', 'execute_reply', {}, { session: 'another' }), 'restarted-by-other'],
    ['the same process answers us', message('shell', 'execute_reply', {}), null],
    ['a kernel repeats our session', message('shell', 'execute_reply', {}, { session: OURS }), null],
    ['another process answers somebody else', message('iopub', 'stream', {}, { session: 'another', parentSession: 'theirs' }), null],
    ['a program prints the word', message('iopub', 'stream', { execution_state: 'dead' }), null],
  ])('%s', (_name, heard, end) => {
    expect(endIn(heard, KERNEL, OURS)).toBe(end);
  });

  it('is nothing that a first answer shows', () => {
    const first = message('shell', 'kernel_info_reply', {}, { session: 'another' });
    expect(endIn(first, null, OURS)).toBeNull();
    expect(sessionOf(first, OURS)).toBe('another');
    expect(sessionOf(message('iopub', 'status', {}), OURS)).toBeNull();
  });

  it('is one sentence', () => {
    for (const end of ['restarted', 'restarted-by-other', 'dead', 'gone', 'refused'] as const)
      expect(endMessage(end)).toMatch(/^The .*\.$/);
  });
});

describe('open requests', () => {
  const idle = (parent: string): JupyterMessage => message('iopub', 'status', { execution_state: 'idle' }, { parent });
  const reply = (parent: string, channel: Channel = 'shell'): JupyterMessage => message(channel, 'execute_reply', {}, { parent });

  it.each<[string, JupyterMessage[], string[]]>([
    ['nothing came', [], ['run']],
    ['the reply came', [reply('run')], ['run']],
    ['its idle came', [idle('run')], ['run']],
    ['both came', [reply('run'), idle('run')], []],
    ['both came the other way round', [idle('run'), reply('run')], []],
    ['another’s came', [reply('other'), idle('other')], ['run']],
    ['a reply on another channel came', [reply('run', 'control'), idle('run')], ['run']],
  ])('%s', (_name, heard, open) => {
    const requests = new OpenRequests();
    requests.sent({ channel: 'shell', type: 'execute_request', content: {} }, 'run', OURS);
    for (const one of heard) requests.heard(one);
    expect(requests.onShell()).toEqual(open);
    expect(requests.running().map(({ msg_id }) => msg_id)).toEqual(open);
  });

  it('that are no code need no idle; answers to input and messages of comms are none', () => {
    const requests = new OpenRequests();
    requests.sent({ channel: 'control', type: 'interrupt_request', content: {} }, 'stop', OURS);
    requests.sent({ channel: 'stdin', type: 'input_reply', content: {} }, 'answer', OURS);
    requests.sent({ channel: 'shell', type: 'comm_msg', content: {} }, 'slider', OURS);
    expect(requests.onShell()).toEqual([]);
    requests.heard(message('control', 'interrupt_reply', {}, { parent: 'stop' }));
    expect(requests.giveUp(['stop', 'answer'])).toEqual([]);
  });

  it('are given up once', () => {
    const requests = new OpenRequests();
    for (const id of ['a', 'b', 'c']) requests.sent({ channel: 'shell', type: 'complete_request', content: {} }, id, OURS);
    requests.heard(reply('b'));
    requests.heard(idle('b'));
    expect(requests.running()).toEqual([]);
    expect(requests.giveUp(['a', 'b'])).toEqual(['a']);
    expect(requests.giveUp(['a', 'b'])).toEqual([]);
    expect(requests.onShell()).toEqual(['c']);
  });
});

it('the state that is shown follows what is known, and changes are told once', () => {
  const told: KernelState[] = [];
  const state = new ShownState((shown) => told.push(shown));
  for (const change of [
    { working: true },
    { phase: 'running' },
    { working: true },
    { beating: false },
    { working: false },
    { beating: true },
    { phase: 'restarting', beating: false },
    { phase: 'dead' },
  ] as const)
    state.know(change);
  expect(told).toEqual(['busy', 'not-responding', 'idle', 'restarting', 'dead']);
  expect(state.shown).toBe('dead');
});
