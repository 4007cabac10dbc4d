/** Tells in a few words what came in from the disk, with the way back; and has the disk looked at when the window gets the focus. */
import { useEffect } from 'react';
import type { App } from '../shell/app.ts';

export function useOutsideNotices({ bridge, toasts, workspace }: App): void {
  useEffect(() => {
    const shown = new Map<string, number>();
    const undo = async (docId: string) => {
      const answer = await bridge.call('outside.undo', { docId });
      if (!answer.ok) toasts.fail(answer.error);
    };
    const look = () => void bridge.call('outside.check', undefined);
    const end = bridge.on('doc.outside', ({ docId, message, canUndo }) => {
      const before = shown.get(docId);
      if (before !== undefined) toasts.dismiss(before);
      const action = canUndo ? { label: 'Undo', run: () => void undo(docId) } : null;
      const tab = workspace.state.get().tabs.find(({ client }) => client.docId === docId);
      // Beside work of the person's own it stays until they have seen it.
      if (tab?.client.document.dirty) shown.set(docId, toasts.note(message, action));
      else toasts.tell(message, action);
    });
    window.addEventListener('focus', look);
    return () => {
      end();
      window.removeEventListener('focus', look);
    };
  }, [bridge, toasts, workspace]);
}
