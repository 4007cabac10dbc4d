/**
 * Follows one agent over the notebooks: the page goes where it edits or runs. It ends as soon as the person does something on a notebook
 * by himself, and it never takes the keyboard: what is typed goes where it went.
 */
import type { NotebookController } from '../notebook/notebook-controller.ts';
import type { Store } from '../shell/store.ts';
import { createStore } from '../shell/store.ts';
import type { Workspace } from '../shell/workspace.ts';
import type { AgentsClient } from './agents-client.ts';

export class Follow {
  /** The agent that is followed. */
  readonly agentId: Store<string | null> = createStore<string | null>(null);
  readonly #client: AgentsClient;
  readonly #workspace: Workspace;
  #shown: string | null = null;

  constructor(client: AgentsClient, workspace: Workspace) {
    this.#client = client;
    this.#workspace = workspace;
    client.on('agents', () => void this.#go());
    const end = (event: Event) => {
      if (event.isTrusted && event.target instanceof Element && event.target.closest('[data-notebook]')) this.end();
    };
    for (const name of ['wheel', 'pointerdown', 'keydown']) addEventListener(name, end, { capture: true, passive: true });
  }

  toggle(agentId: string): void {
    this.#shown = null;
    this.agentId.set((present) => (present === agentId ? null : agentId));
    void this.#go();
  }

  end(): void {
    this.agentId.set(null);
  }

  async #go(): Promise<void> {
    const id = this.agentId.get();
    const cursor = id === null ? null : (this.#client.agent(id)?.cursor ?? null);
    if (id === null || !cursor) return;
    const place = `${cursor.docId}/${cursor.key}`;
    if (place === this.#shown) return;
    this.#shown = place;
    const tab = await this.#tabOf(id, cursor.docId);
    if (tab && this.agentId.get() === id) reveal(this.#workspace, tab, cursor.key);
  }

  /** The notebook's tab; one that this window does not show yet is opened by the path that the agent's calls name. */
  async #tabOf(agentId: string, docId: string): Promise<NotebookController | null> {
    const find = () => this.#workspace.state.get().tabs.find(({ client }) => client.docId === docId) ?? null;
    const present = find();
    if (present) return present;
    const path = this.#client
      .calls(agentId)
      .findLast((call) => call.docId === docId && call.card.kind !== 'plain' && call.card.path !== null)?.card;
    if (path === undefined || path.kind === 'plain' || path.path === null) return null;
    await this.#workspace.open(path.path);
    return find();
  }
}

/** Brings a notebook to the front and a cell into view, without moving the focus. */
function reveal(workspace: Workspace, tab: NotebookController, key: string): void {
  workspace.activate(tab);
  // A tab that has just come to the front is drawn first.
  requestAnimationFrame(() => tab.page.list?.reveal(key));
}
