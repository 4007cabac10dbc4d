/** Messages as a kernel would send them, for tests of what is made of them. */
import type { Channel, JupyterMessage } from '../../../main/kernels/messages.ts';

const SHELL = new Set(['execute_reply']);

let count = 0;

/** A message of this type whose parent is the request `parent` (of `parentType`). */
export function message(
  parent: string,
  type: string,
  content: Record<string, unknown>,
  date = '2024-01-01T00:00:00.000000Z',
  parentType = 'execute_request',
): JupyterMessage {
  const channel: Channel = SHELL.has(type) ? 'shell' : 'iopub';
  const header = { msg_id: `message-${count++}`, msg_type: type, date, session: 's', username: 'u', version: '5.3' };
  const parentHeader = parent === '' ? {} : { msg_id: parent, msg_type: parentType, session: 's' };
  return {
    channel,
    header: header as unknown as JupyterMessage['header'],
    parent_header: parentHeader as JupyterMessage['parent_header'],
    metadata: {},
    content,
    buffers: [],
  };
}
