/**
 * How far a run has come: a slim bar at the top of the page, and beside the kernel which cell of how many, with a jump to it. The bar lies
 * over the page and the words stand left of buttons that keep their place, so that their coming and going moves nothing.
 */
import { CornerDownRight } from 'lucide-react';
import type { JSX } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useProgress } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { Hint } from '../shell/icon-button.tsx';
import styles from './run-bar.module.css';
import { progressWords } from './run-progress.ts';

export function RunBar({ controller }: { controller: NotebookController }): JSX.Element | null {
  const { ended, total } = useProgress(controller.client);
  if (total === 0) return null;
  return (
    <div className={styles.track} role="progressbar" aria-label="Cells run" aria-valuemin={0} aria-valuemax={total} aria-valuenow={ended}>
      {/* A single cell has no share to show: it fills the bar and breathes. */}
      <div
        className={styles.done}
        data-single={total === 1}
        style={{ width: total === 1 ? '100%' : `${(100 * (ended + 0.5)) / total}%` }}
      />
    </div>
  );
}

export function RunPlace({ controller }: { controller: NotebookController }): JSX.Element | null {
  const { commands } = useApp();
  const progress = useProgress(controller.client);
  if (progress.total < 2) return null;
  return (
    <Hint label="Go to the running cell">
      <button type="button" className={styles.place} disabled={progress.running === null} onClick={() => commands.run('view.running')}>
        {progressWords(progress)}
        <CornerDownRight size={14} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </Hint>
  );
}
