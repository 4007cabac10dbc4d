/**
 * Tells every window of agents and their calls. A window that falls behind is told nothing until it has caught up; then it gets the newest
 * of each call that changed, because a call is always sent whole.
 */
import type { AgentCall, AgentView, AgentWatch } from '../../preload/agent-sessions.ts';
import type { View } from './notebook-feed.ts';
import { Paced } from './paced.ts';

/** One frame: sooner can't be seen. */
const INTERVAL_MS = 16;
/** UTF-16 units of calls in one message: the page stands still while it takes a larger one. */
const MESSAGE_UNITS = 500_000;

interface Untold {
  agents: AgentView[] | null;
  calls: Map<number, AgentCall>;
}

/** `views` are the windows that are open. Returns what ends the telling. */
export function feedAgents(watch: AgentWatch, views: () => Iterable<View>): () => void {
  const untold = new Map<View, Untold>();
  const paced = new Paced(INTERVAL_MS, tell);
  const each = (note: (untold: Untold) => void) => {
    for (const view of views()) {
      const own = untold.get(view) ?? { agents: null, calls: new Map() };
      untold.set(view, own);
      note(own);
    }
    paced.request();
  };

  function tell(): void {
    const open = new Set(views());
    for (const [view, own] of [...untold]) {
      if (open.has(view) && view.behind) continue;
      untold.delete(view);
      if (!open.has(view)) continue;
      if (own.agents) view.send('agents.changed', { agents: own.agents });
      for (const calls of messages([...own.calls.values()])) view.send('agents.calls', { calls });
    }
    // A page that catches up causes no event here.
    if (untold.size > 0) paced.request();
  }

  const ends = [
    watch.onAgents((agents) =>
      each((own) => {
        own.agents = agents;
      }),
    ),
    watch.onCalls((calls) =>
      each((own) => {
        for (const call of calls) own.calls.set(call.id, call);
      }),
    ),
  ];
  return () => {
    paced.stop();
    for (const end of ends) end();
  };
}

/** The calls in their order, in messages of a bounded size. */
function messages(calls: readonly AgentCall[]): AgentCall[][] {
  const all: AgentCall[][] = [];
  let room = 0;
  for (const call of calls) {
    const size = callUnits(call);
    if (all.length === 0 || size > room) {
      all.push([]);
      room = MESSAGE_UNITS;
    }
    all.at(-1)?.push(call);
    room -= size;
  }
  return all;
}

/** What grows without a bound of its own; the rest of a call is small. */
function callUnits({ card }: AgentCall): number {
  if (card.kind === 'notebook') return (card.source?.length ?? 0) + (card.before?.length ?? 0);
  if (card.kind === 'plain') return card.detail?.length ?? 0;
  return card.cells.reduce((sum, cell) => sum + cell.code.length + cell.text.length + JSON.stringify(cell.json).length, 0);
}
