/**
 * How high cards are, by width and by what of them is open: remembered, so that a card which was drawn once takes exactly its room again, and
 * guessed before that. The closer the guess, the less the thumb of the scroll bar moves.
 */
import type { AgentCall } from '../../preload/agent-sessions.ts';
import { recall } from '../outputs/view-state.ts';
import { COLLAPSED_OUTPUT_LINES, COLLAPSED_SOURCE_LINES } from './collapse.ts';
import type { TimelineRow } from './timeline-rows.ts';

/** Heights kept; one is three numbers. */
const MOST = 20_000;
const TURN = 30;
const HEAD = 58;
const LINE = 17;
const CELL = 34;
const IMAGE = 160;
const APPROVAL = 110;

/** Where a card keeps that it is open: everything of it, or one of its cells. */
export function openKey(callId: number, part: string): string {
  return `agents/${callId}/${part}`;
}

export class CardHeights {
  readonly #known = new Map<string, number>();
  /** What was last said of a card: the list asks for all of them whenever one changes. */
  readonly #said = new WeakMap<AgentCall, { width: number; height: number }>();

  height(row: TimelineRow, width: number): number {
    if (row.kind === 'turn') return this.#known.get(heightKey(row, width)) ?? TURN;
    const said = this.#said.get(row.call);
    if (said?.width === width) return said.height;
    const height = this.#known.get(heightKey(row, width)) ?? guess(row.call);
    this.#said.set(row.call, { width, height });
    return height;
  }

  remember(row: TimelineRow, width: number, height: number): void {
    if (row.kind === 'call') this.#said.set(row.call, { width, height });
    const key = heightKey(row, width);
    this.#known.delete(key);
    this.#known.set(key, height);
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!);
  }
}

function heightKey(row: TimelineRow, width: number): string {
  return row.kind === 'turn' ? `${row.key} ${width}` : `${row.key} ${row.call.state} ${openParts(row.call)} ${width}`;
}

function openParts({ id, card }: AgentCall): string {
  const parts = card.kind === 'cells' ? card.cells.flatMap((_, index) => [`code ${index}`, `text ${index}`]) : ['source'];
  return parts.map((part) => (recall<boolean>(openKey(id, part)) ? '1' : '0')).join('');
}

/** Before a card was ever drawn. Pure. */
function guess({ card, state }: AgentCall): number {
  const below = state === 'approval' ? APPROVAL : 0;
  if (card.kind === 'plain') return HEAD + below;
  if (card.kind === 'notebook') return HEAD + below + linesShown(card.source ?? '', COLLAPSED_SOURCE_LINES) * LINE;
  return card.cells.reduce(
    (sum, { code, text, images }) =>
      sum + CELL + (linesShown(code, COLLAPSED_SOURCE_LINES) + linesShown(text, COLLAPSED_OUTPUT_LINES)) * LINE + images.length * IMAGE,
    HEAD + below,
  );
}

/** Lines up to a number, without looking at the rest. */
function linesShown(text: string, most: number): number {
  if (text === '') return 0;
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && count < most; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
