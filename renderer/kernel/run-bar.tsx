/**
 * The slim bar at the top of the page while something runs: how far it has come, which cell, and a jump to it. It lies over the page, so
 * that its coming and going moves nothing.
 */
import { CornerDownRight, Square } from 'lucide-react';
import type { JSX } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useProgress } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { IconButton } from '../shell/icon-button.tsx';
import styles from './run-bar.module.css';
import { progressWords } from './run-progress.ts';

export function RunBar({ controller }: { controller: NotebookController }): JSX.Element | null {
  const { commands } = useApp();
  const progress = useProgress(controller.client);
  if (progress.total === 0) return null;
  return (
    <div className={styles.area}>
      <div
        className={styles.track}
        role="progressbar"
        aria-label="Cells run"
        aria-valuemin={0}
        aria-valuemax={progress.total}
        aria-valuenow={progress.ended}
      >
        {/* A single cell has no share to show: it fills the bar and breathes. */}
        <div
          className={styles.done}
          data-single={progress.total === 1}
          style={{ width: progress.total === 1 ? '100%' : `${(100 * (progress.ended + 0.5)) / progress.total}%` }}
        />
      </div>
      {progress.total > 1 && (
        <div className={styles.chip}>
          <span className={styles.words}>{progressWords(progress)}</span>
          <IconButton
            icon={CornerDownRight}
            size={14}
            label="Go to the running cell"
            disabled={progress.running === null}
            onClick={() => commands.run('view.running')}
          />
          <IconButton
            icon={Square}
            size={12}
            label="Interrupt"
            command="kernel.interrupt"
            onClick={() => commands.run('kernel.interrupt')}
          />
        </div>
      )}
    </div>
  );
}
