/**
 * The widgets of one open notebook: the models of its kernel, those in its file, and who is told of them. Every frame, in whichever window, hears
 * the same changes in the same order, so that all views of a model agree; what one frame sets reaches the others without waiting for the kernel.
 */
import type { Output } from '../../preload/output-change.ts';
import type { WidgetEvent, WidgetModel, WidgetSend } from '../../preload/widget-messages.ts';
import { widgetOfArea } from '../execution/output-captures.ts';
import type { RawPayload, RunEvents } from '../execution/run-protocol.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { errorFields, type Log } from '../log/log.ts';
import { withBuffers } from './binary-state.ts';
import { KernelComms } from './kernel-comms.ts';
import { OutputSync } from './output-sync.ts';
import { portableOutput } from './portable-outputs.ts';
import { references, storedModel, widgetsMetadata } from './stored-state.ts';
import { type LiveModel, WidgetModels } from './widget-models.ts';

export interface WidgetSessionOptions {
  /** For outputs of widgets that outgrow the limits. */
  artifactFolder: string | null;
  /** The `widgets` entry of the notebook's metadata. */
  storedWidgets: () => unknown;
  onEvents: (events: readonly WidgetEvent[]) => void;
  log: Log;
}

/** A window may ask for a model before its comm message has come, since outputs and comms travel apart. */
const MODEL_WAIT_MS = 1_000;

export class WidgetSession {
  readonly #options: WidgetSessionOptions;
  readonly #models = new WidgetModels();
  readonly #sync: OutputSync;
  readonly #waiting = new Map<string, Set<() => void>>();
  #comms: KernelComms | null = null;

