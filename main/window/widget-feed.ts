/**
 * What the windows that show a notebook's widgets are told, gathered over 16 ms. The hard thing is a page that hangs: what it misses can't be
 * replayed, so once it takes events again it is told to ask for its models anew.
 */
import type { WidgetEvent } from '../../preload/widget-messages.ts';
import type { View } from './notebook-feed.ts';
import { Paced } from './paced.ts';

const INTERVAL_MS = 16;

export class WidgetFeed {
  readonly #docId: string;
  readonly #views = new Set<View>();
  readonly #behind = new Set<View>();
  readonly #paced = new Paced(INTERVAL_MS, () => this.#flush());
  #events: WidgetEvent[] = [];

  constructor(docId: string) {
    this.#docId = docId;
  }

  add(view: View): void {
    this.settle();
    this.#views.add(view);
  }

  remove(view: View): void {
    this.#views.delete(view);
    this.#behind.delete(view);
  }

  has(view: View): boolean {
    return this.#views.has(view);
  }

  /** Nobody is told any more until they follow again. */
  clear(): void {
    this.#views.clear();
    this.#behind.clear();
    this.#events = [];
  }

  tell(events: readonly WidgetEvent[]): void {
    if (this.#views.size === 0) return;
    for (const event of events) this.#events.push(event);
    this.#paced.request();
  }

  /** Sends what is gathered. Call before answering with anything that already contains it. */
  settle(): void {
    this.#paced.now();
  }

  close(): void {
    this.#paced.stop();
    this.clear();
  }

  #flush(): void {
    const events = this.#events;
    this.#events = [];
    for (const view of this.#views) {
      if (view.behind) {
        this.#behind.add(view);
        continue;
      }
      const missed = this.#behind.delete(view);
      if (!missed && events.length === 0) continue;
      view.send('widget.events', { docId: this.#docId, events: missed ? [{ kind: 'missed' }] : events });
    }
    // Looks again soon: a page that catches up causes no event here.
    if (this.#behind.size > 0) this.#paced.request();
  }
}
