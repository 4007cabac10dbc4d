/**
 * Which agent sessions may live (SPEC section 4), as decisions on values: who makes room for a newcomer, when it has to wait, and what a sweep
 * ends. The one rule above all others is that a busy session is never ended; pinned and per-call ones are outside of all this.
 */

export interface PoolLimits {
  /** Cached sessions. Each is a Python process with its data, so more would fill a laptop's memory. */
  sessions: number;
  /** Unused for this long, in milliseconds, a session is idle enough to be ended. */
  idleMs: number;
  /** Milliseconds between two sweeps. */
  sweepMs: number;
}

export const POOL_LIMITS: PoolLimits = { sessions: 4, idleMs: 5 * 60_000, sweepMs: 30_000 };

export interface PooledSession {
  key: string;
  /** Something shows it; it stays until that ends. */
  pinned: boolean;
  /** A call runs, waits in its queue, or its kernel is being started. */
  busy: boolean;
  /** Its kernel has ended by itself. */
  dead: boolean;
  /** Milliseconds of a clock that only goes forward. */
  lastUsed: number;
}

/** What a session that isn't there yet has to do: come in when those in `end` are gone, or wait. */
export type Admission = { wait: false; end: string[] } | { wait: true };

export function admission(sessions: readonly PooledSession[], limit: number): Admission {
  const cached = sessions.filter(({ pinned }) => !pinned);
  const excess = cached.length + 1 - limit;
  if (excess <= 0) return { wait: false, end: [] };
  const candidates = cached.filter(({ busy }) => !busy).sort((a, b) => Number(b.dead) - Number(a.dead) || a.lastUsed - b.lastUsed);
  return candidates.length < excess ? { wait: true } : { wait: false, end: candidates.slice(0, excess).map(({ key }) => key) };
}

/** Keys of the sessions that a sweep ends at this time. */
export function swept(sessions: readonly PooledSession[], now: number, idleMs: number): string[] {
  return sessions
    .filter(({ pinned, busy, dead, lastUsed }) => !pinned && !busy && (dead || now - lastUsed >= idleMs))
    .map(({ key }) => key);
}

/** Keys of the sessions that are ended when descriptors have run out. */
export function purged(sessions: readonly PooledSession[]): string[] {
  return sessions.filter(({ pinned, busy }) => !pinned && !busy).map(({ key }) => key);
}
