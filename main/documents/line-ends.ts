/**
 * Line ends of a notebook's file. They are nobody's business until somebody asks for it: a file that mixes them stays as it is and is only told of.
 * A JSON string holds no bare line end, so whatever stands in the bytes stands between values, and changing it changes no cell.
 */
import { nextTurn, pacer } from './pacing.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Line ends looked at between two looks at the clock. */
const BATCH = 1_000;
/** Copied at a stretch: about a millisecond. */
const COPY_BYTES = 4_000_000;

export const MIXED_NOTICE =
  'The file mixes two kinds of line ends (LF and CRLF). They stay as they are; “Normalise line ends” among the commands makes all of them LF.';

/** Some lines end in CRLF and some in LF alone. */
export async function hasMixedLineEnds(bytes: Buffer): Promise<boolean> {
  const breathe = pacer();
  let returns = 0;
  let lone = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (bytes[at - 1] === CARRIAGE_RETURN) returns += 1;
    else lone += 1;
    if (returns > 0 && lone > 0) return true;
    if ((returns + lone) % BATCH === 0) await breathe();
  }
  return false;
}

/** The text with LF for every CRLF, and how many there were. Works in slices. */
export async function lineFeedText(parts: readonly Buffer[]): Promise<{ bytes: Buffer; count: number }> {
  // What follows a piece is looked for in the next one.
  const pieces = parts.filter(({ length }) => length > 0);
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  const breathe = pacer();
  let filled = 0;
  let count = 0;
  for (const [index, piece] of pieces.entries()) {
    let start = 0;
    for (let at = piece.indexOf(CARRIAGE_RETURN); at !== -1; at = piece.indexOf(CARRIAGE_RETURN, at + 1)) {
      const next = at + 1 < piece.length ? piece[at + 1] : pieces[index + 1]?.[0];
      if (next !== LINE_FEED) continue;
      filled = await copied(piece, start, at, bytes, filled);
      start = at + 1;
      count += 1;
      if (count % BATCH === 0) await breathe();
    }
    filled = await copied(piece, start, piece.length, bytes, filled);
  }
  return { bytes: bytes.subarray(0, filled), count };
}

/** Copies a stretch to `to` and gives where it ends there. */
async function copied(from: Buffer, start: number, end: number, into: Buffer, to: number): Promise<number> {
  let filled = to;
  for (let at = start; at < end; at += COPY_BYTES) {
    filled += from.copy(into, filled, at, Math.min(end, at + COPY_BYTES));
    if (at + COPY_BYTES < end) await nextTurn();
  }
  return filled;
}
