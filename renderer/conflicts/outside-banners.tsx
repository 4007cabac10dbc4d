/**
 * Above a notebook: that its file is gone, can't be read, has everything twice or has lost something, and cells that wait for a choice. Each with the
 * next step as a button.
 */
import { CopyX, FileMinus2, FileWarning, GitMerge } from 'lucide-react';
import type { JSX } from 'react';
import { useState } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useDocument } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { Banner } from '../shell/banner.tsx';
import { ConflictView } from './conflict-view.tsx';
import { bannerWords } from './conflict-words.ts';
import { keepLabel, keptWords } from './kept-words.ts';

export function OutsideBanners({ controller }: { controller: NotebookController }): JSX.Element {
  const { bridge, toasts, workspace, damaged } = useApp();
  const { docId } = controller.client;
  const { conflicts = 0, kept, trouble, path, title } = useDocument(controller.client);
  const [isComparing, setComparing] = useState(false);
  const saveAs = { label: 'Save as…', run: () => void workspace.saveAs(controller) };
  const settleKept = async (choice: 'keep' | 'file'): Promise<void> => {
    const answer = await bridge.call('outside.settleKept', { docId, choice });
    if (!answer.ok) toasts.fail(answer.error);
  };
  const settleDoubled = async (choice: 'file' | 'mine'): Promise<void> => {
    const answer = await bridge.call('outside.settleDoubled', { docId, choice });
    if (!answer.ok) toasts.fail(answer.error);
  };
  return (
    <>
      {trouble?.kind === 'gone' && (
        <Banner
          tone="running"
          icon={FileWarning}
          message={trouble.message}
          actions={[saveAs, { label: 'Save it again', main: true, run: () => void workspace.save(controller) }]}
        />
      )}
      {trouble?.kind === 'unreadable' && (
        <Banner
          tone="failed"
          icon={FileWarning}
          message={trouble.message}
          actions={[
            saveAs,
            ...(path === null ? [] : [{ label: 'Look at the file…', main: true, run: () => damaged.set((paths) => [...paths, path]) }]),
          ]}
        />
      )}
      {trouble?.kind === 'doubled' && (
        <Banner
          tone="running"
          icon={CopyX}
          message={trouble.message}
          actions={[
            { label: 'Take the file as it is', run: () => void settleDoubled('file') },
            { label: 'Keep my version', main: true, run: () => void settleDoubled('mine') },
          ]}
        />
      )}
      {kept && (
        <Banner
          tone="running"
          icon={FileMinus2}
          message={keptWords(title, kept)}
          actions={[
            { label: 'Take the file as it is', run: () => void settleKept('file') },
            { label: keepLabel(kept), main: true, run: () => void settleKept('keep') },
          ]}
        />
      )}
      {conflicts > 0 && (
        <Banner
          tone="running"
          icon={GitMerge}
          message={bannerWords(conflicts)}
          actions={[{ label: 'Compare and choose…', main: true, run: () => setComparing(true) }]}
        />
      )}
      {isComparing && <ConflictView controller={controller} onClose={() => setComparing(false)} />}
    </>
  );
}
