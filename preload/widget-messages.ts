/**
 * What main and a window tell each other about a notebook's widgets. Main holds the models of every kernel; a window passes on what its frames ask
 * for and what happens to the models they show. Bytes in states are Uint8Array in their places.
 */
import * as z from 'zod';
import type { Output, OutputChange } from './output-change.ts';

/** The kernel has the model, had it before it ended, or never had it: then it comes from the notebook's file. */
export type WidgetLife = 'live' | 'ended' | 'stored';

export interface WidgetModel {
  modelId: string;
  life: WidgetLife;
  state: Record<string, unknown>;
  /** What an Output widget has taken in. */
  outputs: Output<unknown>[];
}

export type WidgetEvent =
  /** There is a model that was not there before. */
  | { kind: 'open'; commId: string }
  /** `by` is the message of a frame that made the change, null when the kernel did. */
  | { kind: 'update'; commId: string; state: Record<string, unknown>; by: string | null }
  /** The kernel has taken in a frame's message. `state` is all it says, `kept` what is still true. */
  | { kind: 'echo'; commId: string; messageId: string; state: Record<string, unknown>; kept: Record<string, unknown> }
  | { kind: 'custom'; commId: string; content: unknown; buffers: Uint8Array[] }
  | { kind: 'outputs'; commId: string; changes: OutputChange<unknown>[] }
  | { kind: 'close'; commId: string }
  /** The kernel is done with a frame's message. */
  | { kind: 'done'; messageId: string }
  /** The kernel is gone: its models are only looked at from now on. */
  | { kind: 'ended' }
  /** This window took no events for a while: what it knows of models is out of date. */
  | { kind: 'missed' };

/** A frame's message to the kernel. Buffers are named in `data`, as ipywidgets' protocol has it. */
export interface WidgetSend {
  docId: string;
  commId: string;
  messageId: string;
  data: Record<string, unknown>;
  buffers: Uint8Array[];
}

export interface WidgetCalls {
  /** From now on this window is told of the notebook's widgets. Refused for a notebook that is not trusted. */
  'widget.follow': { args: { docId: string }; result: null };
  'widget.leave': { args: { docId: string }; result: null };
  /** Null when neither the kernel nor the file has it. An `open` event tells when it comes after all. */
  'widget.model': { args: { docId: string; modelId: string }; result: WidgetModel | null };
}

export interface WidgetPosts {
  'widget.send': WidgetSend;
}

export interface WidgetEvents {
  /** In order; at most one per 16 ms and notebook. */
  'widget.events': { docId: string; events: WidgetEvent[] };
}

const id = z.string().min(1).max(200);
const docId = z.string().min(1).max(64);

export const widgetCallSchemas: { [N in keyof WidgetCalls]: z.ZodType<WidgetCalls[N]['args']> } = {
  'widget.follow': z.object({ docId }),
  'widget.leave': z.object({ docId }),
  'widget.model': z.object({ docId, modelId: id }),
};

export const widgetPostSchemas: { [N in keyof WidgetPosts]: z.ZodType<WidgetPosts[N]> } = {
  'widget.send': z.object({
    docId,
    commId: id,
    messageId: id,
    data: z.record(z.string(), z.unknown()),
    buffers: z.array(z.instanceof(Uint8Array)).max(10_000),
  }),
};
