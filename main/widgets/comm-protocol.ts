/**
 * The calls and events about comms between main and the kernel host. A kernel's comm messages are told only once somebody follows it, gathered over
 * a frame like outputs; binary buffers are put where they belong in the state, as bytes.
 */

/** What a kernel said on its widgets' comms, in order. */
export type CommEvent =
  | { kind: 'open'; commId: string; state: Record<string, unknown> }
  /** Neighbouring updates of one comm are joined. */
  | { kind: 'update'; commId: string; state: Record<string, unknown> }
  /** The kernel has taken in the update that this side sent as `messageId`. */
  | { kind: 'echo'; commId: string; messageId: string; state: Record<string, unknown> }
  | { kind: 'custom'; commId: string; content: unknown; buffers: Uint8Array[] }
  | { kind: 'close'; commId: string }
  /** The kernel is done with the message that this side sent. */
  | { kind: 'done'; messageId: string };

export interface CommFollow {
  kernelId: string;
  /** Comms of widgets that are open already, for a host that takes over from another. */
  open: string[];
}

/** A message on an open comm, as the protocol has it: what was taken out of `data` as a buffer is named in it. */
export interface CommSend {
  kernelId: string;
  messageId: string;
  commId: string;
  data: Record<string, unknown>;
  buffers: Uint8Array[];
}

export interface CommEvents {
  /** At most about 1 MB, unless a single event is larger. */
  'comm.events': { kernelId: string; events: CommEvent[] };
}
