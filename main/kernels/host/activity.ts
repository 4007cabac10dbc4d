/**
 * Whether a kernel works, from its status messages. Pure. Not every `busy` is work: completions, and whatever goes over control, come
 * while a cell runs, and their `idle` says nothing about the cell. So what counts is the set of requests being worked on.
 */
import type { JupyterMessage } from '../messages.ts';

/** Only these run the user's code. */
const WORK: ReadonlySet<string> = new Set(['execute_request', 'comm_open', 'comm_msg', 'comm_close']);

export interface Activity {
  /** Ids of the requests being worked on. */
  readonly open: ReadonlySet<string>;
  /** What this message says about the kernel, null when nothing. */
  readonly status: 'busy' | 'idle' | null;
}

export const noActivity: Activity = { open: new Set(), status: null };

/**
 * The activity after one message. `isControl` knows the ids of requests sent on control. An `idle` for any other request on shell means
 * that everything sent there before it is done, also when its own idle was lost with a connection.
 */
export function nextActivity({ open }: Activity, message: JupyterMessage, isControl: (messageId: string) => boolean): Activity {
  const nothing: Activity = { open, status: null };
  if (message.channel !== 'iopub' || message.header.msg_type !== 'status') return nothing;
  const { msg_id: parent, msg_type: type } = message.parent_header;
  if (parent === undefined || type === undefined || isControl(parent)) return nothing;
  switch (message.content.execution_state) {
    case 'busy':
      return WORK.has(type) ? { open: new Set([...open, parent]), status: 'busy' } : nothing;
    case 'idle': {
      const left = WORK.has(type) ? [...open].filter((id) => id !== parent) : [];
      return { open: new Set(left), status: left.length === 0 ? 'idle' : null };
    }
    default:
      return nothing;
  }
}
