/**
 * All agent sessions: who gets which, who waits, what is ended when. The hard rules are that a call holds its session from the moment it has it,
 * so that nothing can end it in between, and that what is ended is gone before the newcomer's kernel starts.
 */
import { randomUUID } from 'node:crypto';
import { CodeFolders } from '../../artifacts/code-folders.ts';
import type { Kernel, KernelSpec, LaunchOptions } from '../../kernels/kernel.ts';
import { errorFields, type Log, silentLog } from '../../log/log.ts';
import { AgentSession, type Restarted, SessionClosedError, type SessionPlan } from './agent-session.ts';
import { Arrivals } from './arrivals.ts';
import { type Clock, systemClock } from './clock.ts';
import { type KernelSource, KernelSupply } from './kernel-supply.ts';
import { admission, POOL_LIMITS, type PooledSession, type PoolLimits, purged, swept } from './pool-policy.ts';
import { infoOf, keyOf, type SessionInfo, type SessionRequest, type WaitingFor } from './pool-requests.ts';
import { WaitingLine } from './waiting-line.ts';

export interface SessionPoolOptions extends KernelSource {
  /** The kernel for a folder. */
  chooseSpec: (cwd: string) => Promise<{ spec: KernelSpec; note: string | null }>;
  limits?: Partial<PoolLimits>;
  clock?: Clock;
  log?: Log;
}

/** What became of these many sessions is remembered for their next call. */
const FAREWELLS_LIMIT = 200;

