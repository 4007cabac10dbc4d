/** Goes back over the recorded timeline: the list ends where the scrubber stands, as it did at that moment. At the right end it is live. */
import type { CSSProperties, JSX } from 'react';
import type { AgentCall, AgentView } from '../../preload/agent-sessions.ts';
import { callLabel, clockTime } from './call-words.ts';
import { scrubPlace } from './timeline-rows.ts';
import styles from './timeline-view.module.css';

interface TimelineScrubberProps {
  agent: AgentView;
  calls: readonly AgentCall[];
  /** The id of the last call that is shown; null: live. */
  until: number | null;
  onUntil: (until: number | null) => void;
  /** The person takes hold of it: everything that was recorded is needed now. */
  onBegin: () => void;
}

export function TimelineScrubber({ agent, calls, until, onUntil, onBegin }: TimelineScrubberProps): JSX.Element {
  const place = scrubPlace(calls, until);
  const call = calls[place];
  const last = calls.length - 1;
  const move = (to: number) => onUntil(to >= last ? null : (calls[to]?.id ?? null));
  return (
    <div className={styles.scrubber}>
      <input
        type="range"
        className={styles.range}
        style={{ '--at': last > 0 ? `${(100 * place) / last}%` : '100%' } as CSSProperties}
        aria-label={`Timeline of ${agent.name}`}
        aria-valuetext={call ? `Call ${place + 1} of ${calls.length}, ${clockTime(call.startedAt)}, ${callLabel(call)}` : ''}
        min={0}
        max={last}
        value={place}
        onPointerDown={onBegin}
        onFocus={onBegin}
        onChange={(event) => move(Number(event.target.value))}
      />
      <span className={styles.when}>{call ? clockTime(call.startedAt) : ''}</span>
      {until !== null && (
        <button type="button" className={styles.now} onClick={() => onUntil(null)}>
          Now
        </button>
      )}
    </div>
  );
}
