/**
 * A call comes whole whenever one of its cells prints a line. Cells that are as they were keep their identity, so that only the one that
 * changed is drawn again. Pure.
 */
import type { AgentCall, CardCell } from '../../preload/agent-sessions.ts';

/** `call` with those cells of `before` that are the same. */
export function sharing(before: AgentCall, call: AgentCall): AgentCall {
  const { card } = call;
  if (card.kind !== 'cells' || before.card.kind !== 'cells') return call;
  const known = before.card.cells;
  const cells = card.cells.map((cell, index) => {
    const present = known[index];
    return present && isSame(present, cell) ? present : cell;
  });
  return { ...call, card: { ...card, cells } };
}

function isSame(a: CardCell, b: CardCell): boolean {
  return (
    a.status === b.status &&
    a.text === b.text &&
    a.code === b.code &&
    a.title === b.title &&
    a.durationMs === b.durationMs &&
    a.executionCount === b.executionCount &&
    sameValue(a.truncation, b.truncation) &&
    sameValue(a.images, b.images) &&
    sameValue(a.json, b.json) &&
    sameValue(a.statusEvents, b.statusEvents)
  );
}

/** Values of the bridge, which are plain and bounded. */
function sameValue(a: object | null, b: object | null): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b) && a.length + b.length === 0) return true;
  return JSON.stringify(a) === JSON.stringify(b);
}