export class SessionPool {
  /** Calls that are being looked at, before they ask for a session. */
  readonly arrivals = new Arrivals();
  /** What the code of its sessions puts into their artifact folders. */
  readonly codeFolders = new CodeFolders();
  readonly #chooseSpec: SessionPoolOptions['chooseSpec'];
  readonly #limits: PoolLimits;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #supply: KernelSupply;
  readonly #sessions = new Map<string, AgentSession>();
  readonly #perCall = new Set<AgentSession>();
  /** Sessions that are being ended; a newcomer's kernel starts after them. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #line = new WaitingLine<SessionRequest, AgentSession>();
  readonly #farewells = new Map<string, Restarted>();
  #stopSweeping: (() => void) | null = null;
  #closing: Promise<void> | null = null;
  #checking = false;

  constructor({ chooseSpec, limits, clock = systemClock, log = silentLog, ...source }: SessionPoolOptions) {
    this.#chooseSpec = chooseSpec;
    this.#limits = { ...POOL_LIMITS, ...limits };
    this.#clock = clock;
    this.#log = log;
    this.#supply = new KernelSupply(source, () => this.#endIdle(), log);
  }

  /**
   * Does the work with the session of this request, in its turn. `onWaiting` hears what the call waits for. Throws the signal's reason while it
   * waits, SessionClosedError, and whatever the work throws. A per-call kernel is gone when this ends, however it ends.
   */
  async withSession<T>(
    request: SessionRequest,
    { signal, onWaiting }: { signal: AbortSignal; onWaiting: (what: WaitingFor) => void },
    work: (session: AgentSession) => Promise<T>,
  ): Promise<T> {
    if (this.#closing) throw new SessionClosedError();
    if (request.mode === 'per-call') return this.#forOneCall(request, work);
    const session = await this.#get(request, signal, onWaiting);
    try {
      const end = await session.turns.take(signal, (position) => onWaiting({ reason: 'turn', position }));
      try {
        return await work(session);
      } finally {
        end();
      }
    } finally {
      session.calls -= 1;
      session.lastUsed = this.#clock.now();
      this.#check();
      void this.#supply.warm();
    }
  }

  /** Every session and per-call kernel that is there. */
  list(): SessionInfo[] {
    return [...this.#sessions.values(), ...this.#perCall].map((session) => infoOf(session, this.#clock.now()));
  }

  /** For interrupting or restarting it by hand. */
  session(key: string): AgentSession | null {
    return this.#sessions.get(key) ?? [...this.#perCall].find(({ plan }) => plan.key === key) ?? null;
  }

  /** True while a call runs or waits. */
  get busy(): boolean {
    return this.#perCall.size > 0 || this.#line.length > 0 || [...this.#sessions.values()].some((session) => session.busy);
  }

  /** Keeps a session for as long as something shows it; returns the function that ends that. Null when it isn't there. */
  pin(key: string): (() => void) | null {
    const session = this.#sessions.get(key);
    if (!session) return null;
    session.pins += 1;
    this.#check();
    let pinned = true;
    return () => {
      if (pinned) session.pins -= 1;
      pinned = false;
      this.#check();
    };
  }

  /** Shuts a session down; what runs in it is cancelled. */
  async shutdown(key: string): Promise<void> {
    const session = this.#sessions.get(key);
    if (session) await this.#end(session, 'The kernel was shut down.');
    else await this.session(key)?.close();
  }

  /** An owner is gone: sessions that nobody else uses end, those that are busy as soon as they aren't. */
  leave(owner: string): void {
    for (const session of this.#sessions.values()) session.owners.delete(owner);
    this.#check();
  }

  /** Sees to it that there is the spare kernel that is wanted now; resolves when it is ready or could not be started. */
  async warm(): Promise<void> {
    await this.#supply.warm();
  }

  /** Ends everything. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopSweeping?.();
    this.#line.refuse(new SessionClosedError());
    const all = [...this.#sessions.values(), ...this.#perCall];
    this.#sessions.clear();
    await Promise.all([...all.map((session) => this.#closeQuietly(session)), this.#supply.close(), ...this.#leaving]);
  }

  async #forOneCall<T>(request: SessionRequest, work: (session: AgentSession) => Promise<T>): Promise<T> {
    const session = hold(this.#make({ ...request, key: randomUUID() }), request.owner);
    this.#perCall.add(session);
    try {
      return await work(session);
    } finally {
      await this.#closeQuietly(session);
      this.#perCall.delete(session);
      void this.#supply.warm();
    }
  }

  async #get(request: SessionRequest, signal: AbortSignal, onWaiting: (what: WaitingFor) => void): Promise<AgentSession> {
    signal.throwIfAborted();
    const session = this.#existing(request) ?? (this.#line.length === 0 ? this.#admit(request) : null);
    return session ?? this.#line.wait(request, signal, (position) => onWaiting({ reason: 'room', position }));
  }

  #existing(request: SessionRequest): AgentSession | null {
    const session = this.#sessions.get(keyOf(request));
    return session ? hold(session, request.owner) : null;
  }

  /** A new session when there is room for it or room can be made, else null. */
  #admit(request: SessionRequest): AgentSession | null {
    const decision = admission(this.#views(), this.#limits.sessions);
    if (decision.wait) return null;
    for (const key of decision.end) void this.#end(this.#sessions.get(key)!, 'The kernel was shut down to make room for another session.');
    const key = keyOf(request);
    const session = this.#make({ ...request, key });
    this.#sessions.set(key, session);
    this.#stopSweeping ??= this.#clock.every(this.#limits.sweepMs, () => this.#sweep());
    return hold(session, request.owner);
  }

  #make({ key, mode, cwd, sessionFile, artifactFolder }: SessionPlan): AgentSession {
    const farewell = this.#farewells.get(key) ?? null;
    this.#farewells.delete(key);
    return new AgentSession(
      { key, mode, cwd, sessionFile, artifactFolder },
      {
        start: (options) => this.#start(options),
        chooseSpec: this.#chooseSpec,
        withRoom: (attempt) => this.#supply.withRoom(attempt),
        onChange: () => this.#check(),
        log: this.#log,
      },
      farewell,
    );
  }

  async #start(options: LaunchOptions): Promise<{ kernel: Kernel; hasHelpers: boolean }> {
    await Promise.all(this.#leaving);
    options.signal?.throwIfAborted();
    return this.#supply.get(options);
  }

  /** Something changed: when this turn of the event loop is over, those in the line may have got room. */
  #check(): void {
    if (this.#checking) return;
    this.#checking = true;
    queueMicrotask(() => {
      this.#checking = false;
      if (this.#closing) return;
      for (const session of this.#sessions.values()) if (isUseless(session)) void this.#end(session, null);
      let isFull = false;
      this.#line.serve((request) => {
        const session = this.#existing(request) ?? (isFull ? null : this.#admit(request));
        isFull ||= session === null;
        return session;
      });
    });
  }

  #sweep(): void {
    const minutes = Math.round(this.#limits.idleMs / 60_000);
    for (const key of swept(this.#views(), this.#clock.now(), this.#limits.idleMs)) {
      const session = this.#sessions.get(key)!;
      void this.#end(session, session.dead ? session.deathMessage : `The kernel was shut down after ${minutes} minutes without use.`);
    }
  }

  async #endIdle(): Promise<void> {
    const why = 'The kernel was shut down because too many files were open.';
    await Promise.all(purged(this.#views()).map((key) => this.#end(this.#sessions.get(key)!, why)));
  }

  /** Takes the session out and ends its kernel. `why` is told to the next call of its key. */
  #end(session: AgentSession, why: string | null): Promise<void> {
    const { key } = session.plan;
    if (this.#sessions.get(key) === session) this.#sessions.delete(key);
    if (why !== null && session.kernel) this.#farewells.set(key, { why });
    const [oldest] = this.#farewells.keys();
    if (oldest !== undefined && this.#farewells.size > FAREWELLS_LIMIT) this.#farewells.delete(oldest);
    const leaving = this.#closeQuietly(session).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    this.#check();
    return leaving;
  }

  async #closeQuietly(session: AgentSession): Promise<void> {
    await session.close().catch((error: unknown) => this.#log.warn('session.close-failed', errorFields(error)));
  }

  #views(): PooledSession[] {
    return [...this.#sessions].map(([key, { pins, busy, dead, lastUsed }]) => ({ key, pinned: pins > 0, busy, dead, lastUsed }));
  }
}

/** From here on nothing ends it until the call has done with it. */
function hold(session: AgentSession, owner: string): AgentSession {
  session.calls += 1;
  session.owners.add(owner);
  return session;
}

/** Its kernel could not be started, or everybody who used it is gone. */
function isUseless({ busy, pins, kernel, owners }: AgentSession): boolean {
  return !busy && pins === 0 && (kernel === null || owners.size === 0);
}
