/** The side bar: files above, outline below, each with its own scroll; its right edge sets the width. */
import type { JSX, KeyboardEvent, PointerEvent } from 'react';
import { useApp } from './app.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { FilesPanel } from './files-panel.tsx';
import { clampWidth, SIDE_BAR_WIDTH, sideBarOpen } from './layout.ts';
import { OutlinePanel } from './outline-panel.tsx';
import styles from './side-bar.module.css';
import { useStore } from './store.ts';

/** One press of an arrow key on the edge, in pixels. */
const KEY_STEP = 16;

export function SideBar(): JSX.Element | null {
  const app = useApp();
  const layout = useStore(app.layout);
  if (!sideBarOpen(layout)) return null;
  return (
    <aside className={styles.bar} style={{ width: layout.width }} aria-label="Side bar">
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
      <Edge width={layout.width} onWidth={(width) => app.layout.set((state) => ({ ...state, width: clampWidth(width) }))} />
    </aside>
  );
}

function Edge({ width, onWidth }: { width: number; onWidth: (width: number) => void }): JSX.Element {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const handle = event.currentTarget;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => onWidth(width + move.clientX - from);
    handle.onlostpointercapture = () => {
      handle.onpointermove = null;
    };
  };
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -KEY_STEP : event.key === 'ArrowRight' ? KEY_STEP : 0;
    if (by !== 0) onWidth(width + by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is a control, and <hr> is not
    <div
      className={styles.edge}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the side bar"
      aria-valuemin={SIDE_BAR_WIDTH.least}
      aria-valuemax={SIDE_BAR_WIDTH.most}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={step}
      onDoubleClick={() => onWidth(SIDE_BAR_WIDTH.usual)}
    />
  );
}
