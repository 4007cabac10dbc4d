/** The calls about unsaved work that was given up or put away: what there is, compare it, open it as a notebook of its own, take it away for good. */
import path from 'node:path';
import type { KeptCalls, KeptVersionView } from '../../preload/kept-versions.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { Journals } from '../documents/journal/journals.ts';
import { type KeptWork, keptTexts, openKept, removeKept } from '../documents/journal/kept-work.ts';
import type { LeftWork } from '../documents/journal/left-work.ts';
import { ActionError } from './failure.ts';
import type { CallHandlers } from './ipc-router.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';

export interface KeptCallsOptions {
  store: DocumentStore;
  journals: Journals;
  notebooks: OpenNotebooks;
}

export function keptCalls({ store, journals, notebooks }: KeptCallsOptions): Pick<CallHandlers<PageWindow>, keyof KeptCalls> {
  /** Looked up in the list, so that no name from outside leads anywhere else. */
  async function find(id: string): Promise<KeptWork> {
    const kept = (await journals.kept()).find((one) => one.id === id);
    if (!kept) throw new ActionError('not-kept', 'This version is not there any more.');
    return kept;
  }

  async function readable(id: string): Promise<LeftWork> {
    const { left } = await find(id);
    if (!left) throw new ActionError('not-kept', 'This version can’t be read: it is damaged, or another version of Cellwright wrote it.');
    return left;
  }

  return {
    'kept.list': async () => (await journals.kept()).map(toView),
    'kept.compare': async (_window, { id }) => keptTexts(await readable(id)),
    'kept.open': async (window, { id }) => notebooks.show(await openKept(await readable(id), store), window).snapshot(),
    'kept.remove': async (_window, { id }) => {
      await removeKept(await find(id));
      return null;
    },
  };
}

function toView({ id, folder, keptAt, left }: KeptWork): KeptVersionView {
  if (!left) return { id, title: 'Unreadable version', folder, cells: 0, changedAt: keptAt, state: 'unreadable' };
  const { title, path: filePath, place, cells, changedAt, state } = left;
  return { id, title, folder: filePath === null ? place : path.dirname(filePath), cells, changedAt, state };
}
