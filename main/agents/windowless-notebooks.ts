/**
 * The owner of notebooks where there is no window: one document and one session per file for as long as somebody holds it. The hard thing is
 * two holds at once and a release in between: a notebook that is being closed is never handed out again.
 */
import path from 'node:path';
import { artifactFolder } from '../artifacts/artifact-folder.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import { NotebookSession } from '../execution/notebook-session.ts';
import { SessionArtifacts } from '../execution/session-artifacts.ts';
import type { WidgetFollower } from '../execution/session-options.ts';
import { defaultKernel, type KernelSources } from '../kernels/default-kernel.ts';
import { wantedKernel } from '../kernels/discovery/choose.ts';
import type { KernelSpec } from '../kernels/kernel.ts';
import type { KernelManager } from '../kernels/kernel-manager.ts';
import type { Log } from '../log/log.ts';
import type { NotebookHold, NotebookOwner, OwnedNotebook } from './notebook-owner.ts';
import type { WidgetOutputs } from './widget-outputs.ts';

/** The widgets of one notebook, until it is closed. */
export interface WindowlessWidgets extends WidgetOutputs, WidgetFollower {
  close(): void;
}

export interface WindowlessOptions extends KernelSources {
  store: DocumentStore;
  kernels: Pick<KernelManager, 'start' | 'withRoom'>;
  /** Holds one artifact folder per notebook. */
  artifactsFolder: string;
  widgets: (document: NotebookDocument, artifactFolder: string) => WindowlessWidgets;
  log: Log;
}

interface Held extends OwnedNotebook {
  artifacts: SessionArtifacts;
  widgets: WindowlessWidgets;
  holds: number;
}

export class WindowlessNotebooks implements NotebookOwner {
  readonly #options: WindowlessOptions;
  readonly #open = new Map<string, Held>();

  constructor(options: WindowlessOptions) {
    this.#options = options;
  }

  async hold(filePath: string): Promise<NotebookHold> {
    const { store } = this.#options;
    let document = await store.open(filePath);
    // Its last holder may have let it go while this one waited for it.
    while (store.get(document.id) !== document) document = await store.open(filePath);
    return this.#hold(this.#open.get(document.id) ?? this.#add(document, path.dirname(filePath)));
  }

  holdOpen(docId: string): NotebookHold | null {
    const notebook = this.#open.get(docId);
    return notebook ? this.#hold(notebook) : null;
  }

  opened(): readonly OwnedNotebook[] {
    return [...this.#open.values()];
  }

  #hold(notebook: Held): NotebookHold {
    notebook.holds += 1;
    let released = false;
    return {
      notebook,
      release: async () => {
        if (released) return;
        released = true;
        notebook.holds -= 1;
        if (notebook.holds > 0) return;
        this.#open.delete(notebook.document.id);
        this.#options.store.close(notebook.document.id);
        await notebook.session.shutdown();
        notebook.widgets.close();
        await notebook.artifacts.close();
      },
    };
  }

  #add(document: NotebookDocument, folder: string): Held {
    const { kernels, artifactsFolder, log } = this.#options;
    const cwd = (): string => (document.path === null ? folder : path.dirname(document.path));
    const place = artifactFolder(artifactsFolder, document.realPath ?? document.id);
    const artifacts = new SessionArtifacts(place, () => document.realPath, log);
    void artifacts.claimIfThere();
    const widgets = this.#options.widgets(document, place);
    const session: NotebookSession = new NotebookSession({
      target: document,
      kernels,
      chooseSpec: async () => {
        await artifacts.claim();
        return defaultKernel(this.#options, cwd(), document.metadata());
      },
      cwd,
      artifactFolder: place,
      widgets,
      log,
    });
    session.on('runs', (keys) => {
      const running = keys.some((key) => session.runs().get(key)?.state === 'running');
      if (running && session.kernel) nameKernel(document, session.kernel.spec);
    });
    document.on('reset', (key, how) => {
      if (how === 'cleared') session.outputsCleared([key]);
      else session.outputsRestored([key]);
    });
    artifacts.follow(session);
    const held: Held = { document, session, widgets, artifacts, artifactFolder: place, holds: 0 };
    this.#open.set(document.id, held);
    return held;
  }
}

/** A notebook that names no kernel gets the one that runs it. */
function nameKernel(document: NotebookDocument, spec: KernelSpec): void {
  if (wantedKernel(document.metadata()).name !== null) return;
  document.setKernelspec({ name: spec.name, display_name: spec.displayName, language: spec.language });
}
