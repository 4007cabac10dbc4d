/**
 * How agents get to see an output: the app's window side draws it with the very parts that a person's window has, and takes a picture. Without a
 * window there is none, and nothing is drawn.
 */
import type { Pixels } from './image-scaling.ts';

/** Pixels; models scale down what is larger, so a picture is never made larger. */
export const PICTURE_HEIGHT = 1_500;
/** The notebook's page column. */
export const PAGE_WIDTH = 1_040;
export const MIN_WIDTH = 320;
export const MAX_WIDTH = 1_500;

export interface ViewRequest {
  docId: string;
  cellKey: string;
  /** Null: every output of the cell, one below the other. */
  index: number | null;
  /** Null: the window's own. */
  theme: 'light' | 'dark' | null;
  /** Pixels. */
  width: number;
  /** Pixels from the top that are left out, to see what is further down. */
  top: number;
  /** Without the inner scroll bars that keep long outputs short in the window. */
  whole: boolean;
  signal: AbortSignal;
}

export interface ConsoleLine {
  level: 'error' | 'warning';
  /** As the output's script gave it: data, cut to a bounded length. */
  text: string;
}

export interface OutputView {
  /** Blue, green, red and opacity. */
  pixels: Pixels;
  theme: 'light' | 'dark' | 'high-contrast';
  /** Pixels from the top to the bottom of everything. */
  totalHeight: number;
  /** False: it kept changing, and this is one moment of it. */
  settled: boolean;
  /** What the scripts of the outputs reported, the first ones. */
  console: ConsoleLine[];
  /** How many more there were. */
  consoleLeftOut: number;
}

export interface OutputViewer {
  /** One at a time; whoever comes later waits. Throws OutputViewError, or the signal's reason. */
  view(request: ViewRequest): Promise<OutputView>;
}

/** There is no picture; the message says why and what to do. */
export class OutputViewError extends Error {
  override readonly name = 'OutputViewError';
}
