/**
 * What main and the kernel host say about the output of agents' cells: text, data and events instead of a notebook's changes. A cell keeps its
 * output over several runs (a kernel that died, and the run after it), and main asks for the end of it when the whole call is over.
 */
import type { OutputDump } from '../output-sink.ts';
import type { ShownNow, ToldDisplay } from './cell-data.ts';
import type { StatusEvent } from './display-content.ts';

/** An image as the code showed it. It lies in `file`, or is in `base64` when there is no folder for it or the disk is full. */
export interface AgentImage {
  mime: string;
  bytes: number;
  artifactId: string | null;
  file: string | null;
  base64: string | null;
}

/** In the place of a JSON value that is too large to be read as a part of a result. */
export interface LeftOutJson {
  bytes: number;
  /** `artifact://<id>`, or null when it could not be kept. */
  artifact: string | null;
}

/** A cell's output so far. */
export interface CellOutputNow {
  text: OutputDump;
  statusEvents: StatusEvent[];
  /** There are images or JSON values. */
  hasData: boolean;
  shown: ShownNow;
  /** The code asked for input. */
  stdinRequested: boolean;
}

export interface CellOutput extends CellOutputNow {
  /** JSON values of the cell in order; those too large are a LeftOutJson. */
  json: unknown[];
  images: AgentImage[];
}

/** What main was told of a cell, for a host that didn't hear it. */
export interface EarlierOutput {
  now: CellOutputNow;
  data: ToldDisplay[];
}

export interface AgentOutputCalls {
  /**
   * What the run puts out is the cell's from now on: to be called before the run is sent, or before another host attaches to its kernel. `earlier` is
   * what the host before had of the cell; `note` is added to the text after it.
   */
  'agent.begin': {
    params: {
      cellId: string;
      kernelId: string;
      runId: string;
      artifactFolder: string | null;
      earlier: EarlierOutput | null;
      note: string | null;
    };
    result: null;
  };
  /** The whole output of each cell, whose texts together are at most `maxBytes` long. What comes later is dropped. */
  'agent.end': { params: { cellIds: string[]; maxBytes: number }; result: (CellOutput | null)[] };
}

export interface AgentOutputEvents {
  /** What has changed of one kernel's cells: at most one in PACE_MS, and one before a run's end. */
  'agent.output': {
    kernelId: string;
    cells: { cellId: string; output: CellOutputNow; data: ToldDisplay[] | null }[];
    /** msg_id of the kernel's last message on iopub; all that came until then has been told. */
    lastMessage: string | null;
  };
}

/** Milliseconds between two words about one cell. Half of what agents are told, so that they never wait long for it. */
export const PACE_MS = 50;

/** Milliseconds between two words about the images and values of one cell: what a host that dies may cost of them. */
export const DATA_PACE_MS = 1_000;
