/** A kernel's comm messages, read as what they mean for widgets (ipywidgets' messaging protocol, version 2). Pure. */
import { record } from '../execution/message-content.ts';
import type { JupyterMessage } from '../kernels/messages.ts';
import { withBuffers } from './binary-state.ts';
import type { CommEvent } from './comm-protocol.ts';

const WIDGET_TARGET = 'jupyter.widget';

/** Null for a message that is none of a widget's, e.g. of another comm target. `isOpen` knows the comms of widgets. */
export function commEvent(message: JupyterMessage, isOpen: (commId: string) => boolean): CommEvent | null {
  const { content, buffers } = message;
  const commId = content.comm_id;
  if (typeof commId !== 'string') return null;
  const data = record(content.data);
  switch (message.header.msg_type) {
    case 'comm_open':
      return content.target_name === WIDGET_TARGET ? { kind: 'open', commId, state: stateOf(data, buffers) } : null;
    case 'comm_close':
      return isOpen(commId) ? { kind: 'close', commId } : null;
    case 'comm_msg':
      return isOpen(commId) ? changeOf(commId, data, message) : null;
    default:
      return null;
  }
}

function changeOf(commId: string, data: Record<string, unknown>, { buffers, parent_header }: JupyterMessage): CommEvent | null {
  switch (data.method) {
    case 'update':
      return { kind: 'update', commId, state: stateOf(data, buffers) };
    case 'echo_update':
      return { kind: 'echo', commId, messageId: parent_header.msg_id ?? '', state: stateOf(data, buffers) };
    case 'custom':
      return { kind: 'custom', commId, content: data.content, buffers: buffers.map(ownBytes) };
    default:
      return null;
  }
}

/** Outputs are told as an area's changes, whoever made them (see `output-captures.ts`), and never twice. */
function stateOf(data: Record<string, unknown>, buffers: readonly Uint8Array[]): Record<string, unknown> {
  const { outputs: _told, ...state } = record(data.state);
  return withBuffers(state, Array.isArray(data.buffer_paths) ? data.buffer_paths : [], buffers.map(ownBytes));
}

/** A copy: a view of a frame would travel between processes with all of the memory behind it. */
function ownBytes(view: Uint8Array): Uint8Array {
  return new Uint8Array(view);
}
