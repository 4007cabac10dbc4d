/**
 * Short messages at the lower edge: what failed and what to do next. They take no focus and wait long enough to be read; a failure stays
 * until it is put away or enough others have come.
 */
import type { Failure } from '../../preload/contract.ts';
import type { Store } from './store.ts';
import { createStore } from './store.ts';

export interface Toast {
  id: number;
  tone: 'failed' | 'quiet';
  message: string;
  hint: string;
  detail: string | null;
  action: { label: string; run: () => void } | null;
}

/** More at once would cover the page. */
const MOST_TOASTS = 3;
/** A quiet message goes by itself after this many milliseconds. */
const QUIET_MS = 5_000;

export class Toasts {
  readonly list: Store<readonly Toast[]> = createStore<readonly Toast[]>([]);
  #next = 0;

  /** Tells of a failure. The same words twice in a row are one message. */
  fail(failure: Failure, action: Toast['action'] = null): void {
    const { message, hint, detail } = failure;
    if (this.list.get().some((toast) => toast.message === message && toast.hint === hint)) return;
    this.#add({ tone: 'failed', message, hint, detail: detail ?? null, action });
  }

  tell(message: string, action: Toast['action'] = null): void {
    const id = this.#add({ tone: 'quiet', message, hint: '', detail: null, action });
    setTimeout(() => this.dismiss(id), QUIET_MS);
  }

  /** Something to know that is no failure; stays until it is put away. */
  note(message: string, action: Toast['action'] = null): number {
    return this.#add({ tone: 'quiet', message, hint: '', detail: null, action });
  }

  dismiss(id: number): void {
    this.list.set((list) => list.filter((toast) => toast.id !== id));
  }

  #add(toast: Omit<Toast, 'id'>): number {
    this.#next += 1;
    const id = this.#next;
    this.list.set((list) => [...list, { ...toast, id }].slice(-MOST_TOASTS));
    return id;
  }
}
