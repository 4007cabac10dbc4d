/** Above a notebook: that its file is gone or can't be read, and cells that wait for a choice. Each with the next step as a button. */
import { FileWarning, GitMerge } from 'lucide-react';
import type { JSX } from 'react';
import { useState } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useDocument } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { Banner } from '../shell/banner.tsx';
import { ConflictView } from './conflict-view.tsx';
import { bannerWords } from './conflict-words.ts';

export function OutsideBanners({ controller }: { controller: NotebookController }): JSX.Element {
  const { workspace, damaged } = useApp();
  const { conflicts = 0, trouble, path } = useDocument(controller.client);
  const [isComparing, setComparing] = useState(false);
  const saveAs = { label: 'Save as…', run: () => void workspace.saveAs(controller) };
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
