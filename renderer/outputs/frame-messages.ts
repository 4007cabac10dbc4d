/**
 * Messages of output frames, each handed to the frame it came from. A frame may run anybody's script: a message counts only by its
 * sender (`event.source`), and everything in it is checked. One listener serves all frames.
 */

import { type FrameRequest, readFrameRequest } from './widget-channel.ts';

export type FrameMessage =
  | { kind: 'size'; height: number }
  | { kind: 'open'; url: string }
  | { kind: 'held' }
  | { kind: 'widget'; request: FrameRequest };

/** Beyond this a frame is no output but an attempt to fill the page. */
const MAX_HEIGHT = 1_000_000;

type Handler = (message: FrameMessage) => void;
const handlers = new Map<MessageEventSource, Handler>();

/** Returns the function that ends it. */
export function listenToFrame(frame: Window, handler: Handler): () => void {
  if (handlers.size === 0) window.addEventListener('message', dispatch);
  handlers.set(frame, handler);
  return () => {
    handlers.delete(frame);
    if (handlers.size === 0) window.removeEventListener('message', dispatch);
  };
}

function dispatch(event: MessageEvent): void {
  const handler = event.source ? handlers.get(event.source) : undefined;
  const message = handler ? readFrameMessage(event.data) : null;
  if (message) handler?.(message);
}

/** Null for anything that a frame's page of ours does not send. */
export function readFrameMessage(data: unknown): FrameMessage | null {
  if (typeof data !== 'object' || data === null) return null;
  const { cellwright, height, url, request: asked } = data as Record<string, unknown>;
  if (cellwright === 'size' && typeof height === 'number' && height >= 0 && height <= MAX_HEIGHT) return { kind: 'size', height };
  if (cellwright === 'open' && typeof url === 'string') return { kind: 'open', url };
  if (cellwright === 'held') return { kind: 'held' };
  const request = cellwright === 'widget' ? readFrameRequest(asked) : null;
  if (request) return { kind: 'widget', request };
  return null;
}
