/** The requests of a run, as messages (messaging protocol 5.3). */
import type { JupyterMessage, OutgoingMessage } from '../kernels/messages.ts';
import type { RunStart } from './run-protocol.ts';

export function executeRequest({ runId, code, silent, storeHistory, allowStdin, stopOnError }: RunStart): OutgoingMessage {
  return {
    channel: 'shell',
    type: 'execute_request',
    messageId: runId,
    content: { code, silent, store_history: storeHistory, user_expressions: {}, allow_stdin: allowStdin, stop_on_error: stopOnError },
  };
}

/** Something that every kernel answers and that changes nothing. */
export function question(messageId: string): OutgoingMessage {
  return { channel: 'shell', type: 'kernel_info_request', messageId, content: {} };
}

export function inputReply(request: JupyterMessage['parent_header'], value: string): OutgoingMessage {
  return { channel: 'stdin', type: 'input_reply', parentHeader: request, content: { status: 'ok', value } };
}
