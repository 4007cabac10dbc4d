/**
 * A window's replica of the agents and their timelines. Main sends a call whole whenever it changes, so what comes last is right; only a page
 * of older calls may be overtaken by an event, and a call that is over never goes back.
 */
import type { AgentCall, AgentView } from '../../preload/agent-sessions.ts';
import type { Bridge } from '../../preload/contract.ts';
import { Topics } from '../shell/store.ts';
import { isFinal } from './call-words.ts';
import { sharing } from './shared-cells.ts';

/** Calls asked for at once: some screens full. */
const PAGE = 50;
/** Calls kept of one agent; the oldest go first and are asked for again when they are looked for. */
const MOST_CALLS = 5_000;

interface Timeline {
  /** Oldest first; a new array with every change. */
  calls: readonly AgentCall[];
  /** Main has nothing older. */
  complete: boolean;
  loading: Promise<void> | null;
}

export class AgentsClient {
  readonly #bridge: Bridge;
  readonly #topics = new Topics();
  readonly #timelines = new Map<string, Timeline>();
  /** Agents that were connected at some time since this page was loaded. */
  readonly #met = new Set<string>();
  #agents: readonly AgentView[] = [];
  #live: readonly AgentCall[] = [];

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    bridge.on('agents.changed', ({ agents }) => this.#setAgents(agents));
    bridge.on('agents.calls', ({ calls }) => this.#add(calls));
  }

  /** Asks main who is here. Events that come before the answer are part of it. */
  async begin(): Promise<void> {
    const answer = await this.#bridge.call('agents.list', undefined);
    if (answer.ok) this.#setAgents(answer.value);
  }

  /** Topics: `agents`, `live`, and `calls:` + id of the agent. */
  on(topic: string, listener: () => void): () => void {
    return this.#topics.on(topic, listener);
  }

  // ---- what is shown; every getter is stable until its topic fires ----------------------------------------------------------------------

  get agents(): readonly AgentView[] {
    return this.#agents;
  }

  agent(id: string): AgentView | null {
    return this.#agents.find((agent) => agent.id === id) ?? null;
  }

  /** Sessions that had ended before this page was loaded are kept, but they are not who is here. */
  met(id: string): boolean {
    return this.#met.has(id);
  }

  /** Calls of all agents that are not over, in the order of the timeline. */
  get live(): readonly AgentCall[] {
    return this.#live;
  }

  calls(agentId: string): readonly AgentCall[] {
    return this.#timelines.get(agentId)?.calls ?? NO_CALLS;
  }

  complete(agentId: string): boolean {
    return this.#timelines.get(agentId)?.complete ?? false;
  }

  // ---- what changes it -----------------------------------------------------------------------------------------------------------------

  /** One more page of older calls. Calling it while one is on its way gives that one. */
  loadOlder(agentId: string): Promise<void> {
    const timeline = this.#timeline(agentId);
    if (timeline.complete) return Promise.resolve();
    timeline.loading ??= this.#loadPage(agentId, timeline);
    return timeline.loading;
  }

  /** The whole recorded timeline, as far as it is kept here. */
  async loadAll(agentId: string): Promise<void> {
    let count = -1;
    // A page that brings nothing new ends it: main said no, or the agent is gone.
    while (!this.complete(agentId) && this.calls(agentId).length > count && this.calls(agentId).length < MOST_CALLS) {
      count = this.calls(agentId).length;
      await this.loadOlder(agentId);
    }
  }

  async #loadPage(agentId: string, timeline: Timeline): Promise<void> {
    const before = timeline.calls[0]?.id ?? null;
    // Over before anybody is told of the page: a list that it did not fill asks for the next one at once.
    const answer = await this.#bridge.call('agents.calls', { agentId, before, limit: PAGE }).finally(() => {
      timeline.loading = null;
    });
    if (!answer.ok || this.#timelines.get(agentId) !== timeline) return;
    timeline.complete = answer.value.length < PAGE;
    this.#merge(agentId, timeline, answer.value, MOST_CALLS + PAGE);
    this.#topics.emit(`calls:${agentId}`);
    this.#updateLive();
  }

  #setAgents(agents: readonly AgentView[]): void {
    this.#agents = agents;
    const ids = new Set(agents.map(({ id }) => id));
    for (const id of [...this.#timelines.keys()]) if (!ids.has(id)) this.#timelines.delete(id);
    for (const { id, connected } of agents) {
      if (!connected) continue;
      // What waits for an answer must be seen before its section is opened; other sessions load when they are looked at.
      if (!this.#met.has(id) || !this.#timelines.has(id)) void this.loadOlder(id);
      this.#met.add(id);
    }
    this.#updateLive();
    this.#topics.emit('agents');
  }

  #add(calls: readonly AgentCall[]): void {
    const byAgent = new Map<string, AgentCall[]>();
    for (const call of calls) byAgent.set(call.agentId, [...(byAgent.get(call.agentId) ?? []), call]);
    for (const [agentId, own] of byAgent) {
      this.#merge(agentId, this.#timeline(agentId), own, MOST_CALLS);
      this.#topics.emit(`calls:${agentId}`);
    }
    this.#updateLive();
  }

  #merge(agentId: string, timeline: Timeline, calls: readonly AgentCall[], most: number): void {
    timeline.calls = mergeCalls(timeline.calls, calls);
    if (timeline.calls.length > most) {
      timeline.calls = timeline.calls.slice(-most);
      timeline.complete = false;
    }
    this.#timelines.set(agentId, timeline);
  }

  #timeline(agentId: string): Timeline {
    const timeline = this.#timelines.get(agentId) ?? { calls: NO_CALLS, complete: false, loading: null };
    this.#timelines.set(agentId, timeline);
    return timeline;
  }

  #updateLive(): void {
    const live = [...this.#timelines.values()].flatMap(({ calls }) => calls.filter((call) => !isFinal(call)));
    live.sort((a, b) => a.id - b.id);
    const same = live.length === this.#live.length && live.every((call, index) => call === this.#live[index]);
    if (same) return;
    this.#live = live;
    this.#topics.emit('live');
  }
}

const NO_CALLS: readonly AgentCall[] = [];

/** Both oldest first. A newer state of a call takes the place of the older one; a call that is over stays over. Pure. */
export function mergeCalls(known: readonly AgentCall[], news: readonly AgentCall[]): readonly AgentCall[] {
  const merged = [...known];
  for (const call of news) {
    const place = placeOf(merged, call.id);
    const present = merged[place];
    if (present?.id !== call.id) merged.splice(place, 0, call);
    else if (!isFinal(present) || isFinal(call)) merged[place] = sharing(present, call);
  }
  return merged;
}

/** Where a call with this id is, or would be put. Most news are about the end. */
function placeOf(calls: readonly AgentCall[], id: number): number {
  let place = calls.length;
  while (place > 0 && calls[place - 1]!.id > id) place -= 1;
  return place > 0 && calls[place - 1]!.id === id ? place - 1 : place;
}
