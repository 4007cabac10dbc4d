/**
 * Versions that were kept when somebody closed a notebook without saving it, or put away what a crash had left: the list, what differs, and what the
 * person does with one. Nothing here writes to a notebook's file.
 */
import type { Bridge, Failure } from '../../preload/contract.ts';
import type { KeptVersionView } from '../../preload/kept-versions.ts';
import type { Questions } from '../shell/questions.ts';
import { createStore, type Store } from '../shell/store.ts';
import type { Toasts } from '../shell/toasts.ts';
import type { Workspace } from '../shell/workspace.ts';

export interface KeptVersionsOptions {
  bridge: Bridge;
  toasts: Toasts;
  questions: Questions;
  workspace: Workspace;
}

export interface KeptState {
  versions: readonly KeptVersionView[];
  /** The one that is looked at. */
  shown: string | null;
  /** Of the one that is looked at; null while it is read, and for one that can't be. */
  texts: { kept: string; file: string | null } | null;
}

export class KeptVersions {
  /** Null while the dialog is closed. */
  readonly state: Store<KeptState | null> = createStore<KeptState | null>(null);
  readonly #options: KeptVersionsOptions;

  constructor(options: KeptVersionsOptions) {
    this.#options = options;
  }

  async show(): Promise<void> {
    const versions = await this.#list();
    if (!versions) return;
    this.state.set({ versions, shown: null, texts: null });
    if (versions[0]) await this.look(versions[0].id);
  }

  close(): void {
    this.state.set(null);
  }

  async look(id: string): Promise<void> {
    this.#change((state) => ({ ...state, shown: id, texts: null }));
    if (this.state.get()?.versions.find((one) => one.id === id)?.state === 'unreadable') return;
    const answer = await this.#options.bridge.call('kept.compare', { id });
    if (!answer.ok) this.#fail(answer.error);
    else this.#change((state) => (state.shown === id ? { ...state, texts: answer.value } : state));
  }

  async open(id: string): Promise<void> {
    const answer = await this.#options.bridge.call('kept.open', { id });
    if (!answer.ok) return this.#fail(answer.error);
    this.close();
    this.#options.workspace.adopt(answer.value);
  }

  async remove({ id, title }: KeptVersionView): Promise<void> {
    const { bridge, questions } = this.#options;
    const answer = await questions.ask({
      title: `Remove this version of ${title}?`,
      body: 'It can’t be brought back. The notebook’s file stays as it is.',
      choices: [{ id: 'remove', label: 'Remove', tone: 'danger' }],
    });
    if (answer !== 'remove') return;
    const removed = await bridge.call('kept.remove', { id });
    if (!removed.ok) return this.#fail(removed.error);
    this.#change((state) => ({ ...state, versions: state.versions.filter((one) => one.id !== id), shown: null, texts: null }));
    const [next] = this.state.get()?.versions ?? [];
    if (next) await this.look(next.id);
  }

  async #list(): Promise<KeptVersionView[] | null> {
    const answer = await this.#options.bridge.call('kept.list', undefined);
    if (answer.ok) return answer.value;
    this.#fail(answer.error);
    return null;
  }

  #change(change: (state: KeptState) => KeptState): void {
    this.state.set((state) => state && change(state));
  }

  #fail(failure: Failure): void {
    this.#options.toasts.fail(failure);
  }
}
