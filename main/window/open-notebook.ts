/**
 * One notebook that is open: its document, its session and what its windows are told, together. Which kernel it gets is decided here: the
 * person's choice of this session first, then what `chooseKernel` finds for the notebook. The choice goes into the file only when
 * something runs, so that opening and looking never changes a file.
 */

import path from 'node:path';
import * as Y from 'yjs';
import type { DocumentSnapshot, KernelView, WindowOutput } from '../../preload/contract.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import { areOutdated } from '../documents/outside/look-first.ts';
import { NotebookSession } from '../execution/notebook-session.ts';
import { SessionArtifacts } from '../execution/session-artifacts.ts';
import { defaultKernel, type KernelSources } from '../kernels/default-kernel.ts';
import type { KernelSpec } from '../kernels/kernel.ts';
import type { KernelManager } from '../kernels/kernel-manager.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { NotebookMemory, RememberedKernel } from '../settings/notebook-memory.ts';
import { keptWidgets } from '../widgets/kept-widgets.ts';
import { WidgetSession } from '../widgets/widget-session.ts';
import { documentState, kernelView, storedKernelspec } from './document-view.ts';
import { ActionError } from './failure.ts';
import { findChoices } from './find-choices.ts';
import { NotebookFeed, type View } from './notebook-feed.ts';
import { NotebookTrust } from './notebook-trust.ts';
import { WidgetFeed } from './widget-feed.ts';

export interface OpenNotebookOptions extends KernelSources {
  document: NotebookDocument;
  kernels: Pick<KernelManager, 'start' | 'withRoom'>;
  /** Where a notebook that was never saved works: its kernel's folder. */
  folder: string;
  artifactFolder: string;
  memory: NotebookMemory;
  /** Each save also writes the state of the kernel's widgets. */
  saveWidgetState: () => boolean;
  log: Log;
}

export class OpenNotebook {
  readonly document: NotebookDocument;
  readonly session: NotebookSession;
  readonly feed: NotebookFeed;
  readonly artifactFolder: string;
  /** Those who keep it open beside the windows: agents. */
  readonly holds = new Set<symbol>();
  readonly trust: NotebookTrust;
  readonly widgets: WidgetSession;
  readonly widgetFeed: WidgetFeed;
  readonly #artifacts: SessionArtifacts;
  readonly #options: OpenNotebookOptions;
  #chosen: KernelSpec | null = null;
  /** Looks at the disk before runs, one after the other: runs keep the order in which they were asked for. */
  #looks: Promise<boolean> = Promise.resolve(false);
  /** The person's choice, of this session or an earlier one; for a notebook without a file until it has one. */
  #remembered: RememberedKernel | null = null;

