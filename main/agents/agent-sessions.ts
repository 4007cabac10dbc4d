/**
 * The registry of agent sessions: who is there, what each call did, and what a person decided. It is the only place that changes either, so
 * windows, the timeline on disk and the agents' calls never disagree. Nothing in it can be reached by an agent's tool.
 */
import path from 'node:path';
import type { AgentCall, AgentCallState, AgentPolicy, AgentView, AgentWatch, Approval } from '../../preload/agent-sessions.ts';
import type { Log } from '../log/log.ts';
import { Agent, type AgentIdentity } from './agent.ts';
import { looksBeside } from './agent-looks.ts';
import { Call, type CallStart } from './call.ts';
import { CUT, endedCard } from './ended-card.ts';
import { AgentNotFoundError } from './errors.ts';
import { defaultPolicy } from './policy.ts';
import { RememberedResults } from './remembered-results.ts';
import { SessionNews } from './session-news.ts';
import { sessionNotebook } from './session-notebook.ts';
import { type KnownAgent, TimelineFiles } from './timeline-files.ts';
import { timelinePage } from './timeline-page.ts';
import { type EditedNotebook, editedIn } from './turn-undo.ts';

export interface AgentSessionsOptions {
  /** Holds the timelines. */
  folder: string;
  /** A person can be asked in a window. */
  canAsk: boolean;
  /** The folder that `host` means in the artifact addresses of an agent's cards. */
  cardFolder: (host: string, agentId: string) => string | null;
  /** Takes back the edits of a turn. `edited` are the documents in which it made some. Says what could not be taken back, or null. */
  undo: (turn: { agentId: string; turn: string }, edited: readonly EditedNotebook[]) => Promise<string | null>;
  /** Ends what the agent runs in notebooks. */
  stopRuns: (agentId: string) => Promise<void>;
  log: Log;
}

/** A call that lasts longer than this is recorded before its end: a program that is killed leaves a trace of it. */
const LASTING_MS = 1_000;

export class AgentSessions implements AgentWatch {
  readonly #options: AgentSessionsOptions;
  readonly #files: TimelineFiles;
  readonly #agents = new Map<string, Agent>();
  readonly #news: SessionNews;
  #nextCall = 1;

  private constructor(options: AgentSessionsOptions) {
    this.#options = options;
    this.#files = new TimelineFiles(options.folder, options.log);
    this.#news = new SessionNews(() => this.agents(), options.log);
  }

  /** With the sessions of earlier starts. */
  static async open(options: AgentSessionsOptions): Promise<AgentSessions> {
    const sessions = new AgentSessions(options);
    for (const { agent, calls, cut } of await sessions.#files.restore()) {
      // Written down, else their end would be another one after the next start.
      for (const call of cut) sessions.#files.add(agent.id, { call });
      const restored = new Agent(agent, sessions.#results(agent.id));
      restored.history = calls;
      sessions.#agents.set(restored.id, restored);
      sessions.#nextCall = Math.max(sessions.#nextCall, (calls.at(-1)?.id ?? 0) + 1);
    }
    return sessions;
  }

  // ---- for the MCP server ---------------------------------------------------------------------------------------------------------------

  /** An agent is there, or there again. */
  connect(identity: AgentIdentity): Agent {
    const known = this.#agents.get(identity.id);
    const agent = known ?? this.#add(identity);
    agent.connected = true;
    agent.client = identity.client;
    agent.folders = [...identity.folders];
    this.#files.add(agent.id, { agent: knownAgent(agent) });
    this.#news.agentsChanged();
    return agent;
  }

  disconnect(agent: Agent): void {
    agent.connected = false;
    this.#news.agentsChanged();
  }

  begin(agent: Agent, start: Omit<CallStart, 'id'>, signal: AbortSignal, onChange: (call: AgentCall) => void): Call {
    const { turn } = agent;
    const call = new Call(agent, { ...start, id: this.#nextCall }, signal, {
      canAsk: this.#options.canAsk,
      onChange: (value) => {
        this.#callChanged(agent, value);
        onChange(value);
      },
      onAmend: (value) => {
        this.#callChanged(agent, value);
        this.#files.add(agent.id, { call: value });
      },
    });
    this.#nextCall += 1;
    agent.active.set(call.value.id, call);
    this.#callChanged(agent, call.value);
    if (turn !== agent.turn) this.#news.agentsChanged();
    setTimeout(() => agent.active.has(call.value.id) && this.#files.add(agent.id, { call: call.value }), LASTING_MS).unref();
    return call;
  }

  end(call: Call, state: AgentCallState): void {
    const { agent } = call;
    if (!agent.active.delete(call.value.id)) return;
    call.end(state);
    this.#files.add(agent.id, { call: call.value });
    if (agent.active.size === 0) this.#news.left(agent);
  }

  /** The cell it edits or runs now, until its calls are over. */
  pointAt(agent: Agent, cursor: NonNullable<AgentView['cursor']>): void {
    this.#news.came(agent, cursor);
  }

  /** A call goes on. */
  get busy(): boolean {
    return [...this.#agents.values()].some(({ active }) => active.size > 0);
  }

  /** Code that runs in kernels of agents' own, which ends with the app: who runs it, and the name of its folder. */
  runningPython(): { name: string; folder: string }[] {
    return [...this.#agents.values()].flatMap(({ name, active }) =>
      [...active.values()].flatMap(({ value: { state, card } }) =>
        state === 'running' && card.kind === 'cells' && card.path === null ? [{ name, folder: path.basename(card.cwd) }] : [],
      ),
    );
  }

  async close(): Promise<void> {
    for (const { active } of this.#agents.values()) {
      for (const call of [...active.values()]) {
        call.show(endedCard(call.value.card, CUT));
        this.end(call, 'cancelled');
      }
    }
    this.#news.end();
    await Promise.all([...this.#agents.values()].map(({ results }) => results.settled()));
    await this.#files.settled();
  }

  // ---- for windows ------------------------------------------------------------------------------------------------------------------------

  agents(): AgentView[] {
    return [...this.#agents.values()].map((agent) => agent.view());
  }

  calls(agentId: string, { before, limit }: { before: number | null; limit: number }): AgentCall[] {
    const { history } = this.#get(agentId);
    const older = before === null ? history : history.filter(({ id }) => id < before);
    return older.slice(Math.max(0, older.length - limit));
  }

  pause(agentId: string): void {
    this.#steer(agentId, (agent) => {
      agent.paused = true;
    });
  }

  resume(agentId: string): void {
    this.#steer(agentId, (agent) => {
      agent.paused = false;
    });
  }

  async takeOver(agentId: string): Promise<void> {
    this.#steer(agentId, (agent) => {
      agent.takenOver = true;
    });
    await this.stop(agentId);
  }

