/**
 * Where agents are on a notebook: which cell each edits or runs now. An edit takes a few milliseconds, so a mark stays for a moment after
 * the agent has gone on; else nobody would ever see it. Each cell listens to its own marks alone.
 */
import type { AgentCall, AgentView } from '../../preload/agent-sessions.ts';
import { Topics } from '../shell/store.ts';
import type { AgentsClient } from './agents-client.ts';

export interface CellAgent {
  agentId: string;
  name: string;
  hue: number;
  /** It works in this cell now, or did a moment ago; else the cell only waits in a run of its own. */
  here: boolean;
  /** The cell is part of a run that it asked for. */
  runs: boolean;
}

/** How long a mark stays after the agent has left the cell, in milliseconds. */
const STAYS_MS = 2_500;
const NOBODY: readonly CellAgent[] = [];

/** Marks by `docId/key`. `left` are places an agent has just left. Pure. */
export function presenceOf(
  agents: readonly AgentView[],
  live: readonly AgentCall[],
  left: readonly { agentId: string; cell: string }[],
): Map<string, CellAgent[]> {
  const marks = new Map<string, CellAgent[]>();
  const mark = (cell: string, { id, name, hue }: AgentView, what: 'here' | 'runs') => {
    const own = marks.get(cell) ?? [];
    marks.set(cell, own);
    let present = own.find(({ agentId }) => agentId === id);
    if (!present) {
      present = { agentId: id, name, hue, here: false, runs: false };
      own.push(present);
    }
    present[what] = true;
  };
  for (const agent of agents) {
    if (!agent.connected) continue;
    if (agent.cursor) mark(cellId(agent.cursor.docId, agent.cursor.key), agent, 'here');
    for (const { agentId, cell } of left) if (agentId === agent.id) mark(cell, agent, 'here');
    for (const call of live) {
      if (call.agentId !== agent.id || call.state !== 'running' || call.card.kind !== 'cells' || call.docId === null) continue;
      for (const key of call.cellKeys) mark(cellId(call.docId, key), agent, 'runs');
    }
  }
  return marks;
}

function cellId(docId: string, key: string): string {
  return `${docId}/${key}`;
}

export class Presence {
  readonly #client: AgentsClient;
  readonly #topics = new Topics();
  #marks = new Map<string, readonly CellAgent[]>();
  #cursors = new Map<string, string>();
  #left: { agentId: string; cell: string }[] = [];

  constructor(client: AgentsClient) {
    this.#client = client;
    client.on('agents', () => this.#update());
    client.on('live', () => this.#update());
  }

  on(docId: string, key: string, listener: () => void): () => void {
    return this.#topics.on(cellId(docId, key), listener);
  }

  /** Stable until the cell's listeners are called. */
  at(docId: string, key: string): readonly CellAgent[] {
    return this.#marks.get(cellId(docId, key)) ?? NOBODY;
  }

  #update(): void {
    this.#noteLeft();
    const marks = presenceOf(this.#client.agents, this.#client.live, this.#left);
    const before = this.#marks;
    const next = new Map<string, readonly CellAgent[]>();
    for (const [cell, own] of marks) {
      const known = before.get(cell);
      next.set(cell, known && sameMarks(known, own) ? known : own);
    }
    this.#marks = next;
    for (const cell of new Set([...before.keys(), ...next.keys()])) if (before.get(cell) !== next.get(cell)) this.#topics.emit(cell);
  }

  #noteLeft(): void {
    const cursors = new Map<string, string>();
    for (const { id, cursor } of this.#client.agents) if (cursor) cursors.set(id, cellId(cursor.docId, cursor.key));
    for (const [agentId, cell] of this.#cursors) {
      if (cursors.get(agentId) === cell) continue;
      const place = { agentId, cell };
      this.#left = [...this.#left, place];
      setTimeout(() => {
        this.#left = this.#left.filter((each) => each !== place);
        this.#update();
      }, STAYS_MS);
    }
    this.#cursors = cursors;
  }
}

function sameMarks(a: readonly CellAgent[], b: readonly CellAgent[]): boolean {
  return (
    a.length === b.length &&
    a.every((mark, index) => {
      const other = b[index]!;
      return mark.agentId === other.agentId && mark.name === other.name && mark.here === other.here && mark.runs === other.runs;
    })
  );
}
