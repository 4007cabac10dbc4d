/**
 * The window's agents: their replica, where they are, what a person does to them, and which section of the panel is open. The panel opens
 * by itself when the first agent ever comes, and never again: from then on it is as the person left it.
 */
import type { Bridge } from '../../preload/contract.ts';
import type { LayoutState } from '../shell/layout.ts';
import type { Store } from '../shell/store.ts';
import { createStore } from '../shell/store.ts';
import type { Toasts } from '../shell/toasts.ts';
import type { Workspace } from '../shell/workspace.ts';
import { AgentsClient } from './agents-client.ts';
import { Follow } from './follow.ts';
import { Presence } from './presence.ts';
import { Steering } from './steering.ts';

export interface AgentsOptions {
  bridge: Bridge;
  toasts: Toasts;
  workspace: Workspace;
  layout: Store<LayoutState>;
}

export class Agents {
  readonly client: AgentsClient;
  readonly presence: Presence;
  readonly follow: Follow;
  readonly steering: Steering;
  /** The agent whose section is open; null: the person closed it. */
  readonly open: Store<string | null> = createStore<string | null>(null);
  readonly #layout: Store<LayoutState>;
  readonly #workspace: Workspace;

  constructor({ bridge, toasts, workspace, layout }: AgentsOptions) {
    this.#layout = layout;
    this.#workspace = workspace;
    this.client = new AgentsClient(bridge);
    this.presence = new Presence(this.client);
    this.follow = new Follow(this.client, workspace);
    this.steering = new Steering(bridge, toasts);
    let known = 0;
    this.client.on('agents', () => {
      const { agents } = this.client;
      if (known === 0 && agents.length > 0) this.#firstCame();
      if (!agents.some(({ id }) => id === this.follow.agentId.get())) this.follow.end();
      known = agents.length;
    });
  }

  #firstCame(): void {
    if (this.open.get() === null) this.open.set(this.client.agents[0]?.id ?? null);
    this.#layout.set((layout) => (layout.agentsMet ? layout : { ...layout, agents: true, agentsMet: true }));
  }

  /** Opens the panel at an agent's section. */
  show(agentId: string): void {
    this.open.set(agentId);
    this.#layout.set((layout) => ({ ...layout, agents: true }));
  }

  /** Brings the cell of a call into view and selects it. */
  async showCell(path: string | null, docId: string | null, key: string): Promise<void> {
    const find = () => this.#workspace.state.get().tabs.find(({ client }) => client.docId === docId) ?? null;
    const present = find();
    if (present) this.#workspace.activate(present);
    else if (path !== null) await this.#workspace.open(path);
    const tab = present ?? find();
    if (!tab?.client.keys.includes(key)) return;
    requestAnimationFrame(() => tab.select(key));
  }
}
