/**
 * Work that a crash left, in this window: what main found, and the person's answers. Restored work is applied to the replica as the person's own
 * edit, so that undo takes it back like anything else they did.
 */
import * as Y from 'yjs';
import type { Bridge, LeftWorkView } from '../../preload/contract.ts';
import { createStore, type Store } from '../shell/store.ts';
import type { Toasts } from '../shell/toasts.ts';
import type { Workspace } from '../shell/workspace.ts';

export interface RecoveryOptions {
  bridge: Bridge;
  toasts: Toasts;
  workspace: Workspace;
}

export class Recovery {
  /** What is to be decided; the newest first. */
  readonly left: Store<readonly LeftWorkView[]> = createStore<readonly LeftWorkView[]>([]);
  /** Decided later: the next start asks again. */
  readonly isPutOff: Store<boolean> = createStore(false);
  /** One answer at a time: each opens a document. */
  readonly isBusy: Store<boolean> = createStore(false);
  readonly #options: RecoveryOptions;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const answer = await this.#options.bridge.call('recovery.list', undefined);
    if (answer.ok) this.left.set(answer.value);
  }

  putOff(): void {
    this.isPutOff.set(true);
  }

  restore(left: LeftWorkView): Promise<void> {
    return this.#alone(async () => {
      await this.#restore(left);
    });
  }

  /** All of them, the newest last, so that it is in front. */
  restoreAll(): Promise<void> {
    return this.#alone(async () => {
      for (const left of [...this.left.get()].reverse()) if (!(await this.#restore(left))) return;
    });
  }

  keepFile(left: LeftWorkView): Promise<void> {
    return this.#alone(async () => {
      const { bridge, toasts } = this.#options;
      const answer = await bridge.call('recovery.keep', { id: left.id });
      if (!answer.ok) return toasts.fail(answer.error);
      this.#decided(left);
    });
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    if (this.isBusy.get()) return;
    this.isBusy.set(true);
    try {
      await work();
    } finally {
      this.isBusy.set(false);
    }
  }

  async #restore(left: LeftWorkView): Promise<boolean> {
    const { bridge, toasts, workspace } = this.#options;
    const answer = await bridge.call('recovery.restore', { id: left.id });
    if (!answer.ok) {
      toasts.fail(answer.error);
      return false;
    }
    const { snapshot, change, writer } = answer.value;
    const client = workspace.adopt(snapshot)?.client;
    client?.undo.takeOver(writer);
    client?.undo.step(() => Y.applyUpdate(client.ydoc, change, client.origin));
    client?.setDocument(snapshot.document);
    this.#decided(left);
    return true;
  }

  #decided(left: LeftWorkView): void {
    this.left.set((all) => all.filter((other) => other.id !== left.id));
  }
}
