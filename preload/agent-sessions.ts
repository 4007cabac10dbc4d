/**
 * Agent sessions as windows see them: who works here, what each call did, and what a person may do about it. Shared by main, which records,
 * and the renderer, which shows. A call is one card; it is sent again whole whenever it changes, so that a card needs no history to be right.
 */
import * as z from 'zod';

/** What a policy decides about, from the most harmless to the least. */
export const PERMISSIONS = ['read', 'edit', 'run', 'install', 'delete', 'restart'] as const;
export type Permission = (typeof PERMISSIONS)[number];
export const decisionSchema = z.enum(['allow', 'ask', 'deny']);
export type Decision = z.infer<typeof decisionSchema>;
export type AgentPolicy = Record<Permission, Decision>;
export const agentPolicySchema: z.ZodType<AgentPolicy> = z.object({
  read: decisionSchema,
  edit: decisionSchema,
  run: decisionSchema,
  install: decisionSchema,
  delete: decisionSchema,
  restart: decisionSchema,
});

/** Hues of agents; each agent keeps its own while it is known. */
export const AGENT_HUES = 8;

export interface AgentView {
  id: string;
  /** As the agent or its client named itself, made unique. */
  name: string;
  /** 0 .. AGENT_HUES - 1. */
  hue: number;
  /** Name and version of its MCP client. */
  client: string;
  connected: boolean;
  /** Its next call waits and says so. */
  paused: boolean;
  /** A person has taken over: every call but reading is refused until it is given back. */
  takenOver: boolean;
  /** The cell it edits or runs now. */
  cursor: { docId: string; key: string } | null;
  policy: AgentPolicy;
  /** Folders it may reach, absolute. */
  folders: string[];
  /** The turn that its next call belongs to; counts from 1. */
  turn: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/**
 * `waiting`: paused, or for a kernel or its place in a queue; `approval`: for a person's answer. The last four are final.
 */
export type AgentCallState = 'waiting' | 'approval' | 'running' | 'done' | 'failed' | 'cancelled' | 'refused';

export interface CardImage {
  /** What an <img> can load: `artifact://…`, as the window's protocol serves it. */
  url: string;
  mime: string;
}

/** One status event of a cell, as the prelude's helpers report them. */
export interface CardStatus {
  op: string;
  [field: string]: unknown;
}

/** A cell of a `python` or `notebook_run` call. Text is sanitized and bounded to its tail. */
export interface CardCell {
  title: string;
  code: string;
  status: 'pending' | 'running' | 'complete' | 'error';
  text: string;
  /** Set when `text` is not all of it. */
  truncation: { totalLines: number; totalBytes: number; artifactUrl: string | null } | null;
  durationMs: number | null;
  executionCount: number | null;
  images: CardImage[];
  json: unknown[];
  statusEvents: CardStatus[];
}

export type CallCard =
  | {
      kind: 'notebook';
      action: string;
      path: string;
      cellIndex: number | null;
      cellType: 'code' | 'markdown' | 'raw' | null;
      /** On success what happened, in one line; on failure a text that starts with `Error:`. */
      summary: string;
      /** Source after the call; null when there is none to show. */
      source: string | null;
      /** Source before it, for a diff that a person reviews; null when there was none. */
      before: string | null;
    }
  | { kind: 'cells'; path: string | null; cwd: string; cells: CardCell[]; summary: string }
  | { kind: 'plain'; title: string; summary: string; detail: string | null };

export interface AgentCall {
  /** Grows over all agents: the order of the timeline. */
  id: number;
  agentId: string;
  turn: number;
  tool: string;
  state: AgentCallState;
  /** Why it waits or what a person is asked, in one sentence; null otherwise. */
  waitingFor: string | null;
  /** Since when it waits or asks, in milliseconds since the epoch; null otherwise. */
  waitingSince: number | null;
  /** The permission it needs. */
  needs: Permission;
  docId: string | null;
  cellKeys: string[];
  startedAt: number;
  endedAt: number | null;
  card: CallCard;
}

/** A person's answer to a call that waits for approval. */
export const approvalSchema = z.object({
  approve: z.boolean(),
  /** What the agent is told with a refusal; may be empty. */
  reason: z.string().max(2000),
  /** Answer the same way from now on, for this agent and this permission. */
  always: z.boolean(),
});
export type Approval = z.infer<typeof approvalSchema>;

/** How a window watches and steers. Main's registry of agent sessions implements it; every method throws AgentNotFoundError for an id it doesn't know. */
export interface AgentWatch {
  agents(): AgentView[];
  /** At most `limit` calls that are older than `before` (newest without it), oldest first. */
  calls(agentId: string, options: { before: number | null; limit: number }): AgentCall[];
  pause(agentId: string): void;
  resume(agentId: string): void;
  /** Stops what runs and refuses further calls but reading, until `giveBack`. */
  takeOver(agentId: string): Promise<void>;
  giveBack(agentId: string): void;
  /** Interrupts what the agent runs now; it may go on after it. */
  stop(agentId: string): Promise<void>;
  decide(callId: number, approval: Approval): void;
  /** Takes a turn's edits back and leaves everyone else's. Says what could not be taken back, or null. */
  undoTurn(agentId: string, turn: number): Promise<string | null>;
  setPolicy(agentId: string, policy: AgentPolicy): void;
  /** The timeline as one HTML file. */
  exportTimeline(agentId: string): Promise<string>;
  /** The cells of its `python` calls as a notebook's JSON text. */
  exportNotebook(agentId: string): Promise<string>;
  /** Agents that came, went or changed: the whole list. Returns what ends it. */
  onAgents(listener: (agents: AgentView[]) => void): () => void;
  /** Calls that are new or changed, at most once in 50 ms. Returns what ends it. */
  onCalls(listener: (calls: AgentCall[]) => void): () => void;
}

// ---- what crosses between main and windows ------------------------------------------------------------------------------------------

const agentId = z.string().min(1).max(200);
const callId = z.number().int().min(0);
const turn = z.number().int().min(1);
const forAgent = z.object({ agentId });
/** A page of more calls would make one message of many megabytes. */
const MOST_CALLS = 200;

/** How a client of agents is connected to this Cellwright. */
export interface ClientConfiguration {
  client: string;
  /** Where it belongs: a file, or `terminal`. */
  place: string;
  /** What is copied. */
  text: string;
  /** It contains the token. */
  secret: boolean;
}

interface AgentAct {
  args: { agentId: string };
  result: null;
}

/** Calls of a window about agents; each does what the method of `AgentWatch` with its name does. */
export interface AgentCalls {
  'agents.list': { args: undefined; result: AgentView[] };
  'agents.calls': { args: { agentId: string; before: number | null; limit: number }; result: AgentCall[] };
  'agents.pause': AgentAct;
  'agents.resume': AgentAct;
  'agents.takeOver': AgentAct;
  'agents.giveBack': AgentAct;
  'agents.stop': AgentAct;
  'agents.decide': { args: { callId: number; approval: Approval }; result: null };
  /** `left` says what could not be taken back; null when all of it was. */
  'agents.undoTurn': { args: { agentId: string; turn: number }; result: { left: string | null } };
  'agents.setPolicy': { args: { agentId: string; policy: AgentPolicy }; result: null };
  /** Both ask for a place with the system's dialog; `path` is null when the person cancels. */
  'agents.exportTimeline': { args: { agentId: string }; result: { path: string | null } };
  'agents.exportNotebook': { args: { agentId: string }; result: { path: string | null } };
  /** To be shown: without the token. */
  'agents.clients': { args: undefined; result: ClientConfiguration[] };
  /** Puts a client's whole configuration on the clipboard. */
  'agents.copyClient': { args: { client: string }; result: null };
}

export const agentCallSchemas: { [N in keyof AgentCalls]: z.ZodType<AgentCalls[N]['args']> } = {
  'agents.list': z.undefined(),
  'agents.calls': z.object({ agentId, before: callId.nullable(), limit: z.number().int().min(1).max(MOST_CALLS) }),
  'agents.pause': forAgent,
  'agents.resume': forAgent,
  'agents.takeOver': forAgent,
  'agents.giveBack': forAgent,
  'agents.stop': forAgent,
  'agents.decide': z.object({ callId, approval: approvalSchema }),
  'agents.undoTurn': z.object({ agentId, turn }),
  'agents.setPolicy': z.object({ agentId, policy: agentPolicySchema }),
  'agents.exportTimeline': forAgent,
  'agents.exportNotebook': forAgent,
  'agents.clients': z.undefined(),
  'agents.copyClient': z.object({ client: z.string().max(100) }),
};

export interface AgentEvents {
  /** The whole list, whenever an agent came, went or changed. */
  'agents.changed': { agents: AgentView[] };
  /** Calls that are new or changed, each whole. */
  'agents.calls': { calls: AgentCall[] };
}
