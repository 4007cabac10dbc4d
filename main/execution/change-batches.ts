/**
 * Changes cut into events of bounded size: one message between processes above 1 MB stops the receiver for longer than a frame. A long text is
 * told in pieces, each a splice after the one before. Pure.
 */
import type { AreaChanges } from './output-reducer.ts';
import type { RawOutputChange } from './run-protocol.ts';
import { isHighSurrogate } from './surrogates.ts';

/** UTF-16 units of one event, about. */
const EVENT_LIMIT = 1024 * 1024;
/** UTF-16 units of one piece of text. */
const PIECE_LIMIT = 256 * 1024;
/** For what can't be measured cheaply: the frame around a change. */
const CHANGE_WEIGHT = 200;

export interface Batch {
  areas: AreaChanges[];
  /** UTF-16 units, about. */
  weight: number;
}

/** The same changes in the same order, as events to be sent one after the other. */
export function batches(areas: readonly AreaChanges[], limit = EVENT_LIMIT, piece = PIECE_LIMIT): Batch[] {
  const result: Batch[] = [];
  let batch: Batch | null = null;
  for (const { areaId, runId, changes } of areas) {
    let target: AreaChanges | null = null;
    for (const change of changes.flatMap((whole) => piecesOf(whole, piece))) {
      const weight = weightOf(change);
      if (batch === null || (batch.weight > 0 && batch.weight + weight > limit)) {
        batch = { areas: [], weight: 0 };
        result.push(batch);
        target = null;
      }
      if (target === null) {
        target = { areaId, runId, changes: [] };
        batch.areas.push(target);
      }
      target.changes.push(change);
      batch.weight += weight;
    }
  }
  return result;
}

/** A change with long text as several. */
function piecesOf(change: RawOutputChange, limit: number): RawOutputChange[] {
  if (change.op !== 'text' || change.insert.length <= limit) return [change];
  const { index, at, remove, insert, omitted } = change;
  return cutText(insert, limit).map(({ from, text }) => ({
    op: 'text',
    index,
    at: at + from,
    remove: from === 0 ? remove : 0,
    insert: text,
    ...(omitted ? { omitted } : {}),
  }));
}

function cutText(text: string, limit: number): { from: number; text: string }[] {
  const pieces: { from: number; text: string }[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + limit);
    if (to < text.length && isHighSurrogate(text, to - 1)) to += 1;
    pieces.push({ from, text: text.slice(from, to) });
    from = to;
  }
  return pieces;
}

function weightOf(change: RawOutputChange): number {
  if (change.op === 'clear') return CHANGE_WEIGHT;
  if (change.op === 'text') return CHANGE_WEIGHT + change.insert.length;
  const { output } = change;
  if (output.type === 'stream') return CHANGE_WEIGHT + output.text.length;
  if (output.type === 'error') return CHANGE_WEIGHT + output.traceback.reduce((sum, line) => sum + line.length, output.evalue.length);
  return Object.values(output.data).reduce<number>(
    (sum, payload) => sum + (typeof payload === 'string' ? payload.length : JSON.stringify(payload ?? null).length),
    CHANGE_WEIGHT + Object.values(output.exact ?? {}).reduce((sum, text) => sum + text.length, 0),
  );
}
