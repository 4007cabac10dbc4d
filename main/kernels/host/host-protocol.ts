/**
 * The calls and events about connections between main and the kernel host (those about runs are in execution). `generation` tells the
 * processes behind one kernel id apart: what a kernel said before its restart must not count for the one after it.
 */
import type { LogFields, LogLevel } from '../../log/log.ts';
import type { ConnectionInfo } from '../connection.ts';
import type { DescriptorUse } from '../direct/descriptors.ts';
import type { GatewayConnectionInfo } from '../gateway/gateway-server.ts';
import type { KernelEnd } from '../gateway/kernel-end.ts';
import type { InfoReply, OutgoingMessage } from '../messages.ts';

/** Why a connection is taken down. After `dead` what is still in the sockets is read first. */
export type DetachReason = 'dead' | 'restart' | 'shutdown';

export interface AttachParams {
  kernelId: string;
  generation: number;
  connection: ConnectionInfo | GatewayConnectionInfo;
  /** The kernel's process: the host ends it when main is gone. Null for a kernel that is not ours. */
  pid: number | null;
  /**
   * How a direct kernel's sockets are to know this side; a new name when it is absent. The same one again takes over what an earlier connection
   * is still owed, replies and questions, but only some kernels allow that.
   */
  identity?: string;
  /** From an earlier connection to the same process: the kernel may be busy and unable to say it again. */
  knownInfo: InfoReply | null;
  timeoutMs: number;
}

export interface HostCalls {
  'kernel.attach': { params: AttachParams; result: InfoReply };
  'kernel.detach': { params: { kernelId: string; reason: DetachReason }; result: null };
  'kernel.send': { params: { kernelId: string; message: OutgoingMessage }; result: string };
  /** The content of the reply. Fails with KernelTimeoutError or ConnectionClosedError. */
  'kernel.request': { params: { kernelId: string; message: OutgoingMessage; timeoutMs: number }; result: Record<string, unknown> };
  /** Descriptors in use and the limit of them; null where the system doesn't say. */
  'host.descriptors': { params: null; result: DescriptorUse | null };
  /** Closes every socket; kernels go on. */
  'host.close': { params: null; result: null };
}

export interface HostEvents {
  /** Whether the kernel works on code. May come twice with the same value. */
  'kernel.status': { kernelId: string; generation: number; status: 'busy' | 'idle' };
  'kernel.heartbeat': { kernelId: string; generation: number; beating: boolean };
  /** A kernel on a server has ended, as far as its connection can tell. Those of this machine are watched by main itself. */
  'kernel.ended': { kernelId: string; generation: number; end: KernelEnd };
  'host.log': { level: LogLevel; event: string; fields: LogFields };
}
