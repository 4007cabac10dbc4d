/**
 * The timeline of one agent as rows: the head of each turn, then its calls; narrowed by what the person looks for, and cut where the
 * scrubber stands. Pure.
 */
import type { AgentCall, AgentCallState } from '../../preload/agent-sessions.ts';

export interface TimelineFilter {
  /** Empty: every tool. */
  tool: string;
  state: AgentCallState | '';
  /** 0: every turn. */
  turn: number;
  text: string;
}

export const NO_FILTER: TimelineFilter = Object.freeze({ tool: '', state: '', turn: 0, text: '' });

export interface TurnRow {
  kind: 'turn';
  key: string;
  turn: number;
  startedAt: number;
  /** All its calls, also those that the filter hides. */
  calls: number;
  /** It changed a notebook and can be taken back. */
  changed: boolean;
}

export interface CallRow {
  kind: 'call';
  key: string;
  call: AgentCall;
}

export type TimelineRow = TurnRow | CallRow;

export function isFiltered(filter: TimelineFilter): boolean {
  return filter.tool !== '' || filter.state !== '' || filter.turn !== 0 || filter.text.trim() !== '';
}

/** `until` is the id of the last call that is shown; null shows all. `calls` are in the order of the timeline. */
export function timelineRows(calls: readonly AgentCall[], filter: TimelineFilter, until: number | null): TimelineRow[] {
  const shown = until === null ? calls : calls.filter(({ id }) => id <= until);
  const matches = matcher(filter);
  const turns = new Map<number, TurnRow>();
  const rows: TimelineRow[] = [];
  let headed: number | null = null;
  for (const call of shown) {
    const turn = turns.get(call.turn) ?? turnRow(call);
    turns.set(call.turn, turn);
    turn.calls += 1;
    turn.changed ||= changesNotebook(call);
    if (!matches(call)) continue;
    if (headed !== call.turn) rows.push(headed === null || !rows.includes(turn) ? turn : { ...turn, key: `${turn.key} again ${call.id}` });
    headed = call.turn;
    rows.push({ kind: 'call', key: `call ${call.id}`, call });
  }
  return rows;
}

function turnRow({ turn, startedAt }: AgentCall): TurnRow {
  return { kind: 'turn', key: `turn ${turn}`, turn, startedAt, calls: 0, changed: false };
}

function changesNotebook(call: AgentCall): boolean {
  return call.card.kind === 'notebook' && call.state === 'done' && (call.needs === 'edit' || call.needs === 'delete');
}

function matcher({ tool, state, turn, text }: TimelineFilter): (call: AgentCall) => boolean {
  const wanted = text.trim().toLowerCase();
  return (call) =>
    (tool === '' || call.tool === tool) &&
    (state === '' || call.state === state) &&
    (turn === 0 || call.turn === turn) &&
    (wanted === '' || searchText(call).includes(wanted));
}

/** Kept, because every key that is typed into the filter asks for the text of all calls. */
const texts = new WeakMap<AgentCall, string>();

function searchText(call: AgentCall): string {
  const known = texts.get(call);
  if (known !== undefined) return known;
  const text = cardTexts(call).join('\n').toLowerCase();
  texts.set(call, text);
  return text;
}

function cardTexts({ tool, card, waitingFor }: AgentCall): string[] {
  const own = [tool, card.summary, waitingFor ?? ''];
  if (card.kind === 'notebook') return [...own, card.action, card.path, card.source ?? '', card.before ?? ''];
  if (card.kind === 'plain') return [...own, card.title, card.detail ?? ''];
  return [...own, card.path ?? '', ...card.cells.flatMap(({ title, code, text }) => [title, code, text])];
}

/** The newest turn that can be taken back; null when there is none. */
export function lastChangedTurn(calls: readonly AgentCall[]): number | null {
  return calls.findLast(changesNotebook)?.turn ?? null;
}

/** What the filter can offer: the tools and turns there are, in order. */
export function filterChoices(calls: readonly AgentCall[]): { tools: string[]; turns: number[] } {
  return {
    tools: [...new Set(calls.map(({ tool }) => tool))].sort(),
    turns: [...new Set(calls.map(({ turn }) => turn))].sort((a, b) => a - b),
  };
}

/** Where the scrubber stands among the calls: the last one at or before `until`. */
export function scrubPlace(calls: readonly AgentCall[], until: number | null): number {
  if (until === null) return calls.length - 1;
  let place = 0;
  calls.forEach(({ id }, index) => {
    if (id <= until) place = index;
  });
  return place;
}
