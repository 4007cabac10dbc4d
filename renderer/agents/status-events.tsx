/** What the helpers of a session reported: read, searched, ran. Folded, because most of the time the text says enough. */
import { ChevronRight } from 'lucide-react';
import type { JSX } from 'react';
import type { CardStatus } from '../../preload/agent-sessions.ts';
import { countWords } from '../outputs/amounts.ts';
import { useViewState } from '../outputs/view-state.ts';
import styles from './card-cell.module.css';

/** Events listed; a loop over files makes thousands. */
const MOST = 100;
/** UTF-16 units of one field's value. */
const LONGEST = 160;

export function StatusEvents({ events, stateKey }: { events: readonly CardStatus[]; stateKey: string }): JSX.Element {
  const [open, setOpen] = useViewState<boolean>(stateKey, false);
  return (
    <div className={styles.events}>
      <button type="button" className={styles.eventsToggle} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight size={12} className={styles.chevron} aria-hidden="true" />
        {countWords(events.length, 'event')}: {opsInWords(events)}
      </button>
      {open && (
        <ul className={styles.eventList}>
          {events.slice(0, MOST).map((event, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no identity but their place
            <li key={index} className={styles.event}>
              <span className={styles.op}>{event.op}</span>
              {fieldsOf(event).map(([name, value]) => (
                <span key={name} className={styles.field}>
                  {name} {value}
                </span>
              ))}
            </li>
          ))}
          {events.length > MOST && <li className={styles.field}>{countWords(events.length - MOST, 'more event')}</li>}
        </ul>
      )}
    </div>
  );
}

/** `read, find` */
function opsInWords(events: readonly CardStatus[]): string {
  const ops = [...new Set(events.map(({ op }) => op))];
  return ops.length > 4 ? `${ops.slice(0, 4).join(', ')}…` : ops.join(', ');
}

function fieldsOf({ op: _op, ...fields }: CardStatus): [string, string][] {
  return Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return [name, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text];
  });
}
