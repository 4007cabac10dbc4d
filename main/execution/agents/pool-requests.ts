/** What is asked of the pool of agent sessions, and what it tells. */
import type { AgentSession, KernelMode } from './agent-session.ts';

/** Whose session it is, and where. */
export interface SessionRequest {
  mode: KernelMode;
  /** Absolute path of a folder that exists. */
  cwd: string;
  sessionFile: string | null;
  artifactFolder: string | null;
  /** Names whoever asks, such as one MCP connection. */
  owner: string;
}

/** What a call waits for: room for one more session, or its turn in the session it has. `position` counts from 1. */
export interface WaitingFor {
  reason: 'room' | 'turn';
  position: number;
}

export interface SessionInfo {
  key: string;
  mode: KernelMode;
  cwd: string;
  sessionFile: string | null;
  owners: string[];
  state: ReturnType<AgentSession['view']>['state'];
  /** Display name of the kernel. */
  name: string;
  pid: number | null;
  busy: boolean;
  /** Calls that wait for their turn. */
  waiting: number;
  pinned: boolean;
  /** Milliseconds since it was used last; 0 while it is busy. */
  idleMs: number;
}

/** Session file and folder are the key (SPEC section 3). */
export function keyOf({ sessionFile, cwd }: Pick<SessionRequest, 'sessionFile' | 'cwd'>): string {
  return JSON.stringify([sessionFile, cwd]);
}

export function infoOf(session: AgentSession, now: number): SessionInfo {
  const { key, mode, cwd, sessionFile } = session.plan;
  const { state, name } = session.view();
  return {
    key,
    mode,
    cwd,
    sessionFile,
    owners: [...session.owners],
    state,
    name,
    pid: session.kernel?.pid ?? null,
    busy: session.busy,
    waiting: session.turns.waiting,
    pinned: session.pins > 0,
    idleMs: session.busy ? 0 : now - session.lastUsed,
  };
}
