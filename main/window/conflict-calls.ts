/** The calls about changes from outside: looking at the disk, taking back what came in, what the file has lost, and cells that both sides changed. */
import type { OutsideCalls } from '../../preload/outside-changes.ts';
import type { DiskWatch } from '../documents/outside/disk-watch.ts';
import type { Conflict } from '../documents/outside/merge-plan.ts';
import type { CallHandlers } from './ipc-router.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';

type ConflictCalls = Pick<CallHandlers<PageWindow>, Extract<keyof OutsideCalls, `outside.${string}` | `conflict.${string}`>>;

export function conflictCalls({ notebooks, disk }: { notebooks: OpenNotebooks; disk: DiskWatch }): ConflictCalls {
  return {
    'outside.check': async () => {
      await disk.lookAtAll();
      return null;
    },
    'outside.undo': (_window, { docId }) => ({ undone: notebooks.get(docId).document.outside.undo() }),
    'outside.settleKept': (_window, { docId, choice }) => {
      notebooks.get(docId).document.outside.settleKept(choice);
      return null;
    },
    'outside.settleDoubled': async (_window, { docId, choice }) => {
      await notebooks.get(docId).document.settleDoubled(choice);
      return null;
    },
    'conflict.list': (_window, { docId }) => notebooks.get(docId).document.outside.conflicts().map(toView),
    'conflict.settle': (_window, { docId, key, before, copy }) => {
      const { outside } = notebooks.get(docId).document;
      outside.settle(key, { before, copy });
      return { left: outside.conflictCount };
    },
  };
}

function toView({ key, kind, base, theirs }: Conflict) {
  const text = (cell: Conflict['base']) => cell && { type: cell.type, source: cell.source };
  return { key, kind, base: text(base), theirs: text(theirs) };
}
