/**
 * What main and the kernel host say about runs: `run.start`, `run.input` and `run.clear` are calls to the host, the rest are events from it. `run.start`
 * is answered with RunDone when the run is over, so that the host's death shows as a failed call; its last changes are always told before. Each
 * message more costs every short run its share, so there are no others. After a host's death the next one is told with `run.adopt` and
 * `run.resume` where the last one was.
 */
import type { OutputChange } from '../../preload/output-change.ts';

/** A payload that was too large to travel: its bytes are in an artifact. `encoding` says how the JSON string is made from the file again. */
export interface SpilledPayload {
  $artifact: string;
  file: string;
  bytes: number;
  encoding: 'utf8' | 'base64' | 'base64-lf' | 'json';
}

/** JSON as it came from the kernel, or a spilled payload. */
export type RawPayload = unknown;
export type RawOutputChange = OutputChange<RawPayload>;

export interface RunStart {
  kernelId: string;
  /** Unique: it is the msg_id of the execute_request, and names the run everywhere. */
  runId: string;
  /** Where the output goes: the cell's key for a notebook, the run's own id for an agent. Late output finds it by the parent's msg_id. */
  areaId: string;
  code: string;
  silent: boolean;
  storeHistory: boolean;
  allowStdin: boolean;
  stopOnError: boolean;
  /** Folder for streams and payloads that outgrow the limits; null keeps only the tail. */
  artifactFolder: string | null;
  /** Nobody follows its outputs as changes: an agent's are read as text and data by whoever follows the messages. */
  untold?: boolean;
}

/**
 * How a run ended. `dead`: the kernel ended first. `aborted`: the kernel skipped it after an earlier error. `cancelled`: a restart or shutdown
 * ended it. `lost`: the host died, or a server was cut off; the kernel goes on, but nobody hears how this run ends.
 */
export type RunStatus = 'ok' | 'error' | 'aborted' | 'dead' | 'cancelled' | 'lost';

export interface RunDone {
  kernelId: string;
  runId: string;
  areaId: string;
  status: RunStatus;
  executionCount: number | null;
  /** From execute_reply with status error. */
  error: { ename: string; evalue: string; traceback: string[] } | null;
  /** Milliseconds between the kernel's `busy` and its `idle` for this run, or since sending where one of them is missing. */
  durationMs: number;
  /** The code asked the kernel to end (`exit`), which it does right after. */
  leaving: boolean;
  /** As in the events. */
  lastMessage?: string | null;
}

/** Where a cell's outputs are: what a host has to know of them that didn't make them. */
export interface AreaState {
  areaId: string;
  runId: string;
  /** Outputs it has. */
  count: number;
  /** Those that `update_display_data` may reach. */
  displays: DisplayState[];
}

export interface DisplayState {
  id: string;
  index: number;
  type: 'display_data' | 'execute_result';
  executionCount: number | null;
}

/** To a host that is about to attach to a kernel that another host held. */
export interface RunAdopt {
  kernelId: string;
  artifactFolder: string | null;
  areas: AreaState[];
  /** The last message of the kernel that is in these outputs, as far as is known. */
  lastMessage: string | null;
}

/**
 * Somebody shows this kernel's widgets: from now on their outputs are told as areas of their own (`widgetArea`), and not in the cells. Asked before
 * each connection, with the widgets that are known already.
 */
export interface RunCapture {
  kernelId: string;
  artifactFolder: string | null;
  widgets: CapturingWidget[];
}

export interface CapturingWidget {
  commId: string;
  /** The request whose output it takes in now; empty for none. */
  requestId: string;
  /** Outputs it has, and those that `update_display_data` may reach. */
  count: number;
  displays: DisplayState[];
}

/** A run that was on when the host died; answered as `run.start` is. */
export interface RunResume extends RunStart {
  /** Milliseconds since the epoch. */
  sentAt: number;
  /** The kernel is known to have begun it. */
  started: boolean;
  executionCount: number | null;
  /** Its question has not been answered. */
  asking: boolean;
}

export interface RunEvents {
  /** execute_input or `busy` came: the kernel works on it. Gathered over a frame, and not told of a run that is over by then. */
  'run.started': { kernelId: string; runId: string; areaId: string; executionCount: number | null; lastMessage: string | null };
  /** Merged over 16 ms; at most about 1 MB. */
  'run.changes': {
    kernelId: string;
    /** `runId` owns the area now: whoever knows of a newer run of it drops these changes. */
    areas: { areaId: string; runId: string; changes: RawOutputChange[] }[];
    /** msg_id of the kernel's last message on iopub; all that came until then has been told. */
    lastMessage: string | null;
  };
  'run.input': { kernelId: string; runId: string; areaId: string; prompt: string; password: boolean };
}

/** The person cleared an area's outputs: changes told before the answer to this are for outputs that are gone. */
export interface RunClear {
  kernelId: string;
  areaId: string;
}

export interface RunInput {
  kernelId: string;
  runId: string;
  value: string;
  /** What the cell shows of question and answer; null when nobody answered. */
  shown: string | null;
}
