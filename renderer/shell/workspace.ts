/**
 * The notebooks of this window: open, save and close them, in tabs. Main owns the documents; a tab is a replica and what is done with it.
 * Closing is the delicate part: nothing unsaved goes without a word, and a save that fails or is cancelled stops the closing.
 */
import type { Bridge, DocumentSnapshot, Events, Failure, Result } from '../../preload/contract.ts';
import type { CellCopy } from '../notebook/cell-operations.ts';
import { NotebookClient } from '../notebook/notebook-client.ts';
import { NotebookController } from '../notebook/notebook-controller.ts';
import { NotebookKernel } from '../notebook/notebook-kernel.ts';
import type { Questions } from './questions.ts';
import type { Store } from './store.ts';
import { createStore } from './store.ts';
import type { Toasts } from './toasts.ts';

export interface WorkspaceState {
  tabs: readonly NotebookController[];
  /** The notebook in front; null shows the start view. */
  active: NotebookController | null;
}

/** How a notebook is shown that was not open before. */
interface ShowOptions {
  /** Its outputs are only fetched when they are asked for: a notebook of hundreds of megabytes is looked through at once. They stay in its file. */
  withoutOutputs: boolean;
}

export interface WorkspaceOptions {
  bridge: Bridge;
  questions: Questions;
  toasts: Toasts;
  /** A file that can't be opened as it is, but may be repaired. */
  onDamaged?: (path: string) => void;
}

/** Failures to open that lie in what the file holds. */
const DAMAGE: readonly string[] = ['bad-json', 'conflict-markers', 'not-notebook'];

export class Workspace {
  readonly state: Store<WorkspaceState> = createStore<WorkspaceState>({ tabs: [], active: null });
  /** Cells that were cut or copied; shared by all notebooks of the window. */
  readonly clipboard = createStore<readonly CellCopy[]>([]);
  readonly #closing = new Set<NotebookController>();
  readonly #bridge: Bridge;
  readonly #questions: Questions;
  readonly #toasts: Toasts;
  readonly #onDamaged: WorkspaceOptions['onDamaged'];

