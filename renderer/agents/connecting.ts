/** What a person is shown to connect an agent: each usual client's configuration, made for this installation, to be copied. */
import type { ClientConfiguration } from '../../preload/agent-sessions.ts';
import type { Bridge } from '../../preload/contract.ts';
import { createStore, type Store } from '../shell/store.ts';
import type { Toasts } from '../shell/toasts.ts';

export interface ConnectingState {
  clients: readonly ClientConfiguration[];
  shown: string;
}

export class Connecting {
  /** Null while the dialog is closed. */
  readonly state: Store<ConnectingState | null> = createStore<ConnectingState | null>(null);
  readonly #bridge: Bridge;
  readonly #toasts: Toasts;

  constructor(bridge: Bridge, toasts: Toasts) {
    this.#bridge = bridge;
    this.#toasts = toasts;
  }

  async show(): Promise<void> {
    const answer = await this.#bridge.call('agents.clients', undefined);
    if (!answer.ok) return this.#toasts.fail(answer.error);
    const [first] = answer.value;
    if (first) this.state.set({ clients: answer.value, shown: first.client });
  }

  look(client: string): void {
    this.state.set((state) => state && { ...state, shown: client });
  }

  /** Main puts it on the clipboard, since only main knows the token. */
  async copy(client: string): Promise<void> {
    const answer = await this.#bridge.call('agents.copyClient', { client });
    if (answer.ok) this.#toasts.tell('Copied.');
    else this.#toasts.fail(answer.error);
  }

  close(): void {
    this.state.set(null);
  }
}
