/**
 * What a kernel is to the rest of main: one interface for both transports. Main owns the process and its life; the sockets are in the
 * kernel host, reached through `host`. The hard part is that a kernel outlives its connection: when the host dies the kernel keeps its id,
 * its variables and its state, and only the connection is made again.
 */
import type { GatewayTarget } from './gateway/gateway-server.ts';
import type { RpcEndpoint } from './host/rpc.ts';
import type { InfoReply, OutgoingMessage } from './messages.ts';

/** A kernelspec as found on disk, or made from an interpreter that has ipykernel. `argv` still has `{connection_file}` in it. */
export interface KernelSpec {
  name: string;
  displayName: string;
  language: string;
  argv: string[];
  env: Record<string, string>;
  interruptMode: 'signal' | 'message';
  /** Folder of the kernelspec (`{resource_dir}`), or null for an interpreter. */
  resourceDir: string | null;
  /** Where it came from, for the kernel picker. */
  source: 'kernelspec' | 'project' | 'interpreter' | 'managed' | 'gateway';
  /** The Jupyter server that has this kernelspec and runs its kernels; absent for this machine's own. */
  gateway?: GatewayTarget;
}

export interface LaunchOptions {
  spec: KernelSpec;
  /** Working directory of the kernel process: the notebook's folder. */
  cwd: string;
  /** Asked for the working directory before each restart of a process on this machine: the notebook may have moved. `cwd` when it is not given. */
  cwdNow?: () => string;
  /** Added to the cleaned environment (API keys of the host never reach a kernel). */
  env?: Record<string, string>;
  /** Start-up limit in milliseconds, default 60,000. */
  startTimeoutMs?: number;
  signal?: AbortSignal;
  /**
   * The Jupyter server that runs the kernel, instead of this machine. A function is asked again before each start and restart: for a
   * server that may have been replaced by another meanwhile.
   */
  gateway?: GatewayTarget | (() => Promise<GatewayTarget>);
}

export type KernelState = 'starting' | 'idle' | 'busy' | 'restarting' | 'not-responding' | 'dead';

/** How a kernel ended, in words for the person and in facts for the program. */
export interface KernelExit {
  code: number | null;
  signal: string | null;
  /** One sentence, e.g. `The kernel ended: killed by signal 9, perhaps out of memory.`, with the processes that were ended after it. */
  message: string;
  /** Last lines of its stderr, bounded to 8 KiB. */
  stderrTail: string;
  /** True when this program asked for it (shutdown, restart). */
  expected: boolean;
}

export interface KernelEvents {
  state: KernelState;
  exit: KernelExit;
  /**
   * The kernel host died, and this one is about to be asked for a new connection: what it is asked before that, it does before the kernel's first
   * message.
   */
  attaching: { host: RpcEndpoint };
  /** A new connection stands (start, restart, or after the host died). `generation` counts restarts of the process. */
  connected: { generation: number; info: InfoReply };
  /** A sentence for the person while processes that code left behind keep processors busy; null once they don't. */
  leftAtWork: string | null;
  /** Lines of the process's own stdout and stderr, for the kernel log. */
  log: { stream: 'stdout' | 'stderr'; text: string };
}

export interface Kernel {
  /** Stays the same over restarts. */
  readonly id: string;
  readonly spec: KernelSpec;
  /** The host process's end that holds this kernel's connection: the run service is called over it. Changes when the host was replaced. */
  readonly host: RpcEndpoint;
  readonly state: KernelState;
  readonly generation: number;
  readonly info: InfoReply | null;
  /** Process id, null for a remote kernel or a dead one. */
  readonly pid: number | null;
  on<N extends keyof KernelEvents>(event: N, listener: (payload: KernelEvents[N]) => void): () => void;
  /**
   * Sends a request on shell or control and gives the content of its reply (complete_request, inspect_request, comm_info_request …).
   * Not for execute_request: runs go through the run service. Throws KernelTimeoutError, KernelDeadError.
   */
  request(message: OutgoingMessage, timeoutMs: number): Promise<Record<string, unknown>>;
  /** Interrupts what runs, by signal or by message as the kernelspec says. Resolves when it is sent, not when it has worked. */
  interrupt(): Promise<void>;
  /** Ends the process tree and starts it again; calls that overlap join the first. Throws KernelStartError. */
  restart(): Promise<void>;
  /** shutdown_request → SIGTERM → SIGKILL of the whole tree; nothing is left over. Idempotent. */
  shutdown(): Promise<void>;
}
