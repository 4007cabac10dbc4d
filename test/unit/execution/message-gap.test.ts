/** Whether something was sent while nobody was connected, from the numbers in ipykernel's message ids. */
import { expect, it } from 'vitest';
import { MessageGap } from '../../../main/execution/message-gap.ts';
import type { Channel, JupyterMessage } from '../../../main/kernels/messages.ts';

const SESSION = '5f1c0a52-e1a3d0_77';

/** A message with this number; `about` is the question it answers, or null for the code that runs. */
function sent(number: number | string, channel: Channel, type: string, about: string | null = null): JupyterMessage {
  const id = typeof number === 'number' ? `${SESSION}_${number}` : number;
  const state = type === 'busy' || type === 'idle' ? type : undefined;
  return {
    channel,
    header: { msg_id: id, msg_type: state ? 'status' : type } as JupyterMessage['header'],
    parent_header: { msg_id: about ?? 'run', msg_type: about ? 'kernel_info_request' : 'execute_request' },
    metadata: {},
    content: state ? { execution_state: state } : {},
    buffers: [],
  };
}

const welcome = (number: number): JupyterMessage => ({ ...sent(number, 'iopub', 'iopub_welcome'), parent_header: {} });
const busy = (number: number, about = 'q1'): JupyterMessage => sent(number, 'iopub', 'busy', about);
const reply = (number: number, about = 'q1'): JupyterMessage => sent(number, 'control', 'kernel_info_reply', about);
const idle = (number: number, about = 'q1'): JupyterMessage => sent(number, 'iopub', 'idle', about);
const printed = (number: number | string): JupyterMessage => sent(number, 'iopub', 'stream');

it.each<[string, JupyterMessage[], boolean | null]>([
  ['the welcome, then the answer', [welcome(11), busy(12)], false],
  ['the answer alone', [busy(11)], false],
  ['an answer whose beginning came too early', [reply(12), idle(13)], false],
  ['the same, with the reply still on its way', [idle(13)], false],
  ['a welcome between beginning and reply', [welcome(12), reply(13), idle(14)], false],
  ['two questions, the first all missed but its reply', [reply(12, 'q1'), busy(14, 'q2')], false],
  ['two questions, the first one’s reply on its way', [busy(14, 'q2')], false],
  ['the same, and one message less', [busy(15, 'q2')], true],
  ['output that came before the answer', [welcome(11), printed(12), busy(13)], false],
  ['one message less', [welcome(12), busy(13)], true],
  ['one message less, and no beginning', [reply(13), idle(14)], true],
  ['many less, seen by the first output', [printed(18)], true],
  ['output that came, after some that didn’t', [printed(12), busy(13)], true],
  ['a kernel with other ids', [printed('d7c5'), busy(13)], null],
  ['a child of the kernel first', [printed('5f1c0a52-e1a3d0_78_3'), busy(11)], false],
])('%s', (_name, messages, missed) => {
  const gap = new MessageGap(`${SESSION}_10`);
  expect(messages.some((message) => gap.isOver(message, ['q1', 'q2']))).toBe(true);
  expect(gap.missed).toBe(missed);
});

it('can’t be told without the last message before it', () => {
  const gap = new MessageGap(null);
  expect(gap.isOver(reply(11))).toBe(false);
  expect(gap.isOver(busy(10))).toBe(true);
  expect(gap.missed).toBeNull();
});
