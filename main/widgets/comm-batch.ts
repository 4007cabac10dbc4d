/**
 * Comm events that wait to be told, joined: of a slider that code moves a thousand times only where it is now matters. What is joined moves to the
 * later place, since its value may name a model that was opened in between. Pure.
 */
import { weightOf } from './binary-state.ts';
import type { CommEvent } from './comm-protocol.ts';

/** Bytes of one event between processes, about. */
const EVENT_LIMIT = 1024 * 1024;

export class CommBatch {
  /** Places of joined events are empty. */
  #events: (CommEvent | null)[] = [];
  /** By comm, where its last event is. */
  readonly #last = new Map<string, number>();
  #weight = 0;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** Bytes, about. What was joined away still counts: it bounds the work as well as the memory. */
  get weight(): number {
    return this.#weight;
  }

  add(event: CommEvent): void {
    this.#weight += weightOf(event);
    if (event.kind === 'done') {
      this.#events.push(event);
      return;
    }
    const place = this.#last.get(event.commId);
    const before = place === undefined ? null : this.#events[place];
    this.#last.set(event.commId, this.#events.length);
    if (event.kind !== 'update' || before?.kind !== 'update') {
      this.#events.push(event);
      return;
    }
    this.#events[place!] = null;
    this.#events.push({ ...event, state: { ...before.state, ...event.state } });
  }

  /** Everything, in pieces of bounded size. */
  take(limit = EVENT_LIMIT): CommEvent[][] {
    const pieces: CommEvent[][] = [];
    let room = 0;
    for (const event of this.#events) {
      if (!event) continue;
      const weight = weightOf(event);
      if (pieces.length === 0 || weight > room) {
        pieces.push([]);
        room = limit;
      }
      pieces.at(-1)!.push(event);
      room -= weight;
    }
    this.#events = [];
    this.#last.clear();
    this.#weight = 0;
    return pieces;
  }
}
