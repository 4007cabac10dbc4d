/**
 * The widget models of one notebook's kernel, as its comm messages make them, and what the frames that show them are to be told. Without effects;
 * changed in place, since a copy of thousands of models for each message would cost more than the message. The hard part is that a model is changed
 * from two sides: what a frame sets counts at once, and the kernel's echo of something older must not take it back.
 */
import type { Output } from '../../preload/output-change.ts';
import { applyOutputChange } from '../../preload/output-change.ts';
import type { WidgetEvent } from '../../preload/widget-messages.ts';
import { newAreaState, nextAreaState } from '../execution/area-state.ts';
import { widgetArea } from '../execution/output-captures.ts';
import type { AreaState, CapturingWidget, RawOutputChange, RawPayload } from '../execution/run-protocol.ts';
import type { State } from './binary-state.ts';
import type { CommEvent } from './comm-protocol.ts';
import { portableChange } from './portable-outputs.ts';

export interface LiveModel {
  state: State;
  outputs: Output<RawPayload>[];
}

interface Model extends LiveModel {
  /** Where its outputs are, for a kernel host that didn't make them. */
  area: AreaState;
  /** By attribute, the latest message of a frame that set it, until the kernel echoes that. */
  expected: Map<string, string>;
}

/** Models of kernels that ended are kept to be looked at, up to this many. */
const MAX_ENDED = 5_000;

export class WidgetModels {
  readonly #live = new Map<string, Model>();
  #ended = new Map<string, Model>();
  /** Of those, the ones of the last kernel that had any. */
  #last = new Map<string, Model>();
  /** Messages of frames that the kernel is not done with. */
  readonly #sent = new Set<string>();

  live(commId: string): LiveModel | null {
    const model = this.#live.get(commId);
    return model && isOpen(model) ? model : null;
  }

  ended(commId: string): LiveModel | null {
    return this.#ended.get(commId) ?? null;
  }

  /** Live or not; of one whose outputs were told before the widget itself there is no state. */
  any(commId: string): LiveModel | null {
    return this.#live.get(commId) ?? this.ended(commId);
  }

  /** The outputs that live widgets have taken in. */
  taken(): Map<string, readonly Output<RawPayload>[]> {
    return new Map([...this.#live].filter(([, { outputs }]) => outputs.length > 0).map(([commId, { outputs }]) => [commId, outputs]));
  }

  get liveIds(): string[] {
    return openIn(this.#live).map(([commId]) => commId);
  }

  /** The kernel's models; after its end those that it had then. */
  latest(): [string, LiveModel][] {
    const live = openIn(this.#live);
    return live.length > 0 ? live : openIn(this.#last);
  }

  /** A kernel's word. */
  apply(event: CommEvent): WidgetEvent[] {
    switch (event.kind) {
      case 'open':
        return this.#opened(event.commId, event.state);
      case 'update': {
        const model = this.#live.get(event.commId);
        // The answer to a question for its whole state, of a model that was opened unheard.
        if (!model) return typeof event.state._model_name === 'string' ? this.#opened(event.commId, event.state) : [];
        model.state = { ...model.state, ...event.state };
        return [{ ...event, by: null }];
      }
      case 'echo':
        return this.#echoed(event);
      case 'custom':
        return this.#live.has(event.commId) ? [event] : [];
      case 'close':
        return this.#live.delete(event.commId) ? [event] : [];
      case 'done':
        return this.#sent.delete(event.messageId) ? [event] : [];
    }
  }

  /** A frame sets attributes. Null when the kernel has no such model. */
  set(commId: string, messageId: string, state: State): WidgetEvent | null {
    const model = this.#live.get(commId);
    if (!model) return null;
    model.state = { ...model.state, ...state };
    for (const name of Object.keys(state)) model.expected.set(name, messageId);
    return { kind: 'update', commId, state, by: messageId };
  }

  /** A message goes to the kernel; `done` will tell its end. */
  sent(messageId: string): void {
    this.#sent.add(messageId);
  }

  /** Outputs that a widget has taken in. They may be told before the widget itself. */
  outputs(commId: string, changes: readonly RawOutputChange[]): WidgetEvent[] {
    const model = this.#live.get(commId) ?? this.#add(commId, {});
    model.area = nextAreaState(model.area, changes);
    for (const change of changes) model.outputs = applyOutputChange(model.outputs, change);
    return [{ kind: 'outputs', commId, changes: changes.map(portableChange) }];
  }

  /** What another kernel host has to know of the widgets that take outputs in. */
  capturing(): CapturingWidget[] {
    return [...this.#live].flatMap(([commId, { state, area }]) => {
      if (state._model_name !== 'OutputModel') return [];
      const requestId = typeof state.msg_id === 'string' ? state.msg_id : '';
      return [{ commId, requestId, count: area.count, displays: area.displays }];
    });
  }

  /** Nobody will say any more how the messages ended that were under way. */
  settle(): WidgetEvent[] {
    const events = [...this.#sent].map((messageId): WidgetEvent => ({ kind: 'done', messageId }));
    this.#sent.clear();
    for (const { expected } of this.#live.values()) expected.clear();
    return events;
  }

  /** The kernel is gone with its models. */
  end(): WidgetEvent[] {
    const events = this.settle();
    if (this.#live.size === 0) return events;
    this.#last = new Map(this.#live);
    this.#ended = new Map([...this.#ended, ...this.#live].slice(-MAX_ENDED));
    this.#live.clear();
    return [...events, { kind: 'ended' }];
  }

  /** These are all that the kernel has. */
  keepOnly(commIds: ReadonlySet<string>): WidgetEvent[] {
    return this.liveIds.filter((commId) => !commIds.has(commId)).flatMap((commId) => this.apply({ kind: 'close', commId }));
  }

  #opened(commId: string, state: State): WidgetEvent[] {
    const model = this.#live.get(commId) ?? this.#add(commId, {});
    model.state = state;
    return [{ kind: 'open', commId }];
  }

  #add(commId: string, state: State): Model {
    const model: Model = { state, outputs: [], area: newAreaState(widgetArea(commId), widgetArea(commId)), expected: new Map() };
    this.#live.set(commId, model);
    return model;
  }

  #echoed({ commId, messageId, state }: Extract<CommEvent, { kind: 'echo' }>): WidgetEvent[] {
    const model = this.#live.get(commId);
    if (!model) return [];
    const kept: State = {};
    for (const [name, value] of Object.entries(state)) {
      const expected = model.expected.get(name);
      if (expected === messageId) model.expected.delete(name);
      if (expected === undefined || expected === messageId) kept[name] = value;
    }
    model.state = { ...model.state, ...kept };
    return [{ kind: 'echo', commId, messageId, state, kept }];
  }
}

function openIn(models: ReadonlyMap<string, Model>): [string, Model][] {
  return [...models].filter(([, model]) => isOpen(model));
}

/** False for one whose outputs were told before the widget itself. */
function isOpen({ state }: Model): boolean {
  return typeof state._model_name === 'string';
}
