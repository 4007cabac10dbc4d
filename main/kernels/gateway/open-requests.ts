/**
 * The requests that a connection has sent and not heard the end of: what a cut puts in doubt. Pure but for the map it keeps. After a cut
 * another request follows on shell; the kernel answers in order, so its answer proves that those before it are past being answered.
 */
import type { JupyterMessage, OutgoingMessage } from '../messages.ts';

interface OpenRequest {
  /** As a parent for messages of ours about it. */
  header: JupyterMessage['parent_header'];
  channel: OutgoingMessage['channel'];
  replied: boolean;
  idle: boolean;
}

export class OpenRequests {
  readonly #requests = new Map<string, OpenRequest>();

  /** Messages of comms and answers to input have no end to be heard. */
  sent({ channel, type }: OutgoingMessage, messageId: string, session: string): void {
    if (!type.endsWith('_request')) return;
    this.#requests.set(messageId, { header: { msg_id: messageId, msg_type: type, session }, channel, replied: false, idle: false });
  }

  heard({ channel, parent_header, header, content }: JupyterMessage): void {
    const id = parent_header.msg_id;
    const request = id === undefined ? undefined : this.#requests.get(id);
    if (id === undefined || !request) return;
    if (channel === request.channel) request.replied = true;
    if (channel === 'iopub' && header.msg_type === 'status' && content.execution_state === 'idle') request.idle = true;
    // Not every kernel says idle for what is no code.
    if (request.replied && (request.idle || request.header.msg_type !== 'execute_request')) this.#requests.delete(id);
  }

  /** Parents of the code that runs or waits in the kernel: outputs of these may have been missed. */
  running(): JupyterMessage['parent_header'][] {
    return [...this.#requests.values()].filter(({ header }) => header.msg_type === 'execute_request').map(({ header }) => header);
  }

  /** Ids of those on shell that are open now. */
  onShell(): string[] {
    return [...this.#requests].filter(([, { channel }]) => channel === 'shell').map(([id]) => id);
  }

  /** Forgets these; gives the ones among them that were still open. */
  giveUp(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#requests.delete(id));
  }
}