  constructor(options: OpenNotebookOptions) {
    this.#options = options;
    this.document = options.document;
    this.artifactFolder = options.artifactFolder;
    this.#artifacts = new SessionArtifacts(options.artifactFolder, () => options.document.realPath, options.log);
    void this.#artifacts.claimIfThere();
    this.document.outside.canAsk = () => this.isShown;
    this.widgetFeed = new WidgetFeed(options.document.id);
    this.widgets = new WidgetSession({
      artifactFolder: options.artifactFolder,
      storedWidgets: () => this.document.storedWidgets(),
      onEvents: (events) => this.widgetFeed.tell(events),
      log: options.log,
    });
    this.session = new NotebookSession({
      target: this.document,
      kernels: options.kernels,
      chooseSpec: async () => {
        await this.#artifacts.claim();
        return this.#chooseSpec();
      },
      cwd: () => this.folder,
      artifactFolder: options.artifactFolder,
      widgets: this.widgets,
      log: options.log,
    });
    this.document.saveWidgetsOf(() => (options.saveWidgetState() ? this.widgets.stateToSave(() => keptWidgets(this.document)) : null));
    this.feed = new NotebookFeed(this.document, this.session, () => this.kernelView());
    this.session.on('runs', (keys) => this.#recordKernelspec(keys));
    this.#artifacts.follow(this.session);
    const { realPath } = options.document;
    this.#remembered = realPath === null ? null : options.memory.of(realPath).kernel;
    this.trust = new NotebookTrust(options.document, options.memory, options.log);
    let { folder } = this;
    this.document.on('state', () => {
      if (folder !== this.folder) this.session.folderChanged();
      ({ folder } = this);
      void this.#rememberKernel();
      if (!this.document.trusted) this.widgetFeed.clear();
    });
    this.document.on('reset', (key, how) => {
      if (how === 'cleared') this.session.outputsCleared([key]);
      else this.session.outputsRestored([key]);
    });
  }

  get id(): string {
    return this.document.id;
  }

  /** The notebook's own folder, or the one it was made in. */
  get folder(): string {
    return this.document.path === null ? this.#options.folder : path.dirname(this.document.path);
  }

  /** Something runs or waits to run. */
  get running(): boolean {
    const { state, queued } = this.session.kernelView();
    return state === 'busy' || queued > 0;
  }

  kernelView(): KernelView {
    return kernelView(this.session.kernelView(), this.document.metadata(), this.#remembered);
  }

  snapshot(): DocumentSnapshot {
    this.feed.settle();
    return {
      document: documentState(this.document),
      update: Y.encodeStateAsUpdate(this.document.ydoc),
      runs: this.feed.allRuns(),
      kernel: this.kernelView(),
      outputCounts: this.document.outputCounts(),
    };
  }

  outputs(keys: readonly string[]): Record<string, WindowOutput[]> {
    this.feed.settle();
    return Object.fromEntries(keys.map((key) => [key, this.feed.outputs(key)]));
  }

  get isShown(): boolean {
    return this.feed.views.size > 0;
  }

  /** Shows the notebook in a window from now on. */
  attach(view: View): void {
    this.feed.views.add(view);
  }

  /**
   * Resolves when every cell has had its turn; a failure is in the cells' states and the kernel's view. Throws ActionError when another program
   * changed one of the cells a moment ago.
   */
  async run(keys: string[]): Promise<void> {
    const outdated = areOutdated(this.document, keys);
    const turn = this.#looks.then(() => outdated);
    this.#looks = turn;
    if (await turn) {
      const message = `${this.document.title} was changed by another program a moment ago, so nothing was run.`;
      throw new ActionError('changed-outside', message, 'Look at what came in, and run it again.');
    }
    await this.session.runCells(keys);
  }

  /** Also what was asked to run just before. */
  async interrupt(): Promise<void> {
    await this.#looks;
    await this.session.interrupt();
  }

  /** Also for later starts: `choice` is its name in the list of kernels. */
  async selectKernel(spec: KernelSpec, choice: RememberedKernel): Promise<void> {
    this.#chosen = spec;
    this.#remembered = choice;
    await this.#rememberKernel();
    await this.session.selectSpec(spec);
  }

  /** Ends the kernel and lets go of the document; the store forgets it elsewhere. */
  async close(): Promise<void> {
    this.feed.close();
    this.widgetFeed.close();
    this.widgets.close();
    await Promise.all([this.trust.keep(), this.session.shutdown()]);
    await this.#artifacts.close();
  }

  async #chooseSpec(): Promise<{ spec: KernelSpec; note: string | null }> {
    if (this.#chosen) return { spec: this.#chosen, note: null };
    const remembered = this.#remembered;
    if (!remembered) return this.#defaultSpec();
    const choice = (await findChoices(this.folder, this.#options)).find(({ name }) => name === remembered.name);
    if (choice?.spec) {
      this.#chosen = choice.spec;
      return { spec: choice.spec, note: null };
    }
    const { spec } = await this.#defaultSpec();
    const gone = `${remembered.displayName}, which was chosen for this notebook, is not there any more.`;
    return { spec, note: `${gone} ${spec.displayName} is used instead; choose another kernel if that is wrong.` };
  }

  #defaultSpec(): Promise<{ spec: KernelSpec; note: string | null }> {
    return defaultKernel(this.#options, this.folder, this.document.metadata());
  }

  async #rememberKernel(): Promise<void> {
    const { realPath } = this.document;
    if (realPath === null || !this.#remembered) return;
    const { memory, log } = this.#options;
    await memory
      .remember(realPath, { kernel: this.#remembered })
      .catch((error: unknown) => log.warn('memory.write-failed', errorFields(error)));
  }

  /** A notebook that names no kernel gets the one that runs it; one that does keeps its word unless the person chose another. */
  #recordKernelspec(keys: readonly string[]): void {
    const runs = this.session.runs();
    const spec = this.session.kernel?.spec;
    if (!spec || !keys.some((key) => runs.get(key)?.state === 'running')) return;
    const stored = storedKernelspec(this.document.metadata());
    if ((stored && !this.#chosen) || stored?.name === spec.name) return;
    this.document.setKernelspec({ name: spec.name, display_name: spec.displayName, language: spec.language });
  }
}
