/**
 * The frame's one way out: messages to the window that holds it, which passes them on to main. Everything else about the frame is a stranger to
 * the window, so each message says in full what it wants, and the window checks it.
 */
import type { FrameNews, FrameRequest } from '../../outputs/widget-channel.ts';

export function askWindow(request: FrameRequest): void {
  parent.postMessage({ cellwright: 'widget', request }, '*');
}

/** Nothing but the parent's own messages counts: other outputs of the page could send some too. */
export function onNews(listener: (news: FrameNews) => void): void {
  addEventListener('message', (event: MessageEvent<{ cellwright?: string; news?: FrameNews } | null>) => {
    if (event.source === parent && event.data?.cellwright === 'widget' && event.data.news) listener(event.data.news);
  });
}
