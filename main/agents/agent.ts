/**
 * One agent as main knows it: what it may do, what a person decided about it, and what it is doing. Whoever waits for a person's decision
 * waits for `steered` and looks again; so every decision, in whatever order they come, is seen by every call.
 */
import type { AgentCall, AgentPolicy, AgentView } from '../../preload/agent-sessions.ts';
import type { Call } from './call.ts';
import type { RememberedResults } from './remembered-results.ts';

/** A pause this long between two calls ends a turn: a model thinks for seconds, a person who reads the answer takes longer. */
const TURN_GAP_MS = 120_000;
/** Calls kept in memory; the file has all of them. */
const HISTORY_LIMIT = 2_000;

export interface AgentIdentity {
  /** The client's own, so that it is the same agent after it connects again: lower-case letters, digits and dashes. */
  id: string;
  name: string;
  /** Name and version of its MCP client. */
  client: string;
  /** Absolute. Set by whoever configured the client; the agent has no tool that changes them. */
  folders: string[];
}

export interface AgentStart extends AgentIdentity {
  hue: number;
  policy: AgentPolicy;
  startedAt: number;
  turn: number;
}

export class Agent {
  readonly id: string;
  readonly hue: number;
  readonly startedAt: number;
  name: string;
  client: string;
  folders: string[];
  policy: AgentPolicy;
  connected = false;
  paused = false;
  takenOver = false;
  cursor: AgentView['cursor'] = null;
  /** Finished calls and those that go on, oldest first. */
  history: AgentCall[] = [];
  readonly active = new Map<number, Call>();
  readonly results: RememberedResults;
  /** Folders of the artifacts it was told of, by the name in their addresses. */
  readonly artifactFolders = new Map<string, string>();
  turn: number;
  #lastCallAt: number | null = null;
  #clientTurn: string | null = null;
  #waiting = new Set<() => void>();

  constructor(start: AgentStart, results: RememberedResults) {
    this.results = results;
    this.id = start.id;
    this.hue = start.hue;
    this.startedAt = start.startedAt;
    this.name = start.name;
    this.client = start.client;
    this.folders = start.folders;
    this.policy = start.policy;
    this.turn = start.turn;
  }

  /** What edits of the present turn are made under, in every notebook. */
  get turnName(): { agentId: string; turn: string } {
    return { agentId: this.id, turn: String(this.turn) };
  }

  /** Where relative paths start. */
  get cwd(): string | null {
    return this.folders[0] ?? null;
  }

  view(): AgentView {
    const { id, name, hue, client, connected, paused, takenOver, cursor, policy, folders, turn, startedAt } = this;
    return { id, name, hue, client, connected, paused, takenOver, cursor, policy: { ...policy }, folders: [...folders], turn, startedAt };
  }

  /** A call begins; perhaps a turn does. `clientTurn` is the client's own name for its turn, when it gives one. */
  beginCall(now: number, clientTurn: string | null): void {
    const named = clientTurn !== null && this.#clientTurn !== null && clientTurn !== this.#clientTurn;
    const paused = this.#lastCallAt !== null && this.active.size === 0 && now - this.#lastCallAt > TURN_GAP_MS;
    if (named || (clientTurn === null && paused)) this.nextTurn();
    this.#clientTurn = clientTurn ?? this.#clientTurn;
    this.#lastCallAt = now;
  }

  nextTurn(): void {
    this.turn += 1;
  }

  record(call: AgentCall): void {
    const last = this.history.length - 1;
    for (let index = last; index >= 0 && this.history[index]!.id >= call.id; index -= 1) {
      if (this.history[index]!.id !== call.id) continue;
      this.history[index] = call;
      return;
    }
    this.history.push(call);
    if (this.history.length > HISTORY_LIMIT) this.history.shift();
  }

  /** Resolves when a person decided something about this agent. Throws the signal's reason. */
  steered(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', abort);
      };
      const wake = (): void => {
        end();
        resolve();
      };
      const abort = (): void => {
        end();
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      this.#waiting.add(wake);
      signal.addEventListener('abort', abort);
    });
  }

  /** To be called after each decision. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