  giveBack(agentId: string): void {
    this.#steer(agentId, (agent) => {
      // What it does from here on is another piece of work than what the person interrupted.
      if (agent.takenOver) agent.nextTurn();
      agent.takenOver = false;
    });
  }

  async stop(agentId: string): Promise<void> {
    const agent = this.#get(agentId);
    for (const call of agent.active.values()) call.stop();
    await this.#options.stopRuns(agentId);
  }

  decide(callId: number, approval: Approval): void {
    for (const agent of this.#agents.values()) {
      const call = agent.active.get(callId);
      if (call?.value.state !== 'approval') continue;
      call.decide(approval);
      if (approval.always) {
        this.setPolicy(agent.id, { ...agent.policy, [call.value.needs]: approval.approve ? 'allow' : 'deny' });
      } else agent.wake();
    }
  }

  undoTurn(agentId: string, turn: number): Promise<string | null> {
    const agent = this.#get(agentId);
    // An edit after it would be of the same turn again.
    if (agent.turn === turn) this.#steer(agentId, () => agent.nextTurn());
    return this.#options.undo({ agentId, turn: String(turn) }, editedIn(agent.history, turn));
  }

  setPolicy(agentId: string, policy: AgentPolicy): void {
    this.#steer(agentId, (agent) => {
      agent.policy = { ...policy };
      this.#files.add(agent.id, { agent: knownAgent(agent) });
    });
  }

  async exportTimeline(agentId: string): Promise<string> {
    const agent = this.#get(agentId);
    return timelinePage(agent.view(), agent.history, (host) => this.#options.cardFolder(host, agentId));
  }

  async exportNotebook(agentId: string): Promise<string> {
    return sessionNotebook(this.#get(agentId).history, (host) => this.#options.cardFolder(host, agentId));
  }

  onAgents(listener: (agents: AgentView[]) => void): () => void {
    return this.#news.on('agents', listener);
  }

  onCalls(listener: (calls: AgentCall[]) => void): () => void {
    return this.#news.on('calls', listener);
  }

  // ---------------------------------------------------------------------------------------------------------------------------------------------

  #get(agentId: string): Agent {
    const agent = this.#agents.get(agentId);
    if (!agent) throw new AgentNotFoundError(agentId);
    return agent;
  }

  #add(identity: AgentIdentity): Agent {
    const agent = new Agent(
      {
        ...identity,
        ...looksBeside([...this.#agents.values()], identity.name),
        policy: defaultPolicy({ canAsk: this.#options.canAsk }),
        startedAt: Date.now(),
        turn: 1,
      },
      this.#results(identity.id),
    );
    this.#agents.set(agent.id, agent);
    return agent;
  }

  #results(agentId: string): RememberedResults {
    return new RememberedResults(this.#files.resultsFolder(agentId), this.#options.log);
  }

  #steer(agentId: string, change: (agent: Agent) => void): void {
    const agent = this.#get(agentId);
    change(agent);
    agent.wake();
    this.#news.agentsChanged();
  }

  #callChanged(agent: Agent, call: AgentCall): void {
    agent.record(call);
    this.#news.callChanged(call);
  }
}

function knownAgent(agent: Agent): KnownAgent {
  const { connected, paused, takenOver, cursor, ...known } = agent.view();
  return known;
}
