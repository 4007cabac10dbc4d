/** One notebook on the page: what must be said about it, how far a run has come, and its cells. */
import { Info } from 'lucide-react';
import type { JSX } from 'react';
import { useEffect, useState } from 'react';
import { OutsideBanners } from '../conflicts/outside-banners.tsx';
import { KernelBanner } from '../kernel/kernel-banner.tsx';
import { RunBar } from '../kernel/run-bar.tsx';
import { Banner } from '../shell/banner.tsx';
import { CellList } from './cell-list.tsx';
import type { NotebookController } from './notebook-controller.ts';
import styles from './notebook-view.module.css';
import { useDocument } from './use-notebook.ts';

/** The User Timing mark of a notebook's first frame; what is measured of the window's start ends with it. */
const DRAWN_MARK = 'notebook-drawn';

export function NotebookView({ controller }: { controller: NotebookController }): JSX.Element {
  useEffect(() => {
    // A task that is asked for in a frame comes after that frame is drawn.
    const frame = requestAnimationFrame(() => setTimeout(() => performance.mark(DRAWN_MARK)));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div className={styles.view} data-notebook={controller.client.docId}>
      <RunBar controller={controller} />
      <KernelBanner controller={controller} />
      <OutsideBanners controller={controller} />
      <Notices controller={controller} />
      <CellList controller={controller} />
    </div>
  );
}

/** Sentences about the file; one that was put away stays away while the notebook is open. */
function Notices({ controller }: { controller: NotebookController }): JSX.Element {
  const { notices } = useDocument(controller.client);
  const [away, setAway] = useState<readonly string[]>(controller.page.noticesPutAway);
  const putAway = (notice: string) => {
    controller.page.noticesPutAway = [...away, notice];
    setAway(controller.page.noticesPutAway);
  };
  return (
    <>
      {notices
        .filter((notice) => !away.includes(notice))
        .map((notice) => (
          <Banner key={notice} tone="quiet" icon={Info} message={notice} onDismiss={() => putAway(notice)} />
        ))}
    </>
  );
}