  constructor(options: WidgetSessionOptions) {
    this.#options = options;
    this.#sync = new OutputSync({
      outputs: (commId) => this.#models.live(commId)?.outputs ?? null,
      send: (commId, messageId, state) =>
        this.#deliver({ commId, messageId, data: { method: 'update', state, buffer_paths: [] }, buffers: [] }),
    });
  }

  /** Hears this kernel's widgets from now on. Returns the function that ends it. */
  follow(kernel: Kernel): () => void {
    const comms = new KernelComms({
      kernel,
      artifactFolder: this.#options.artifactFolder,
      known: () => ({ open: this.#models.liveIds, widgets: this.#models.capturing() }),
      onEvents: (events) => this.#tell(events.flatMap((event) => this.#models.apply(event))),
      onComms: (commIds) => this.#tell(this.#models.keepOnly(commIds)),
      onGap: () => this.#tell(this.#models.settle()),
      onEnd: () => this.#tell(this.#models.end()),
      log: this.#options.log,
    });
    this.#comms = comms;
    return () => {
      comms.close();
      if (this.#comms !== comms) return;
      this.#comms = null;
      this.#tell(this.#models.end());
    };
  }

  /** Changes of outputs from the kernel host; those of cells are not for here. */
  outputsChanged(areas: RunEvents['run.changes']['areas']): void {
    for (const { areaId, changes } of areas) {
      const commId = widgetOfArea(areaId);
      if (commId === null) continue;
      try {
        this.#tell(this.#models.outputs(commId, changes));
        this.#sync.changed(commId);
      } catch (error) {
        // Changes that don't fit were for outputs of a widget that is gone.
        this.#options.log.warn('widgets.outputs-refused', errorFields(error));
      }
    }
  }

  /** The model as it is now; null when neither the kernel nor the file has it. */
  async model(modelId: string): Promise<WidgetModel | null> {
    const known = this.#known(modelId);
    if (known || !this.#comms) return known;
    await this.#appeared(modelId);
    return this.#known(modelId);
  }

  /** The Output widgets in a widget, itself included, in the order in which they are shown. */
  outputModelsIn(modelId: string): string[] {
    const found: string[] = [];
    const seen = new Set<string>();
    const look = (id: string): void => {
      if (seen.has(id)) return;
      seen.add(id);
      const state = this.#models.any(id)?.state ?? storedModel(this.#options.storedWidgets(), id)?.state ?? {};
      if (state._model_name === 'OutputModel') found.push(id);
      for (const child of references(state.children)) look(child);
    };
    look(modelId);
    return found;
  }

  /** All that an Output widget took in, as the kernel sent it. */
  outputsOf(modelId: string): readonly Output<RawPayload>[] {
    return this.#models.any(modelId)?.outputs ?? storedModel(this.#options.storedWidgets(), modelId)?.outputs ?? [];
  }

  /** Whether some Output widget has taken anything in, of a kernel that ended included. */
  get isFilled(): boolean {
    return this.#models.latest().some(([, { outputs }]) => outputs.length > 0);
  }

  /** What each Output widget of the kernel has now. */
  taken(): ReadonlyMap<string, readonly Output<RawPayload>[]> {
    return this.#models.taken();
  }

  /** A frame's message on its way to the kernel. One for a model that is not live any more ends at once. */
  send({ commId, messageId, data, buffers }: Omit<WidgetSend, 'docId'>): void {
    if (data.method === 'update' && typeof data.state === 'object' && data.state !== null) {
      const paths = Array.isArray(data.buffer_paths) ? data.buffer_paths : [];
      const set = this.#models.set(commId, messageId, withBuffers(data.state as Record<string, unknown>, paths, buffers));
      if (set) this.#tell([set]);
    }
    if (this.#models.live(commId)) this.#deliver({ commId, messageId, data, buffers });
    else this.#options.onEvents([{ kind: 'done', messageId }]);
  }

  /**
   * The `widgets` metadata that holds the kernel's models, or those of the kernel that ended; and of earlier ones those that are still `shown`. Null
   * when there are none, so that what the file has stays as it is.
   */
  stateToSave(shown: () => ReadonlySet<string>): Record<string, unknown> | null {
    const models = this.#models.latest();
    if (models.length === 0) return null;
    return widgetsMetadata(models, {
      ended: (commId) => this.#models.ended(commId),
      widgets: this.#options.storedWidgets(),
      shown: shown(),
    });
  }

  /** Resolves when all that the kernel has said so far of its widgets is known. */
  async settled(): Promise<void> {
    await this.#comms?.settled();
  }

  close(): void {
    this.#comms?.close();
    this.#comms = null;
    this.#sync.close();
  }

  #known(modelId: string): WidgetModel | null {
    const live = this.#models.live(modelId);
    if (live) return view(modelId, 'live', live);
    const ended = this.#models.ended(modelId);
    if (ended) return view(modelId, 'ended', ended);
    const stored = storedModel(this.#options.storedWidgets(), modelId);
    return stored && view(modelId, 'stored', stored);
  }

  #appeared(modelId: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(modelId) ?? new Set();
      this.#waiting.set(modelId, waiting);
      const limit = setTimeout(() => end(), MODEL_WAIT_MS);
      const end = (): void => {
        clearTimeout(limit);
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(modelId);
        resolve();
      };
      waiting.add(end);
    });
  }

  #deliver(message: Omit<WidgetSend, 'docId'>): void {
    this.#models.sent(message.messageId);
    const sending = this.#comms?.send(message) ?? Promise.reject(new Error('There is no kernel.'));
    sending.catch((error: unknown) => {
      this.#options.log.info('widgets.not-sent', errorFields(error));
      this.#tell(this.#models.apply({ kind: 'done', messageId: message.messageId }));
    });
  }

  #tell(events: readonly WidgetEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) {
      if (event.kind === 'open') for (const end of this.#waiting.get(event.commId) ?? []) end();
      if (event.kind === 'done') this.#sync.done(event.messageId);
    }
    this.#options.onEvents(events);
  }
}

function view(modelId: string, life: WidgetModel['life'], { state, outputs }: LiveModel): WidgetModel {
  return { modelId, life, state, outputs: outputs.map(portableOutput) };
}
