/**
 * The window's parts, made once and handed to components by context. Nothing here draws.
 */
import { createContext, useContext } from 'react';
import type { Bridge, StartInfo } from '../../preload/contract.ts';
import { Agents } from '../agents/agents.ts';
import { KeptVersions } from '../recovery/kept-versions.ts';
import { Recovery } from '../recovery/recovery.ts';
import type { Commands } from './commands.ts';
import { createCommands } from './commands.ts';
import type { LayoutState } from './layout.ts';
import { createLayout } from './layout.ts';
import { Questions } from './questions.ts';
import type { Store } from './store.ts';
import { createStore } from './store.ts';
import { Theme } from './theme.ts';
import { Toasts } from './toasts.ts';
import { Workspace } from './workspace.ts';

/** What lies over the window: the palette with commands, or with the kernels of the notebook in front. */
export type Overlay = 'none' | 'commands' | 'kernels';

export class App {
  readonly bridge: Bridge;
  readonly start: Store<StartInfo | null> = createStore<StartInfo | null>(null);
  /** The folder in the side bar. */
  readonly folder: Store<string | null> = createStore<string | null>(null);
  readonly overlay: Store<Overlay> = createStore<Overlay>('none');
  readonly layout: Store<LayoutState> = createLayout(localStorage);
  /** Paths of files that can't be opened as they are, for the repair view. */
  readonly damaged: Store<readonly string[]> = createStore<readonly string[]>([]);
  readonly questions = new Questions();
  readonly toasts = new Toasts();
  readonly theme: Theme;
  readonly workspace: Workspace;
  readonly agents: Agents;
  readonly recovery: Recovery;
  readonly kept: KeptVersions;
  readonly commands: Commands;

  constructor(bridge: Bridge) {
    this.bridge = bridge;
    this.theme = new Theme(bridge);
    this.workspace = new Workspace({
      bridge,
      questions: this.questions,
      toasts: this.toasts,
      onDamaged: (path) => this.damaged.set((paths) => (paths.includes(path) ? paths : [...paths, path])),
    });
    this.agents = new Agents({ bridge, toasts: this.toasts, workspace: this.workspace, layout: this.layout });
    this.recovery = new Recovery({ bridge, toasts: this.toasts, workspace: this.workspace });
    this.kept = new KeptVersions({ bridge, toasts: this.toasts, questions: this.questions, workspace: this.workspace });
    this.commands = createCommands(this);
    bridge.on('menu.command', ({ id }) => this.commands.run(id));
  }

  /** Asks main what to show and opens it. */
  async begin(): Promise<void> {
    const answer = await this.bridge.call('app.start', undefined);
    if (!answer.ok) {
      this.toasts.fail(answer.error);
      return;
    }
    const start = answer.value;
    this.theme.set(start.theme);
    this.folder.set(start.folder);
    this.start.set(start);
    void this.agents.client.begin();
    for (const notice of start.notices) this.toasts.note(notice);
    for (const path of start.open) await this.workspace.open(path);
    if (start.active !== null) await this.workspace.open(start.active);
    await this.recovery.begin();
  }

  /** Reads the recent notebooks again: some were opened since the start. */
  async refreshStart(): Promise<void> {
    const answer = await this.bridge.call('app.start', undefined);
    if (answer.ok) this.start.set(answer.value);
  }

  get mac(): boolean {
    return this.start.get()?.platform === 'darwin';
  }

  async chooseFolder(): Promise<void> {
    const answer = await this.bridge.call('files.chooseFolder', undefined);
    if (!answer.ok) this.toasts.fail(answer.error);
    else if (answer.value.folder !== null) {
      this.folder.set(answer.value.folder);
      this.layout.set((layout) => ({ ...layout, files: true }));
    }
  }

  /** Opens a link of a document or output: the web outside of the app, notebooks in a tab. */
  openLink(href: string, folder: string | null): void {
    if (/^(https?|mailto):/i.test(href)) void this.#openOutside(href);
    else if (/\.ipynb(#.*)?$/i.test(href) && folder !== null) {
      const file = decodeURIComponent(href.replace(/#.*$/, ''));
      void this.workspace.open(file.startsWith('/') ? file : `${folder}/${file}`);
    }
  }

  async #openOutside(url: string): Promise<void> {
    const answer = await this.bridge.call('app.openExternal', { url });
    if (!answer.ok) this.toasts.fail(answer.error);
  }

  async copyText(text: string): Promise<void> {
    const answer = await this.bridge.call('app.copyText', { text });
    if (answer.ok) this.toasts.tell('Copied.');
    else this.toasts.fail(answer.error);
  }
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('A part of the window was drawn outside of the app.');
  return app;
}
