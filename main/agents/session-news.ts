/**
 * What windows are told of agents: the last state of each at a pace that eyes can follow. The hard thing is an edit, which is over long before
 * the next word: where its agent was is told all the same, and that it is there no more with the word after.
 */
import type { AgentCall, AgentView } from '../../preload/agent-sessions.ts';
import { Emitter } from '../kernels/emitter.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { Agent } from './agent.ts';

/** Sooner nobody sees it, and a call that is over by then is told of, and drawn, once. */
const TELL_MS = 50;

type Events = { agents: AgentView[]; calls: AgentCall[] };

export class SessionNews {
  readonly #agents: () => AgentView[];
  readonly #emitter: Emitter<Events>;
  readonly #calls = new Map<number, AgentCall>();
  readonly #leaving = new Set<Agent>();
  #agentsChanged = false;
  #timer: NodeJS.Timeout | null = null;

  /** `agents` gives all of them as they are. */
  constructor(agents: () => AgentView[], log: Log) {
    this.#agents = agents;
    this.#emitter = new Emitter((error) => log.error('agents.listener-failed', errorFields(error)));
  }

  on<N extends keyof Events>(name: N, listener: (news: Events[N]) => void): () => void {
    return this.#emitter.on(name, listener);
  }

  agentsChanged(): void {
    this.#agentsChanged = true;
    this.#soon();
  }

  callChanged(call: AgentCall): void {
    this.#calls.set(call.id, call);
    this.#soon();
  }

  /** It is at a cell. */
  came(agent: Agent, cursor: NonNullable<AgentView['cursor']>): void {
    this.#leaving.delete(agent);
    if (agent.cursor?.docId === cursor.docId && agent.cursor.key === cursor.key) return;
    agent.cursor = cursor;
    this.agentsChanged();
  }

  /** It is at no cell any more. */
  left(agent: Agent): void {
    if (!agent.cursor) return;
    this.#leaving.add(agent);
    this.agentsChanged();
  }

  /** What was not told yet never is. */
  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#tell(), TELL_MS);
  }

  #tell(): void {
    this.#timer = null;
    const calls = [...this.#calls.values()].sort((a, b) => a.id - b.id);
    this.#calls.clear();
    if (this.#agentsChanged) this.#emitter.emit('agents', this.#agents());
    this.#agentsChanged = false;
    for (const agent of this.#leaving) {
      agent.cursor = null;
      this.agentsChanged();
    }
    this.#leaving.clear();
    if (calls.length > 0) this.#emitter.emit('calls', calls);
  }
}
