/**
 * The window's frame: rail, side bar, tabs, and the notebook in front or the start view; above them what floats.
 */
import { Tooltip } from 'radix-ui';
import type { JSX } from 'react';
import { useEffect } from 'react';
import { NotebookView } from '../notebook/notebook-view.tsx';
import { useApp } from './app.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import styles from './frame.module.css';
import { useKeys } from './key-handler.ts';
import { Palette } from './palette.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { Rail } from './rail.tsx';
import { SideBar } from './side-bar.tsx';
import { StartView } from './start-view.tsx';
import { useStore } from './store.ts';
import { TabBar } from './tab-bar.tsx';
import { ToastArea } from './toast-area.tsx';

/** Milliseconds before a tooltip comes: sooner and they flicker under a passing pointer. */
const TOOLTIP_DELAY = 500;

export function Frame(): JSX.Element {
  const app = useApp();
  const { active } = useStore(app.workspace.state);
  useKeys(app);
  useEffect(() => {
    document.title = active ? `${active.client.document.title} – Cellwright` : 'Cellwright';
  }, [active]);
  return (
    <Tooltip.Provider delayDuration={TOOLTIP_DELAY} skipDelayDuration={200} disableHoverableContent>
      <div className={styles.frame}>
        <Rail />
        <SideBar />
        <div className={styles.main}>
          <TabBar />
          <main className={styles.page} id="page" role="tabpanel" aria-label={active ? active.client.document.title : 'Start'}>
            <ErrorBoundary what="The notebook" key={active?.client.docId ?? 'start'}>
              {active ? <NotebookView controller={active} /> : <StartView />}
            </ErrorBoundary>
          </main>
        </div>
      </div>
      <Palette />
      <QuestionDialog />
      <ToastArea />
    </Tooltip.Provider>
  );
}
