import { expect, test } from 'vitest';
import { nextActivity, noActivity } from '../../../main/kernels/host/activity.ts';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';

function status(state: string, parent: string, type: string): JupyterMessage {
  return {
    channel: 'iopub',
    header: { msg_id: 's', msg_type: 'status' } as unknown as JupyterMessage['header'],
    parent_header: { msg_id: parent, msg_type: type } as JupyterMessage['parent_header'],
    metadata: {},
    content: { execution_state: state },
    buffers: [],
  };
}

const isControl = (id: string): boolean => id.startsWith('control');

type Row = [name: string, messages: [state: string, parent: string, type: string][], said: ('busy' | 'idle' | null)[]];

test.each<Row>([
  [
    'a cell',
    [
      ['busy', 'a', 'execute_request'],
      ['idle', 'a', 'execute_request'],
    ],
    ['busy', 'idle'],
  ],
  [
    'a completion is no work',
    [
      ['busy', 'a', 'complete_request'],
      ['idle', 'a', 'complete_request'],
    ],
    [null, 'idle'],
  ],
  [
    'what goes over control says nothing about the cell',
    [
      ['busy', 'a', 'execute_request'],
      ['busy', 'control-1', 'kernel_info_request'],
      ['idle', 'control-1', 'kernel_info_request'],
      ['idle', 'a', 'execute_request'],
    ],
    ['busy', null, null, 'idle'],
  ],
  [
    'a widget’s message on a subshell does not end the cell',
    [
      ['busy', 'a', 'execute_request'],
      ['busy', 'b', 'comm_msg'],
      ['idle', 'b', 'comm_msg'],
      ['idle', 'a', 'execute_request'],
    ],
    ['busy', 'busy', null, 'idle'],
  ],
  [
    'two idles for one request',
    [
      ['busy', 'a', 'execute_request'],
      ['idle', 'a', 'execute_request'],
      ['idle', 'a', 'execute_request'],
    ],
    ['busy', 'idle', 'idle'],
  ],
  [
    'an idle that was lost is made up for by the next request on shell',
    [
      ['busy', 'a', 'execute_request'],
      ['idle', 'b', 'kernel_info_request'],
    ],
    ['busy', 'idle'],
  ],
  ['starting is neither', [['starting', 'a', 'execute_request']], [null]],
])('%s', (_name, messages, said) => {
  let activity = noActivity;
  const seen = messages.map(([state, parent, type]) => {
    activity = nextActivity(activity, status(state, parent, type), isControl);
    return activity.status;
  });
  expect(seen).toEqual(said);
});

test('a status without a parent says nothing', () => {
  const message = { ...status('idle', 'a', 'execute_request'), parent_header: {} };
  expect(nextActivity(noActivity, message, isControl).status).toBeNull();
});

test('only status messages of iopub count', () => {
  expect(nextActivity(noActivity, { ...status('busy', 'a', 'execute_request'), channel: 'shell' }, isControl).status).toBeNull();
});
