/**
 * Between main and the frames that show a notebook's widgets. A frame asks for models and sends messages; what happens to models goes to every frame
 * of the notebook in the same order. Main is asked to tell of them only while a frame is there. What frames send is checked here for its shape, and in
 * main for the notebook's trust.
 */
import type { WidgetEvent, WidgetModel } from '../../preload/widget-messages.ts';
import { windowBridge } from '../shell/bridge.ts';

/** To a frame. */
export type FrameNews = { kind: 'model'; modelId: string; model: WidgetModel | null } | { kind: 'events'; events: readonly WidgetEvent[] };

export type FrameRequest =
  | { kind: 'model'; modelId: string }
  | { kind: 'send'; commId: string; messageId: string; data: Record<string, unknown>; buffers: Uint8Array[] };

export interface WidgetFrameLink {
  tell(news: FrameNews): void;
}

interface Notebook {
  frames: Set<WidgetFrameLink>;
  following: Promise<unknown>;
  end: () => void;
}

const notebooks = new Map<string, Notebook>();

/** Connects a frame. The returned function takes it off. */
export function joinWidgets(docId: string, link: WidgetFrameLink): () => void {
  const notebook = notebooks.get(docId) ?? follow(docId);
  notebook.frames.add(link);
  return () => {
    notebook.frames.delete(link);
    if (notebook.frames.size > 0) return;
    notebooks.delete(docId);
    notebook.end();
    void windowBridge().call('widget.leave', { docId });
  };
}

function follow(docId: string): Notebook {
  const frames = new Set<WidgetFrameLink>();
  const end = windowBridge().on('widget.events', (payload) => {
    if (payload.docId !== docId) return;
    for (const frame of [...frames]) frame.tell({ kind: 'events', events: payload.events });
  });
  const notebook = { frames, following: windowBridge().call('widget.follow', { docId }), end };
  notebooks.set(docId, notebook);
  return notebook;
}

/** Does what a frame asks for; the answer to a question comes as news. */
export async function requestForFrame(docId: string, request: FrameRequest, link: WidgetFrameLink): Promise<void> {
  if (request.kind === 'send') {
    const { commId, messageId, data, buffers } = request;
    windowBridge().post('widget.send', { docId, commId, messageId, data, buffers });
    return;
  }
  const { modelId } = request;
  // Whatever happens to the model after this answer is told then.
  await notebooks.get(docId)?.following;
  link.tell({ kind: 'model', modelId, model: await widgetModel(docId, modelId) });
}

/** Null when neither the kernel nor the notebook's file has it. */
export async function widgetModel(docId: string, modelId: string): Promise<WidgetModel | null> {
  const answer = await windowBridge().call('widget.model', { docId, modelId });
  return answer.ok ? answer.value : null;
}

/** Null for anything that a frame's page of ours does not send. */
export function readFrameRequest(value: unknown): FrameRequest | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, modelId, commId, messageId, data, buffers } = value as Record<string, unknown>;
  if (kind === 'model') return isId(modelId) ? { kind, modelId } : null;
  if (kind !== 'send' || !isId(commId) || !isId(messageId)) return null;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  if (!Array.isArray(buffers) || !buffers.every((buffer) => buffer instanceof Uint8Array)) return null;
  return { kind, commId, messageId, data: data as Record<string, unknown>, buffers };
}

const MAX_ID = 200;

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID;
}
