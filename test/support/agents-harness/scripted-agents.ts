/**
 * An `AgentWatch` in memory that does what a test says: agents and calls are put in, and what a person does is written down and answered as
 * the registry would. For the window's side alone; what agents really do is tested with the app and a real client.
 */
import type { AgentCall, AgentPolicy, AgentView, AgentWatch, Approval, CallCard } from '../../../preload/agent-sessions.ts';

export const OPEN_POLICY: AgentPolicy = { read: 'allow', edit: 'allow', run: 'allow', install: 'ask', delete: 'ask', restart: 'ask' };

export class AgentNotFoundError extends Error {
  override name = 'AgentNotFoundError';
  readonly code = 'no-agent';
  readonly hint = 'It is gone with its session.';
}

export class ScriptedAgents implements AgentWatch {
  /** What a person did, in order. */
  readonly acts: [string, ...unknown[]][] = [];
  /** What `undoTurn` answers. */
  left: string | null = null;
  readonly #agents = new Map<string, AgentView>();
  readonly #calls: AgentCall[] = [];
  readonly #agentListeners = new Set<(agents: AgentView[]) => void>();
  readonly #callListeners = new Set<(calls: AgentCall[]) => void>();

  // ---- the script -----------------------------------------------------------------------------------------------------------------------

  come(agent: Partial<AgentView> & { id: string }): AgentView {
    const full: AgentView = {
      name: agent.id,
      hue: this.#agents.size % 8,
      client: 'test-client 1.0',
      connected: true,
      paused: false,
      takenOver: false,
      cursor: null,
      policy: OPEN_POLICY,
      folders: ['/home/ada/project'],
      turn: 1,
      startedAt: 1_700_000_000_000,
      ...agent,
    };
    this.#agents.set(full.id, full);
    this.#tellAgents();
    return full;
  }

  change(agentId: string, change: Partial<AgentView>): void {
    this.#agents.set(agentId, { ...this.#agent(agentId), ...change });
    this.#tellAgents();
  }

  /** Puts a call in, or its next state when its id is known. Several are told in one event. */
  put(...calls: (Partial<AgentCall> & { agentId: string; card: CallCard })[]): AgentCall[] {
    const full = calls.map((call) => this.#put(call));
    for (const listener of this.#callListeners) listener(full);
    return full;
  }

  #put(call: Partial<AgentCall> & { agentId: string; card: CallCard }): AgentCall {
    const place = this.#calls.findIndex(({ id }) => id === call.id);
    const full: AgentCall = {
      id: this.#calls.length + 1,
      turn: this.#agent(call.agentId).turn,
      tool: call.card.kind === 'notebook' ? 'notebook' : call.card.kind === 'cells' ? 'python' : 'kernel',
      state: 'done',
      waitingFor: null,
      waitingSince: call.state === 'waiting' || call.state === 'approval' ? Date.now() - 42_000 : null,
      needs: call.card.kind === 'notebook' ? 'edit' : call.card.kind === 'cells' ? 'run' : 'read',
      docId: null,
      cellKeys: [],
      startedAt: 1_700_000_000_000 + this.#calls.length * 4_000,
      endedAt: null,
      ...this.#calls[place],
      ...call,
    };
    if (full.endedAt === null && ['done', 'failed', 'cancelled', 'refused'].includes(full.state)) full.endedAt = full.startedAt + 1_240;
    if (place < 0) this.#calls.push(full);
    else this.#calls[place] = full;
    return full;
  }

  call(id: number): AgentCall {
    const call = this.#calls.find((each) => each.id === id);
    if (!call) throw new Error(`There is no call ${id}.`);
    return call;
  }

  #agent(id: string): AgentView {
    const agent = this.#agents.get(id);
    if (!agent) throw new AgentNotFoundError(`There is no agent ${id}.`);
    return agent;
  }

  #tellAgents(): void {
    for (const listener of this.#agentListeners) listener(this.agents());
  }

  // ---- what a window sees and does --------------------------------------------------------------------------------------------------------

  agents(): AgentView[] {
    return [...this.#agents.values()];
  }

  calls(agentId: string, { before, limit }: { before: number | null; limit: number }): AgentCall[] {
    this.#agent(agentId);
    return this.#calls.filter((call) => call.agentId === agentId && (before === null || call.id < before)).slice(-limit);
  }

  pause(agentId: string): void {
    this.acts.push(['pause', agentId]);
    this.change(agentId, { paused: true });
  }

  resume(agentId: string): void {
    this.acts.push(['resume', agentId]);
    this.change(agentId, { paused: false });
  }

  async takeOver(agentId: string): Promise<void> {
    this.acts.push(['takeOver', agentId]);
    this.change(agentId, { takenOver: true });
  }

  giveBack(agentId: string): void {
    this.acts.push(['giveBack', agentId]);
    this.change(agentId, { takenOver: false });
  }

  async stop(agentId: string): Promise<void> {
    this.#agent(agentId);
    this.acts.push(['stop', agentId]);
    const running = this.#calls.filter((call) => call.agentId === agentId && call.state === 'running');
    this.put(...running.map((call): AgentCall => ({ ...call, state: 'cancelled' })));
  }

  decide(callId: number, approval: Approval): void {
    const call = this.call(callId);
    this.acts.push(['decide', callId, approval]);
    this.put({ ...call, state: approval.approve ? 'done' : 'refused', waitingFor: null });
  }

  async undoTurn(agentId: string, turn: number): Promise<string | null> {
    this.#agent(agentId);
    this.acts.push(['undoTurn', agentId, turn]);
    return this.left;
  }

  setPolicy(agentId: string, policy: AgentPolicy): void {
    this.acts.push(['setPolicy', agentId, policy]);
    this.change(agentId, { policy });
  }

  async exportTimeline(agentId: string): Promise<string> {
    return `<!doctype html><title>${this.#agent(agentId).name}</title>`;
  }

  async exportNotebook(agentId: string): Promise<string> {
    return JSON.stringify({ cells: [], metadata: { agent: this.#agent(agentId).name }, nbformat: 4, nbformat_minor: 5 });
  }

  onAgents(listener: (agents: AgentView[]) => void): () => void {
    this.#agentListeners.add(listener);
    return () => void this.#agentListeners.delete(listener);
  }

  onCalls(listener: (calls: AgentCall[]) => void): () => void {
    this.#callListeners.add(listener);
    return () => void this.#callListeners.delete(listener);
  }
}