  constructor({ bridge, questions, toasts, onDamaged }: WorkspaceOptions) {
    this.#bridge = bridge;
    this.#questions = questions;
    this.#toasts = toasts;
    this.#onDamaged = onDamaged;
    this.state.subscribe(() => this.#tellTabs());
    bridge.on('app.openFile', ({ path }) => void this.open(path));
    bridge.on('window.closing', (closing) => void this.#windowClosing(closing));
  }

  get active(): NotebookController | null {
    return this.state.get().active;
  }

  #tellTabs(): void {
    const { tabs, active } = this.state.get();
    this.#bridge.post('window.tabs', { open: tabs.map(({ client }) => client.docId), active: active?.client.docId ?? null });
  }

  activate(tab: NotebookController | null): void {
    this.state.set((state) => (state.active === tab ? state : { ...state, active: tab }));
  }

  /** Brings a notebook to the front and gives it the keyboard. */
  enter(tab: NotebookController): void {
    this.activate(tab);
    tab.refocus();
  }

  /** The tab `by` places further, going round at the ends. */
  activateBeside(by: number): void {
    const { tabs, active } = this.state.get();
    if (tabs.length === 0) return;
    const index = active ? tabs.indexOf(active) : -1;
    this.activate(tabs[(index + by + tabs.length) % tabs.length] ?? null);
  }

  moveTab(tab: NotebookController, index: number): void {
    this.state.set((state) => {
      const others = state.tabs.filter((other) => other !== tab);
      return { ...state, tabs: [...others.slice(0, index), tab, ...others.slice(index)] };
    });
  }

  // ---- opening --------------------------------------------------------------------------------------------------------------------------

  /** Opens a file, or brings its tab to the front. `path` may also be the id of a document that main holds. */
  async open(path: string, options?: ShowOptions): Promise<void> {
    const { tabs } = this.state.get();
    const present = tabs.find(({ client }) => client.document.path === path || client.docId === path);
    if (present) {
      this.enter(present);
      return;
    }
    const answer = await this.#bridge.call('doc.open', { path });
    if (!answer.ok && this.#onDamaged && DAMAGE.includes(answer.error.code)) this.#onDamaged(path);
    else this.#show(answer, options);
  }

  async openByDialog(options?: ShowOptions): Promise<void> {
    const answer = await this.#bridge.call('app.openDialog', undefined);
    if (!answer.ok) this.#fail(answer.error);
    else for (const path of answer.value.paths) await this.open(path, options);
  }

  async openExample(name: string): Promise<void> {
    this.#show(await this.#bridge.call('doc.example', { name }));
  }

  async create(folder: string | null): Promise<void> {
    const tab = this.#show(await this.#bridge.call('doc.create', { folder }));
    if (tab && tab.client.source(tab.active ?? '') === '') tab.edit();
  }

  /** Shows a document that main has opened for this window already. */
  adopt(snapshot: DocumentSnapshot): NotebookController | null {
    return this.#show({ ok: true, value: snapshot });
  }

  #show(answer: Result<DocumentSnapshot>, options?: ShowOptions): NotebookController | null {
    if (!answer.ok) {
      this.#fail(answer.error);
      return null;
    }
    const { docId } = answer.value.document;
    // The same file by another path: main gives the document it already has.
    const present = this.state.get().tabs.find(({ client }) => client.docId === docId);
    if (present) {
      this.enter(present);
      return present;
    }
    const client = new NotebookClient(this.#bridge, answer.value, options);
    const kernel = new NotebookKernel(this.#bridge, client, (failure) => this.#fail(failure));
    const tab = new NotebookController({ client, kernel, clipboard: this.clipboard });
    this.state.set((state) => ({ tabs: [...state.tabs, tab], active: tab }));
    tab.refocus();
    return tab;
  }

  #fail(failure: Failure): void {
    this.#toasts.fail(failure);
  }

  // ---- saving and closing -----------------------------------------------------------------------------------------------------------------

  /** Saves; says whether everything is on disk now. A notebook without a file, or one that can't be written, asks for a place. */
  async save(tab: NotebookController): Promise<boolean> {
    const { docId, document } = tab.client;
    if (document.path === null || document.readOnly) return this.saveAs(tab);
    const answer = await this.#bridge.call('doc.save', { docId });
    if (answer.ok) tab.client.setDocument(answer.value);
    else this.#toasts.fail(answer.error, { label: 'Save as…', run: () => void this.saveAs(tab) });
    return answer.ok;
  }

  async normaliseLineEnds(tab: NotebookController): Promise<void> {
    const { docId, document } = tab.client;
    const answer = await this.#bridge.call('doc.normaliseLineEnds', { docId });
    if (!answer.ok) return this.#fail(answer.error);
    const { changed } = answer.value;
    const words = changed === 1 ? '1 line end of' : `${changed.toLocaleString('en')} line ends of`;
    this.#toasts.tell(changed === 0 ? `${document.title} has LF everywhere already.` : `${words} ${document.title} changed to LF.`);
  }

  async saveAs(tab: NotebookController): Promise<boolean> {
    const answer = await this.#bridge.call('doc.saveAs', { docId: tab.client.docId, path: null });
    if (!answer.ok) this.#fail(answer.error);
    else if (answer.value) tab.client.setDocument(answer.value);
    return answer.ok && answer.value !== null;
  }

  async close(tab: NotebookController): Promise<void> {
    // Asked for again while a question stands.
    if (this.#closing.has(tab)) return;
    this.#closing.add(tab);
    await this.#close(tab).finally(() => this.#closing.delete(tab));
  }

  /** Main says what would be lost: of what was typed or started a moment ago the page may not have heard yet. */
  async #close(tab: NotebookController): Promise<void> {
    const { docId, document } = tab.client;
    const may = { discard: false, stop: false };
    for (;;) {
      const answer = await this.#bridge.call('doc.close', { docId, ...may });
      if (answer.ok) break;
      const { code } = answer.error;
      const asked = code === 'unsaved' ? 'discard' : code === 'running' ? 'stop' : null;
      if (!asked || may[asked]) return this.#fail(answer.error);
      may[asked] = asked === 'discard' ? await this.#mayDrop(tab) : await this.#mayStop(document.title);
      if (!may[asked]) return;
    }
    this.#drop(tab);
  }

  #drop(tab: NotebookController): void {
    this.state.set(({ tabs, active }) => {
      const index = tabs.indexOf(tab);
      const left = tabs.filter((other) => other !== tab);
      return { tabs: left, active: active === tab ? (left[Math.min(index, left.length - 1)] ?? null) : active };
    });
    tab.dispose();
  }

  async #mayDrop(tab: NotebookController): Promise<boolean> {
    const answer = await this.#questions.ask({
      title: `Save the changes to ${tab.client.document.title}?`,
      body: 'Without saving, what you changed since the last save is lost.',
      choices: [
        { id: 'discard', label: 'Discard', tone: 'danger' },
        { id: 'save', label: 'Save', tone: 'main' },
      ],
    });
    return answer === 'discard' || (answer === 'save' && (await this.save(tab)));
  }

  async #mayStop(title: string): Promise<boolean> {
    const answer = await this.#questions.ask({
      title: `Close ${title} while it runs?`,
      body: 'Its kernel is shut down with it, and its variables are gone.',
      choices: [{ id: 'stop', label: 'Stop and close', tone: 'danger' }],
    });
    return answer === 'stop';
  }

  async #windowClosing({ unsaved, running, agents }: Events['window.closing']): Promise<void> {
    const proceed = (await this.#mayDropAll(unsaved)) && (await this.#mayStopAll(running, agents));
    await this.#bridge.call('window.close', { proceed });
  }

  async #mayDropAll(unsaved: readonly { docId: string; title: string }[]): Promise<boolean> {
    if (unsaved.length === 0) return true;
    const answer = await this.#questions.ask({
      title: unsaved.length === 1 ? `Save the changes to ${unsaved[0]!.title}?` : `Save the changes to ${unsaved.length} notebooks?`,
      body: 'Without saving, what you changed since the last save is lost.',
      items: unsaved.length > 1 ? unsaved.map(({ title }) => title) : [],
      choices: [
        { id: 'discard', label: unsaved.length > 1 ? 'Discard all' : 'Discard', tone: 'danger' },
        { id: 'save', label: unsaved.length > 1 ? 'Save all' : 'Save', tone: 'main' },
      ],
    });
    if (answer === 'discard') return true;
    if (answer !== 'save') return false;
    for (const { docId } of unsaved) {
      const tab = this.state.get().tabs.find(({ client }) => client.docId === docId);
      if (tab && !(await this.save(tab))) return false;
    }
    return true;
  }

  async #mayStopAll(running: readonly { title: string }[], agents: Events['window.closing']['agents']): Promise<boolean> {
    if (running.length + agents.length === 0) return true;
    const answer = await this.#questions.ask({
      title: 'Close while code is running?',
      body: `The kernels are shut down with the window${agents.length > 0 ? ', those of agents as well' : ''}, and their variables are gone.`,
      items: [...running.map(({ title }) => title), ...agents.map(({ name, folder }) => `Agent ${name}: Python in ${folder}`)],
      choices: [{ id: 'stop', label: 'Stop and close', tone: 'danger' }],
    });
    return answer === 'stop';
  }
}
