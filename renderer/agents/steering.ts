/** What a person does to an agent: one call to main each, and a word when it did not work. What it led to comes back as an event. */
import type { AgentCalls, AgentPolicy, Approval } from '../../preload/agent-sessions.ts';
import type { Bridge, CallResult } from '../../preload/contract.ts';
import type { Toasts } from '../shell/toasts.ts';
import { fileName } from './call-words.ts';

type Act = 'agents.pause' | 'agents.resume' | 'agents.takeOver' | 'agents.giveBack' | 'agents.stop';

export class Steering {
  readonly #bridge: Bridge;
  readonly #toasts: Toasts;
  readonly #open: (path: string) => Promise<void>;

  /** `open` shows a notebook. */
  constructor(bridge: Bridge, toasts: Toasts, open: (path: string) => Promise<void>) {
    this.#bridge = bridge;
    this.#toasts = toasts;
    this.#open = open;
  }

  async #ask<N extends keyof AgentCalls>(name: N, args: AgentCalls[N]['args']): Promise<CallResult<N> | undefined> {
    const answer = await this.#bridge.call(name, args);
    if (answer.ok) return answer.value;
    this.#toasts.fail(answer.error);
    return undefined;
  }

  async act(name: Act, agentId: string): Promise<void> {
    await this.#ask(name, { agentId });
  }

  /** Says whether the answer has reached main. */
  async decide(callId: number, approval: Approval): Promise<boolean> {
    return (await this.#ask('agents.decide', { callId, approval })) !== undefined;
  }

  /** Says whether it has reached main. */
  async setPolicy(agentId: string, policy: AgentPolicy): Promise<boolean> {
    return (await this.#ask('agents.setPolicy', { agentId, policy })) !== undefined;
  }

  async undoTurn(agentId: string, turn: number, name: string): Promise<void> {
    const answer = await this.#ask('agents.undoTurn', { agentId, turn });
    if (answer === undefined) return;
    if (answer.left === null) this.#toasts.tell(`Turn ${turn} of ${name} was taken back.`);
    else this.#toasts.note(answer.left);
  }

  async saveAs(kind: 'agents.exportTimeline' | 'agents.exportNotebook', agentId: string): Promise<void> {
    const answer = await this.#ask(kind, { agentId });
    const path = answer?.path ?? null;
    if (path === null) return;
    const open = kind === 'agents.exportNotebook' ? { label: 'Open', run: () => void this.#open(path) } : null;
    this.#toasts.tell(`Saved ${fileName(path)}.`, open);
  }
}
