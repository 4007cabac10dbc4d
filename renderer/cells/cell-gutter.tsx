/**
 * The gutter of a cell: execution count, state and time taken, and the handle by which the cell is moved. The time of a running cell
 * counts here alone, so that a second passing draws one number.
 */
import { Check, CircleSlash, X } from 'lucide-react';
import type { JSX, PointerEvent } from 'react';
import { useEffect, useState } from 'react';
import type { CellRun } from '../../preload/contract.ts';
import type { CellType } from '../../preload/notebook-model.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import styles from './cell-gutter.module.css';
import { countMark } from './cell-words.ts';
import { runningTime, takenTime } from './time.ts';

interface CellGutterProps {
  controller: NotebookController;
  cellKey: string;
  type: CellType;
  run: CellRun;
}

export function CellGutter({ controller, cellKey, type, run }: CellGutterProps): JSX.Element {
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    if (event.button === 0) controller.page.list?.startDrag(cellKey, event.nativeEvent);
  };
  return (
    <div className={styles.gutter} data-run={run.state}>
      <span className={styles.handle} onPointerDown={startDrag} title="Drag to move" aria-hidden="true" />
      {type === 'code' && (
        <div className={styles.facts}>
          <span className={styles.count}>{countMark(run)}</span>
          <State run={run} />
        </div>
      )}
    </div>
  );
}

function State({ run }: { run: CellRun }): JSX.Element | null {
  switch (run.state) {
    case 'queued':
      return <span className={styles.time}>queued</span>;
    case 'running':
      return run.input ? <span className={styles.running}>input</span> : <RunningTime since={run.startedAt} />;
    case 'done':
      return (
        <span className={styles.time} key={`${run.executionCount} ${run.startedAt}`}>
          <Check size={12} strokeWidth={2.5} className={styles.tick} aria-hidden="true" />
          {run.durationMs !== null && takenTime(run.durationMs)}
        </span>
      );
    case 'failed':
      return (
        <span className={styles.failed}>
          <X size={12} strokeWidth={2.5} aria-hidden="true" />
          {run.durationMs !== null && takenTime(run.durationMs)}
        </span>
      );
    case 'cancelled':
      return (
        <span className={styles.time} title="An earlier cell failed or was interrupted">
          <CircleSlash size={12} strokeWidth={2} aria-hidden="true" />
          not run
        </span>
      );
    case 'idle':
      return null;
  }
}

function RunningTime({ since }: { since: number | null }): JSX.Element {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span className={styles.running}>{since === null ? '' : runningTime(now - since)}</span>;
}
