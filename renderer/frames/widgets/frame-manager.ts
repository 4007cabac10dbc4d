/**
 * The widget manager of one frame. It has the models that its view needs and asks the window for each of them when it is first named; main keeps
 * them in step with the kernel and with the other frames. The hard part is order: what happens to a model while it is still being made is
 * done to it right after.
 */
import { DOMWidgetModel, type ICallbacks, type WidgetModel, type WidgetView } from '@jupyter-widgets/base';
import { ManagerBase } from '@jupyter-widgets/base-manager';
import type { WidgetModel as SharedModel, WidgetEvent } from '../../../preload/widget-messages.ts';
import { FrameComm, withViews } from './frame-comm.ts';
import { missingView } from './missing-view.ts';
import { FrameOutputModel } from './output-model.ts';
import { askWindow } from './parent-link.ts';
import { classOf, isKnownModule } from './widget-modules.ts';

interface Pending {
  resolve: (model: SharedModel | null) => void;
  asked: Promise<SharedModel | null>;
}

/** What happens to one model. */
type ModelEvent = Exclude<WidgetEvent, { kind: 'open' | 'missed' | 'done' | 'ended' }>;

export class FrameManager extends ManagerBase {
  readonly #pending = new Map<string, Pending>();
  readonly #making = new Map<string, Promise<WidgetModel>>();
  readonly #comms = new Map<string, FrameComm>();
  /** Messages of this frame that the kernel is not done with. */
  readonly #sent = new Map<string, ICallbacks | undefined>();

  /** The model, from the window when this frame doesn't have it yet. Rejects when there is none. */
  override get_model(modelId: string): Promise<WidgetModel> {
    let making = this.#making.get(modelId);
    if (!making) {
      making = this.#make(modelId);
      this.#making.set(modelId, making);
      // Asked again the next time: it may be there then.
      making.catch(() => this.#making.delete(modelId));
    }
    return making;
  }

  /** The window's answer. */
  answer(modelId: string, model: SharedModel | null): void {
    this.#pending.get(modelId)?.resolve(model);
    this.#pending.delete(modelId);
  }

  /** What happened to models, in order. Those that this frame doesn't have don't concern it. */
  receive(event: WidgetEvent): void {
    switch (event.kind) {
      case 'open':
        return;
      case 'missed':
        for (const modelId of this.#making.keys()) void this.#refresh(modelId);
        return;
      case 'done':
        this.#done(event.messageId);
        return;
      case 'ended':
        for (const making of this.#making.values()) {
          void making.then(
            (model) => {
              model.comm_live = false;
            },
            () => {},
          );
        }
        return;
      default: {
        // Known now, while later the message may be done with.
        const isOwn =
          'messageId' in event ? this.#sent.has(event.messageId) : 'by' in event && event.by !== null && this.#sent.has(event.by);
        void this.#making.get(event.commId)?.then(
          (model) => this.#apply(model, event, isOwn),
          () => {},
        );
      }
    }
  }

  protected override loadClass(className: string, moduleName: string): Promise<typeof WidgetModel | typeof WidgetView> {
    return classOf(className, moduleName);
  }

  protected override async loadModelClass(className: string, moduleName: string, version: string): Promise<typeof WidgetModel> {
    return isKnownModule(moduleName) ? super.loadModelClass(className, moduleName, version) : DOMWidgetModel;
  }

  protected override async loadViewClass(className: string, moduleName: string, version: string): Promise<typeof WidgetView> {
    return isKnownModule(moduleName) ? super.loadViewClass(className, moduleName, version) : missingView(moduleName);
  }

  protected override _create_comm(): Promise<FrameComm> {
    return Promise.reject(new Error('Widgets are made in the kernel.'));
  }

  protected override async _get_comm_info(): Promise<Record<string, never>> {
    return {};
  }

  async #make(modelId: string): Promise<WidgetModel> {
    const shared = await this.#ask(modelId);
    if (!shared) throw new Error('The widget is neither in the kernel nor in the notebook’s file.');
    const { _model_name, _model_module, _model_module_version } = shared.state;
    const comm = shared.life === 'live' ? this.#comm(modelId) : undefined;
    const model = await this.new_model(
      {
        model_id: modelId,
        model_name: String(_model_name),
        model_module: String(_model_module),
        model_module_version: String(_model_module_version ?? ''),
        ...(comm ? { comm } : {}),
      },
      withViews(shared.state) as Record<string, never>,
    );
    if (model instanceof FrameOutputModel) model.setOutputs(shared.outputs);
    return model;
  }

  /** What happened to a model meanwhile is not known: its present state takes the place of all of it. */
  async #refresh(modelId: string): Promise<void> {
    const model = await this.#making.get(modelId)?.catch(() => undefined);
    const shared = await this.#ask(modelId);
    const comm = this.#comms.get(modelId);
    if (!model || !comm) return;
    if (!shared) this.#apply(model, { kind: 'close', commId: modelId }, false);
    else this.#update(comm, shared.state);
    if (shared && model instanceof FrameOutputModel) model.setOutputs(shared.outputs);
    if (shared?.life === 'ended') model.comm_live = false;
  }

  #ask(modelId: string): Promise<SharedModel | null> {
    const known = this.#pending.get(modelId);
    if (known) return known.asked;
    let resolve: Pending['resolve'] = () => {};
    const asked = new Promise<SharedModel | null>((settle) => {
      resolve = settle;
    });
    this.#pending.set(modelId, { asked, resolve });
    askWindow({ kind: 'model', modelId });
    return asked;
  }

  #comm(modelId: string): FrameComm {
    const comm = new FrameComm(modelId, (messageId, callbacks) => this.#sent.set(messageId, callbacks));
    this.#comms.set(modelId, comm);
    return comm;
  }

  #apply(model: WidgetModel, event: ModelEvent, isOwn: boolean): void {
    const comm = this.#comms.get(event.commId);
    if (event.kind === 'outputs') {
      if (model instanceof FrameOutputModel) model.applyChanges(event.changes);
      return;
    }
    if (!comm) return;
    switch (event.kind) {
      case 'update':
        if (!isOwn) this.#update(comm, event.state);
        return;
      case 'echo':
        // The model itself knows what of its own echo is out of date; of another frame's, main has left that out.
        if (isOwn) {
          comm.receive({ method: 'echo_update', state: withViews(event.state), buffer_paths: [] }, { messageId: event.messageId });
        } else this.#update(comm, event.kept);
        return;
      case 'custom':
        comm.receive({ method: 'custom', content: event.content }, { buffers: event.buffers.map((each) => withViews(each) as DataView) });
        return;
      case 'close':
        this.#making.delete(event.commId);
        this.#comms.delete(event.commId);
        comm.closed();
    }
  }

  #update(comm: FrameComm, state: Record<string, unknown>): void {
    if (Object.keys(state).length > 0) comm.receive({ method: 'update', state: withViews(state), buffer_paths: [] });
  }

  #done(messageId: string): void {
    const callbacks = this.#sent.get(messageId);
    if (!this.#sent.delete(messageId)) return;
    const status = callbacks?.iopub?.status as ((message: unknown) => void) | undefined;
    status?.({ content: { execution_state: 'idle' }, parent_header: { msg_id: messageId } });
  }
}
