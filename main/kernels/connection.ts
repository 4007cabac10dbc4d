/**
 * One live connection to a kernel, at the level of messages: what the kernel host holds. Direct ZeroMQ and the gateway implement it;
 * everything above (runs, output, input) is decided once, over this interface.
 */
import type { InfoReply, JupyterMessage, OutgoingMessage } from './messages.ts';

export interface KernelConnection {
  readonly kernelId: string;
  /** The kernel's own description, from the start-up handshake. */
  readonly info: InfoReply;
  /**
   * Sends one message; resolves with its msg_id once the socket has taken it. Sends on one channel keep their order.
   * Throws ConnectionClosedError after `close`.
   */
  send(message: OutgoingMessage): Promise<string>;
  /** Every message of shell, control, stdin and iopub in the order of arrival. A throwing listener is logged and does no harm. */
  onMessage(listener: (message: JupyterMessage) => void): () => void;
  /** Heartbeat: `false` after a missed beat, `true` when it answers again. A hint, never a death. */
  onHeartbeat(listener: (beating: boolean) => void): () => void;
  /**
   * Ids of requests that nobody will hear the end of: the connection was cut meanwhile, and the kernel is past them. For connections that
   * can be cut and come back.
   */
  onLost?(listener: (messageId: string) => void): () => void;
  /** msg_ids of what the connection asks by itself, in order; for connections that are made again to a kernel that runs on. */
  readonly asked?: ReadonlySet<string>;
  /** Closes all sockets; the kernel itself goes on. Idempotent. */
  close(): Promise<void>;
}

/** Where a direct kernel listens: the content of a connection file (message protocol, "connection files"). */
export interface ConnectionInfo {
  ip: string;
  transport: 'tcp' | 'ipc';
  shell_port: number;
  control_port: number;
  iopub_port: number;
  stdin_port: number;
  hb_port: number;
  key: string;
  signature_scheme: 'hmac-sha256' | string;
  kernel_name?: string;
}
