/** The side bar: files above, outline below, each with its own scroll; its right edge sets the width. */
import type { JSX } from 'react';
import { useApp } from './app.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { FilesPanel } from './files-panel.tsx';
import { SIDE_BAR_WIDTH, sideBarOpen } from './layout.ts';
import { OutlinePanel } from './outline-panel.tsx';
import { ResizeEdge } from './resize-edge.tsx';
import styles from './side-bar.module.css';
import { useStore } from './store.ts';
import { useFrameWidths } from './use-frame-widths.ts';

export function SideBar(): JSX.Element | null {
  const app = useApp();
  const layout = useStore(app.layout);
  const { sideBar } = useFrameWidths();
  if (!sideBarOpen(layout)) return null;
  return (
    <aside className={styles.bar} style={{ width: sideBar }} aria-label="Side bar">
      {layout.files && (
        <ErrorBoundary what="The file list">
          <FilesPanel />
        </ErrorBoundary>
      )}
      {layout.outline && (
        <ErrorBoundary what="The outline">
          <OutlinePanel />
        </ErrorBoundary>
      )}
      <ResizeEdge
        label="Width of the side bar"
        side="right"
        width={sideBar}
        {...SIDE_BAR_WIDTH}
        onWidth={(width) => app.layout.set((state) => ({ ...state, width }))}
      />
    </aside>
  );
}
