/**
 * Everything that agents need, put together: the registry of sessions, their kernels, the notebooks and the tools. One service serves any number of
 * connections; an agent that connects again under its id finds its kernel and its runs as it left them.
 */
import path from 'node:path';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { claimIfThere, leaveFolder } from '../artifacts/folder-use.ts';
import type { KernelMode } from '../execution/agents/agent-session.ts';
import { SessionPool, type SessionPoolOptions } from '../execution/agents/session-pool.ts';
import type { Log } from '../log/log.ts';
import type { Agent, AgentIdentity } from './agent.ts';
import { AgentSessions } from './agent-sessions.ts';
import { agentArtifacts, cardFolder } from './card-folders.ts';
import { ImageWork } from './image-work.ts';
import { makeMcpServer } from './mcp-server.ts';
import { ModelImages } from './model-images.ts';
import type { NotebookOwner } from './notebook-owner.ts';
import { NotebookRuns } from './notebook-runs.ts';
import type { OutputViewer } from './output-viewer.ts';
import { SharedSaves } from './shared-saves.ts';
import type { ToolContext } from './tool.ts';
import { TOOLS } from './tools/all.ts';
import { takeBackTurn } from './turn-undo.ts';
import { Workspace } from './workspace.ts';

/** How long the kernels of an agent that has left wait for it to come back. */
const LEAVE_MS = 60_000;

export interface AgentServiceOptions {
  /** The profile's folder; agents' own files lie in `agents` below it. */
  profile: string;
  owner: NotebookOwner;
  kernels: SessionPoolOptions['kernels'];
  /** The kernel of `python` in a folder. */
  chooseSpec: SessionPoolOptions['chooseSpec'];
  /** Whether a kernel is kept ready while agents are here, so that their first call needs no start. */
  keepsSpare: () => boolean;
  /** Whether the kernel of `python` outlives the call. */
  pythonKernel: () => KernelMode;
  /** A person can be asked and can look. */
  hasWindow: boolean;
  home: string;
  version: string;
  /** The built worker that images are scaled in. */
  imageWorker: string;
  /** Draws outputs as a person sees them; null where there is no window. */
  viewer: OutputViewer | null;
  log: Log;
}

export interface Connection {
  agent: Agent;
  server: Server;
  /** The client is gone. Idempotent. */
  close(): void;
}

export class AgentService {
  readonly sessions: AgentSessions;
  readonly #options: AgentServiceOptions;
  readonly #pool: SessionPool;
  readonly #workspace: Workspace;
  readonly #saves: SharedSaves;
  readonly #runs: NotebookRuns;
  readonly #images: ModelImages;
  readonly #imageWork: ImageWork;
  /** Connections of each agent. */
  readonly #connections = new Map<string, number>();
  readonly #leaving = new Map<string, NodeJS.Timeout>();
  /** Working folder of the agent that came last. */
  #newest: string;

  private constructor(
    options: AgentServiceOptions,
    parts: { sessions: AgentSessions; workspace: Workspace; runs: NotebookRuns; saves: SharedSaves },
  ) {
    this.#options = options;
    this.#newest = options.home;
    this.sessions = parts.sessions;
    this.#workspace = parts.workspace;
    this.#runs = parts.runs;
    this.#saves = parts.saves;
    this.#imageWork = new ImageWork(options.imageWorker, options.log);
    this.#images = new ModelImages(this.#imageWork);
    const { kernels, chooseSpec, keepsSpare, log } = options;
    this.#pool = new SessionPool({
      kernels,
      chooseSpec,
      spare: async (last) => (keepsSpare() && this.#isVisited ? (last ?? (await chooseSpec(this.#newest)).spec) : null),
      log,
    });
  }

  static async open(options: AgentServiceOptions): Promise<AgentService> {
    const { owner, profile, log } = options;
    const workspace = new Workspace(owner, options.hasWindow, log);
    const saves = new SharedSaves();
    const runs = new NotebookRuns(workspace, saves, log);
    const sessions = await AgentSessions.open({
      folder: timelinesFolder(profile),
      canAsk: options.hasWindow,
      cardFolder: (host, agentId) => cardFolder(profile, host, (id) => id === agentId),
      undo: (turn, edited) => takeBackTurn(owner, saves, turn, edited),
      stopRuns: (agentId) => runs.stop(agentId),
      log,
    });
    return new AgentService(options, { sessions, workspace, runs, saves });
  }

  /** A client is there. Its agent is new, or known by its id. */
  connect(identity: AgentIdentity): Connection {
    const agent = this.sessions.connect(identity);
    const { id } = agent;
    clearTimeout(this.#leaving.get(id));
    this.#connections.set(id, (this.#connections.get(id) ?? 0) + 1);
    this.#newest = agent.cwd ?? this.#options.home;
    void this.#pool.warm();
    void claimIfThere(agentArtifacts(this.#options.profile, id), null, agent).catch(() => {});
    const { version, log } = this.#options;
    const server = makeMcpServer({ tools: TOOLS, version, context: () => this.#context(agent), sessions: this.sessions, log });
    let open = true;
    return {
      agent,
      server,
      close: () => {
        if (open) this.#left(agent);
        open = false;
      },
    };
  }

  /** True when nothing would be lost with it: no call goes on, and no kernel holds anybody's variables. */
  get quiet(): boolean {
    const kernels = this.#pool.list().length + this.#workspace.opened().filter(({ session }) => session.kernel !== null).length;
    return kernels === 0 && !this.#pool.busy && !this.sessions.busy;
  }

  async close(): Promise<void> {
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    await this.#pool.close();
    await this.#workspace.close();
    await this.sessions.close();
    await this.#imageWork.close();
  }

  get #isVisited(): boolean {
    return [...this.#connections.values()].some((connections) => connections > 0);
  }

  #left(agent: Agent): void {
    const { id } = agent;
    const left = (this.#connections.get(id) ?? 1) - 1;
    this.#connections.set(id, left);
    if (left > 0) return;
    this.sessions.disconnect(agent);
    void leaveFolder(agentArtifacts(this.#options.profile, id), agent);
    const timer = setTimeout(() => {
      this.#pool.leave(id);
      void this.#pool.warm();
    }, LEAVE_MS);
    timer.unref();
    this.#leaving.set(id, timer);
  }

  #context(agent: Agent): ToolContext {
    const { profile, home, viewer, pythonKernel } = this.#options;
    return {
      agent,
      reach: { cwd: agent.cwd ?? home, folders: agent.folders, home },
      workspace: this.#workspace,
      saves: this.#saves,
      runs: this.#runs,
      pool: this.#pool,
      images: this.#images,
      viewer,
      pythonKernel: pythonKernel(),
      artifactFolder: agentArtifacts(profile, agent.id),
      sessionFile: path.join(timelinesFolder(profile), `${agent.id}.jsonl`),
      pointAt: (docId, key) => this.sessions.pointAt(agent, { docId, key }),
    };
  }
}

/** Where agents' own files lie. */
export function timelinesFolder(profile: string): string {
  return path.join(profile, 'agents', 'sessions');
}
