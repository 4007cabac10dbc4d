/**
 * Which outputs a widget takes in instead of the cell: an Output widget names, in its `msg_id`, the request whose messages it captures. Of several
 * that name one request the last to begin takes them, as nested `with` blocks mean. Pure bookkeeping over comm messages.
 */
import type { JupyterMessage } from '../kernels/messages.ts';
import { record } from './message-content.ts';

/** What a comm message means for the outputs of a widget. */
export type CaptureChange =
  | { commId: string; closed: true }
  /** The kernel itself gave the widget these outputs, as nbformat has them. */
  | { commId: string; outputs: unknown[] };

export class OutputCaptures {
  /** The Output widgets that are there, with the request each captures; empty for none. */
  readonly #requests = new Map<string, string>();
  /** By request, the last to begin at the end. */
  readonly #widgets = new Map<string, string[]>();

  /** Some widget captures something. */
  get active(): boolean {
    return this.#widgets.size > 0;
  }

  widgetFor(requestId: string): string | null {
    return this.#widgets.get(requestId)?.at(-1) ?? null;
  }

  /** A widget that is known from elsewhere. */
  add(commId: string, requestId: string): void {
    this.#requests.set(commId, '');
    this.#capture(commId, requestId);
  }

  clear(): void {
    this.#requests.clear();
    this.#widgets.clear();
  }

  /** Takes in a comm message. Null when it changes no widget's outputs. */
  take(message: JupyterMessage): CaptureChange | null {
    const { comm_id: commId } = message.content;
    if (typeof commId !== 'string') return null;
    const data = record(message.content.data);
    const state = record(data.state);
    switch (message.header.msg_type) {
      case 'comm_open':
        if (state._model_name !== 'OutputModel') return null;
        this.#requests.set(commId, '');
        return this.#changed(commId, state);
      case 'comm_msg':
        return data.method === 'update' && this.#requests.has(commId) ? this.#changed(commId, state) : null;
      case 'comm_close':
        if (!this.#requests.has(commId)) return null;
        this.#capture(commId, '');
        this.#requests.delete(commId);
        return { commId, closed: true };
      default:
        return null;
    }
  }

  #changed(commId: string, { msg_id: requestId, outputs }: Record<string, unknown>): CaptureChange | null {
    if (typeof requestId === 'string') this.#capture(commId, requestId);
    return Array.isArray(outputs) ? { commId, outputs } : null;
  }

  #capture(commId: string, requestId: string): void {
    const before = this.#requests.get(commId) ?? '';
    const left = this.#widgets.get(before)?.filter((other) => other !== commId) ?? [];
    if (left.length > 0) this.#widgets.set(before, left);
    else this.#widgets.delete(before);
    this.#requests.set(commId, requestId);
    if (requestId !== '') this.#widgets.set(requestId, [...(this.#widgets.get(requestId) ?? []), commId]);
  }
}

const AREA_PREFIX = 'widget:';

/** Outputs of a widget are an area like a cell's; this is its id, and the id of the run that owns it. */
export function widgetArea(commId: string): string {
  return AREA_PREFIX + commId;
}

/** The widget whose area this is, null for a cell's. */
export function widgetOfArea(areaId: string): string | null {
  return areaId.startsWith(AREA_PREFIX) ? areaId.slice(AREA_PREFIX.length) : null;
}
