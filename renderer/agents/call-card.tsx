/** One card: a call with its state, what it is about, and its body by kind. Drawn again only when the call itself changed. */
import type { JSX } from 'react';
import { memo } from 'react';
import type { AgentCall } from '../../preload/agent-sessions.ts';
import { takenTime } from '../cells/time.ts';
import { ErrorBoundary } from '../shell/error-boundary.tsx';
import { ApprovalForm } from './approval-form.tsx';
import styles from './call-card.module.css';
import { callLabel, callSubject, clockTime, STATE_WORDS } from './call-words.ts';
import { CellsCard } from './cells-card.tsx';
import { Elapsed } from './elapsed.tsx';
import { NotebookCard } from './notebook-card.tsx';
import { PlainCard } from './plain-card.tsx';
import { StateMark } from './state-mark.tsx';

interface CallCardProps {
  call: AgentCall;
  agentName: string;
  /** Among the rows of the list, from 1. */
  place: number;
  count: number;
}

export const CallCard = memo(function CallCard({ call, agentName, place, count }: CallCardProps): JSX.Element {
  const { card, state } = call;
  return (
    <article
      className={styles.card}
      data-call={call.id}
      data-state={state}
      data-kind={card.kind}
      tabIndex={-1}
      aria-label={callLabel(call)}
      aria-posinset={place}
      aria-setsize={count}
    >
      <header className={styles.head}>
        <StateMark state={state} />
        <span className={styles.tool}>{call.tool}</span>
        <span className={styles.subject}>{callSubject(call)}</span>
        <span
          className={styles.time}
          title={call.waitingSince === null ? clockTime(call.startedAt) : `Since ${clockTime(call.waitingSince)}`}
        >
          <CallTime call={call} />
        </span>
      </header>
      {call.waitingFor !== null && state === 'waiting' && <p className={styles.waits}>{call.waitingFor}</p>}
      <ErrorBoundary what="This card">
        {card.kind === 'notebook' && <NotebookCard call={call} card={card} />}
        {card.kind === 'cells' && <CellsCard call={call} card={card} />}
        {card.kind === 'plain' && <PlainCard call={call} card={card} />}
      </ErrorBoundary>
      {state === 'approval' && <ApprovalForm call={call} agentName={agentName} />}
    </article>
  );
});

function CallTime({ call }: { call: AgentCall }): JSX.Element | null {
  const { card, state, startedAt, endedAt, waitingSince } = call;
  if (state === 'running') {
    const isMany = card.kind === 'cells' && card.cells.length > 1;
    return (
      <>
        {isMany && <Progress done={card.cells.filter(({ status }) => status === 'complete').length} of={card.cells.length} />}
        <Elapsed since={startedAt} />
      </>
    );
  }
  if (state === 'done' && endedAt !== null) return <>{takenTime(endedAt - startedAt)}</>;
  return (
    <>
      <span className={styles.word}>{STATE_WORDS[state]}</span>
      {waitingSince !== null && <Elapsed since={waitingSince} />}
    </>
  );
}

/** How many of the cells are done; the number is in words beside the tool's name. */
function Progress({ done, of }: { done: number; of: number }): JSX.Element {
  return (
    <span className={styles.progress} aria-hidden="true">
      <span className={styles.done} style={{ width: `${(100 * done) / of}%` }} />
    </span>
  );
}
