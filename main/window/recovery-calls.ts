/**
 * The calls about work that a crash left: what there is, restore it, or keep the files as they are. One window asks the person; it keeps that
 * right through reloads, so that no two windows ask about the same work.
 */
import path from 'node:path';
import type { LeftWorkView } from '../../preload/contract.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { Journals } from '../documents/journal/journals.ts';
import type { LeftWork } from '../documents/journal/left-work.ts';
import { recover } from '../documents/journal/recovery.ts';
import { ActionError } from './failure.ts';
import type { CallHandlers } from './ipc-router.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';

export interface RecoveryCallsOptions {
  store: DocumentStore;
  journals: Journals;
  notebooks: OpenNotebooks;
}

type RecoveryCalls = Pick<CallHandlers<PageWindow>, Extract<keyof CallHandlers<PageWindow>, `recovery.${string}`>>;

export function recoveryCalls({ store, journals, notebooks }: RecoveryCallsOptions): RecoveryCalls {
  // Begun with the app and waited for by the first window's question, so that reading journals delays no start.
  const reading = journals.takeLeft().then((all) => new Map(all.map((left) => [left.id, left])));
  let asking: PageWindow['id'] | null = null;

  /** Takes the work out of the list, so that it is decided on once; it comes back when that fails. */
  async function decide<T>(id: string, decision: (left: LeftWork) => Promise<T>): Promise<T> {
    const all = await reading;
    const left = all.get(id);
    if (!left) throw new ActionError('not-left', 'This was decided already.');
    all.delete(id);
    try {
      return await decision(left);
    } catch (error) {
      all.set(id, left);
      throw error;
    }
  }

  return {
    'recovery.list': async (window) => {
      const all = await reading;
      asking ??= window.id;
      return asking === window.id ? [...all.values()].map(leftWorkView) : [];
    },
    'recovery.restore': (window, { id }) =>
      decide(id, async (left) => {
        const { document, before, change, writer } = await recover(left, store, journals, window);
        return { snapshot: { ...notebooks.show(document, window).snapshot(), update: before }, change, writer };
      }),
    'recovery.keep': (_window, { id }) =>
      decide(id, async (left) => {
        await journals.dismiss(left);
        return null;
      }),
  };
}

function leftWorkView({ id, title, path: filePath, place, cells, changedAt, state }: LeftWork): LeftWorkView {
  return { id, title, folder: filePath === null ? place : path.dirname(filePath), cells, changedAt, state };
}
