/**
 * The window's frame: rail, side bar, tabs, and the notebook in front or the start view; above them what floats.
 */
import { Tooltip } from 'radix-ui';
import type { JSX } from 'react';
import { useEffect } from 'react';
import { AgentPanel } from '../agents/agent-panel.tsx';
import { ConnectDialog } from '../agents/connect-dialog.tsx';
import { useOutsideNotices } from '../conflicts/outside-notices.ts';
import type { NotebookClient } from '../notebook/notebook-client.ts';
import { NotebookView } from '../notebook/notebook-view.tsx';
import { useDocument } from '../notebook/use-notebook.ts';
import { ImageViewer } from '../outputs/image-viewer.tsx';
import { ViewedLog } from '../outputs/viewed-log.tsx';
import { KeptDialog } from '../recovery/kept-dialog.tsx';
import { RecoveryDialog } from '../recovery/recovery-dialog.tsx';
import { RepairView } from '../repair/repair-view.tsx';
import { useApp } from './app.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { useFileDrop } from './file-drop.ts';
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
  const refocus = () => app.workspace.active?.refocus();
  useKeys(app);
  useFileDrop(app);
  useOutsideNotices(app);
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
        <AgentPanel />
      </div>
      {active && <WindowTitle client={active.client} />}
      <Palette />
      <RepairView />
      <RecoveryDialog />
      <KeptDialog />
      <ConnectDialog />
      <ImageViewer onLost={refocus} />
      <ViewedLog onLost={refocus} />
      <QuestionDialog />
      <ToastArea />
    </Tooltip.Provider>
  );
}

/** The notebook in front names the window, also after it was saved under another name. */
function WindowTitle({ client }: { client: NotebookClient }): null {
  const { title } = useDocument(client);
  useEffect(() => {
    document.title = `${title} – Cellwright`;
    return () => {
      document.title = 'Cellwright';
    };
  }, [title]);
  return null;
}
