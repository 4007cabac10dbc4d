/**
 * A widget's comm as its model sees it, over the window instead of a kernel connection. A model sends its next change only when the kernel is done
 * with the last one, so the end of every message is passed back, whatever became of it.
 */
import type { ICallbacks, IClassicComm } from '@jupyter-widgets/base';
import { askWindow } from './parent-link.ts';

/** What the models read of a message. */
export interface CommMessage {
  content: { comm_id: string; data: Record<string, unknown> };
  header: { msg_type: 'comm_msg' | 'comm_close' };
  parent_header: { msg_id?: string };
  metadata: Record<string, never>;
  buffers: DataView[];
}

type Buffers = ArrayBuffer[] | ArrayBufferView[];

export class FrameComm implements IClassicComm {
  readonly comm_id: string;
  readonly target_name = 'jupyter.widget';
  readonly #onSent: (messageId: string, callbacks: ICallbacks | undefined) => void;
  #onMessage: (message: CommMessage) => unknown = () => {};
  #onClose: (message: CommMessage) => unknown = () => {};

  constructor(commId: string, onSent: (messageId: string, callbacks: ICallbacks | undefined) => void) {
    this.comm_id = commId;
    this.#onSent = onSent;
  }

  send(data: unknown, callbacks?: ICallbacks, _metadata?: unknown, buffers: Buffers = []): string {
    const messageId = crypto.randomUUID();
    this.#onSent(messageId, callbacks);
    askWindow({ kind: 'send', commId: this.comm_id, messageId, data: data as Record<string, unknown>, buffers: buffers.map(bytesOf) });
    return messageId;
  }

  on_msg(callback: (message: CommMessage) => unknown): void {
    this.#onMessage = callback;
  }

  on_close(callback: (message: CommMessage) => unknown): void {
    this.#onClose = callback;
  }

  /** Widgets are made and ended by code in the kernel, never here. */
  open(): string {
    return '';
  }

  close(): string {
    return '';
  }

  receive(data: Record<string, unknown>, from: { messageId?: string; buffers?: DataView[] } = {}): void {
    this.#onMessage(this.#message('comm_msg', data, from));
  }

  closed(): void {
    this.#onClose(this.#message('comm_close', {}, {}));
  }

  #message(
    type: 'comm_msg' | 'comm_close',
    data: Record<string, unknown>,
    from: { messageId?: string; buffers?: DataView[] },
  ): CommMessage {
    return {
      content: { comm_id: this.comm_id, data },
      header: { msg_type: type },
      parent_header: from.messageId === undefined ? {} : { msg_id: from.messageId },
      metadata: {},
      buffers: from.buffers ?? [],
    };
  }
}

/** A copy: what is sent must not change on its way, nor bring the memory around it. */
function bytesOf(buffer: ArrayBuffer | ArrayBufferView): Uint8Array {
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer.slice(0))
    : new Uint8Array(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) as ArrayBuffer);
}

/** A value with every Uint8Array as the DataView that widgets expect. */
export function withViews(value: unknown): unknown {
  if (value instanceof Uint8Array) return new DataView(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map(withViews);
  if (typeof value !== 'object' || value === null || value instanceof DataView) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withViews(each)]));
}
