/**
 * The window's agents: their replica, where they are, what a person does to them, and which section of the panel is open. The panel opens
 * by itself when the first agent ever comes for which there is room, and never again: from then on it is as the person left it.
 */
import type { Bridge } from '../../preload/contract.ts';
import { frameWidths } from '../shell/frame-widths.ts';
import type { LayoutState } from '../shell/layout.ts';
import type { Store } from '../shell/store.ts';
import { createStore } from '../shell/store.ts';
import type { Toasts } from '../shell/toasts.ts';
import type { Workspace } from '../shell/workspace.ts';
import { AgentsClient } from './agents-client.ts';
import { Connecting } from './connecting.ts';
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
  readonly connecting: Connecting;
  /** The agent whose section is open; null: the person closed it. */
  readonly open: Store<string | null> = createStore<string | null>(null);
  readonly #layout: Store<LayoutState>;
  readonly #workspace: Workspace;
  #here: ReadonlySet<string> = new Set();
  #chosen = false;

  constructor({ bridge, toasts, workspace, layout }: AgentsOptions) {
    this.#layout = layout;
    this.#workspace = workspace;
    this.client = new AgentsClient(bridge);
    this.presence = new Presence(this.client);
    this.follow = new Follow(this.client, workspace);
    this.connecting = new Connecting(bridge, toasts);
    this.steering = new Steering(bridge, toasts, (path) => workspace.open(path));
    this.client.on('agents', () => this.#agentsChanged());
  }

  #agentsChanged(): void {
    const { agents } = this.client;
    if (!agents.some(({ id }) => id === this.follow.agentId.get())) this.follow.end();
    const here = agents.filter(({ connected }) => connected);
    const open = agents.find(({ id }) => id === this.open.get());
    const came = here.find(({ id }) => !this.#here.has(id));
    this.#here = new Set(here.map(({ id }) => id));
    if (!came) return;
    // Where it would lie over the notebook it doesn't come between the person and his work; the mark in the rail says who is there.
    this.#layout.set((layout) =>
      layout.agentsMet || frameWidths(layout, innerWidth).over ? layout : { ...layout, agents: true, agentsMet: true },
    );
    // Until the person has chosen a section, that of the first who came; nobody is read who has left when the next one comes.
    if (!this.#chosen && !open?.connected) this.open.set(came.id);
  }

  /** The person opens a section or closes it. */
  toggle(agentId: string): void {
    this.#chosen = true;
    this.open.set((present) => (present === agentId ? null : agentId));
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
