/** The card of a call that ended before its work did: it says why, and nothing on it goes on any more. Pure. */
import type { AgentCall, CallCard } from '../../preload/agent-sessions.ts';

export function endedCard(card: CallCard, summary: string): CallCard {
  if (card.kind !== 'cells') return { ...card, summary };
  return { ...card, summary, cells: card.cells.map((cell) => (cell.status === 'running' ? { ...cell, status: 'error' } : cell)) };
}

export const CUT = 'Error: Cellwright ended while this went on, so how it ended is not known.';

/** A call as it was recorded: one that went on at the record's end went no further. */
export function recordedCall(call: AgentCall, recordEnd: number): AgentCall {
  // Records of earlier versions don't say since when a call waited.
  if (call.endedAt !== null) return { ...call, waitingSince: null };
  return {
    ...call,
    state: 'cancelled',
    waitingFor: null,
    waitingSince: null,
    endedAt: Math.max(call.startedAt, recordEnd),
    card: endedCard(call.card, CUT),
  };
}
