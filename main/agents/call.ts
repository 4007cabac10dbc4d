/**
 * One call of a tool from its beginning to its end, as the timeline shows it: it asks for permission before it does anything, waits while it
 * has to, and tells every change as a whole new value.
 */
import type { AgentCall, AgentCallState, Approval, CallCard, Permission } from '../../preload/agent-sessions.ts';
import type { Agent } from './agent.ts';
import { boundedCard } from './card-bounds.ts';
import { RefusedError, StoppedError } from './errors.ts';
import { verdictOn } from './policy.ts';

export interface CallStart {
  id: number;
  tool: string;
  needs: Permission;
  card: CallCard;
}

export interface CallSurroundings {
  canAsk: boolean;
  onChange(call: AgentCall): void;
  /** Something is known of it after its end. */
  onAmend(call: AgentCall): void;
}

const PAUSED = 'This agent is paused by a person; the call goes on when they resume it.';

export class Call {
  readonly agent: Agent;
  readonly #around: CallSurroundings;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #value: AgentCall;
  #approval: Approval | null = null;

  /** `signal` is the client's. */
  constructor(agent: Agent, start: CallStart, signal: AbortSignal, around: CallSurroundings) {
    this.agent = agent;
    this.#around = around;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
    this.#value = {
      ...start,
      card: boundedCard(start.card),
      agentId: agent.id,
      turn: agent.turn,
      state: 'running',
      waitingFor: null,
      waitingSince: null,
      docId: null,
      cellKeys: [],
      startedAt: Date.now(),
      endedAt: null,
    };
  }

  /** Ends with the client's cancellation and with a person's stop. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  get value(): AgentCall {
    return this.#value;
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  show(card: CallCard): void {
    this.#change({ card: boundedCard(card) });
  }

  /** What became of its work after its end: a run goes on when the call that began it is over. */
  amend(card: CallCard): void {
    this.#value = { ...this.#value, card: boundedCard(card) };
    this.#around.onAmend(this.#value);
  }

  /** The cells it is about. */
  at(docId: string | null, cellKeys: readonly string[]): void {
    this.#change({ docId, cellKeys: cellKeys.slice(0, CELLS_LIMIT) });
  }

  needs(permission: Permission): void {
    this.#change({ needs: permission });
  }

  /**
   * Resolves when it may go on. `question` is what a person is asked, in one sentence. Throws RefusedError, StoppedError, or the signal's
   * reason.
   */
  async permit(question: string): Promise<void> {
    const { agent } = this;
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#approval && !this.#approval.approve) throw new RefusedError(refusal(this.#approval.reason));
      if (agent.paused) this.#wait('waiting', PAUSED);
      else {
        const { needs } = this.#value;
        const verdict = verdictOn({
          permission: needs,
          decision: agent.policy[needs],
          takenOver: agent.takenOver,
          canAsk: this.#around.canAsk,
        });
        if (verdict.kind === 'refuse') throw new RefusedError(verdict.why);
        if (verdict.kind === 'allow' || this.#approval) break;
        this.#wait('approval', question);
      }
      await agent.steered(this.#signal);
    }
    this.#goOn();
  }

  /** It has begun and waits for what others hold, said in one sentence; null: no more. */
  waits(waitingFor: string | null): void {
    if (waitingFor !== null) this.#wait('waiting', waitingFor);
    else if (this.#value.state === 'waiting') this.#goOn();
  }

  /** A person's answer, while it waits for one. */
  decide(approval: Approval): void {
    if (this.#value.state === 'approval') this.#approval = approval;
  }

  stop(): void {
    this.#stop.abort(new StoppedError());
  }

  end(state: AgentCallState): void {
    this.#change({ state, waitingFor: null, waitingSince: null, endedAt: Date.now() });
  }

  #wait(state: 'waiting' | 'approval', waitingFor: string): void {
    const { state: before, waitingFor: known, waitingSince } = this.#value;
    if (before === state && known === waitingFor) return;
    // Another place in the same line is the same waiting.
    this.#change({ state, waitingFor, waitingSince: before === state && waitingSince !== null ? waitingSince : Date.now() });
  }

  #goOn(): void {
    this.#change({ state: 'running', waitingFor: null, waitingSince: null });
  }

  #change(change: Partial<AgentCall>): void {
    this.#value = { ...this.#value, ...change };
    this.#around.onChange(this.#value);
  }
}

/** Cells of one call that are marked in the window. */
const CELLS_LIMIT = 1_000;

function refusal(reason: string): string {
  const why = reason.trim();
  return why === '' ? 'A person refused this call. Ask what they want instead.' : `A person refused this call. They say: ${why}`;
}
