/** The state of a call or of one of its cells as one small mark. It stands beside words that say the same. */
import type { JSX } from 'react';
import type { AgentCallState, CardCell } from '../../preload/agent-sessions.ts';
import styles from './state-mark.module.css';

export function StateMark({ state }: { state: AgentCallState }): JSX.Element {
  return <span className={styles.mark} data-mark={state} aria-hidden="true" />;
}

const MARKS = { pending: 'pending', running: 'running', complete: 'done', error: 'failed' } as const;

export function CellMark({ status }: { status: CardCell['status'] }): JSX.Element {
  return <span className={styles.mark} data-mark={MARKS[status]} aria-hidden="true" />;
}
