/**
 * Stored streams that are too long for one message to a window. The window gets both ends with the middle left out, as a live stream has
 * it, and an id under which the whole can be read page by page. Pure. Cuts fall behind a line feed where there is one near.
 */
import type { StreamOutput } from '../../preload/output-change.ts';

/** Live streams stay below this, so only what a file holds is ever cut here. */
export const MAX_STREAM_UNITS = 1_500_000;

/** Kept of the beginning and of the end, in UTF-16 units. */
const HEAD_UNITS = 256 * 1024;
const TAIL_UNITS = 512 * 1024;

/** A longer line than this is cut inside. */
const BORDER_REACH = 64 * 1024;

export interface StreamAddress {
  cellKey: string;
  index: number;
  revision: number;
}

/** The output as a window gets it; the same object when it is short enough or was cut already. */
export function shortenedStream(output: StreamOutput, address: StreamAddress): StreamOutput {
  const { text } = output;
  if (text.length <= MAX_STREAM_UNITS || output.omitted) return output;
  const from = cutBefore(text, HEAD_UNITS);
  const to = cutAfter(text, text.length - TAIL_UNITS);
  const middle = text.slice(from, to);
  const omitted = { lines: lineFeeds(middle), bytes: Buffer.byteLength(middle), at: from, artifactId: streamId(address) };
  return { ...output, text: text.slice(0, from) + text.slice(to), omitted };
}

/** Stands where an artifact's id stands, and can't be one: those are numbers. */
export function streamId({ cellKey, index, revision }: StreamAddress): string {
  return `${encodeURIComponent(cellKey)}.${index}.${revision}`;
}

export function readStreamId(id: string): StreamAddress | null {
  const match = /^([^/]+)\.(\d{1,9})\.(\d{1,9})$/.exec(id);
  if (!match) return null;
  try {
    return { cellKey: decodeURIComponent(match[1]!), index: Number(match[2]), revision: Number(match[3]) };
  } catch {
    return null;
  }
}

/** The last place at or before `wanted` that follows a line feed, else one that cuts no pair. */
function cutBefore(text: string, wanted: number): number {
  const border = text.lastIndexOf('\n', wanted - 1) + 1;
  return border > wanted - BORDER_REACH ? border : wholeCharacter(text, wanted);
}

function cutAfter(text: string, wanted: number): number {
  const border = text.indexOf('\n', wanted) + 1;
  return border > 0 && border < wanted + BORDER_REACH ? border : wholeCharacter(text, wanted);
}

function wholeCharacter(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
