/**
 * A running kernel host as main sees it: Electron's utilityProcess in the app, a forked Node process elsewhere. Only what both can do.
 */
import type { RpcCarrier } from './rpc.ts';

export interface HostProcess {
  /** Messages to and from the host; its close is the host's death. */
  carrier: RpcCarrier;
  /** Null before it runs and after it ended. */
  readonly pid: number | null;
  /** Ends it at once. The host's own code does not run, so the kernels it knows of go on. */
  kill(): void;
}
