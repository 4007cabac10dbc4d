/**
 * Jupyter messages as the program passes them around: the shape of `@jupyterlab/services` (messaging protocol 5.3), so that both transports
 * speak the same types. Only decoded messages with a checked signature are ever of this type.
 */
import type { KernelMessage } from '@jupyterlab/services';

export type Channel = 'shell' | 'control' | 'iopub' | 'stdin';

export interface JupyterMessage {
  channel: Channel;
  header: KernelMessage.IHeader<KernelMessage.MessageType>;
  /** Empty object when the message has no parent (e.g. the welcome of iopub). */
  parent_header: Partial<KernelMessage.IHeader<KernelMessage.MessageType>>;
  metadata: Record<string, unknown>;
  content: Record<string, unknown>;
  buffers: Uint8Array[];
}

/** A message on its way to the kernel; header fields not given are filled in by the connection. */
export interface OutgoingMessage {
  channel: Exclude<Channel, 'iopub'>;
  type: KernelMessage.MessageType;
  content: Record<string, unknown>;
  /** Chosen by the caller where the answer has to be matched; must be unique. */
  messageId?: string;
  parentHeader?: JupyterMessage['parent_header'];
  metadata?: Record<string, unknown>;
  buffers?: Uint8Array[];
}

export type InfoReply = KernelMessage.IInfoReply;
