/** One agent in the panel: its head with name and state in words, and when it is open what can be done with it and its timeline. */
import { ChevronRight } from 'lucide-react';
import type { JSX } from 'react';
import { useState } from 'react';
import type { AgentView } from '../../preload/agent-sessions.ts';
import { AgentControls } from './agent-controls.tsx';
import { AgentDot, hueStyle } from './agent-mark.tsx';
import styles from './agent-section.module.css';
import { agentWords, clockTime, holdOf } from './call-words.ts';
import { Elapsed } from './elapsed.tsx';
import { TimelineView } from './timeline-view.tsx';
import { useLiveOf } from './use-agents.ts';

interface AgentSectionProps {
  agent: AgentView;
  open: boolean;
  onToggle: () => void;
}

export function AgentSection({ agent, open, onToggle }: AgentSectionProps): JSX.Element {
  const live = useLiveOf(agent.id);
  const asks = live.some(({ state }) => state === 'approval');
  return (
    <section className={styles.section} data-open={open} style={hueStyle(agent.hue)} aria-label={`Agent ${agent.name}`}>
      <h3 className={styles.heading}>
        <button type="button" className={styles.toggle} aria-expanded={open} onClick={onToggle}>
          <ChevronRight size={14} className={styles.chevron} aria-hidden="true" />
          <AgentDot hue={agent.hue} away={!agent.connected} />
          <span className={styles.name} title={agent.name}>
            {agent.name}
          </span>
          <span className={styles.state} data-asks={asks || undefined} title={holdOf(agent, live)?.words}>
            {agentWords(agent, live)}
          </span>
        </button>
      </h3>
      {open && <AgentBody agent={agent} />}
    </section>
  );
}

function AgentBody({ agent }: { agent: AgentView }): JSX.Element {
  const live = useLiveOf(agent.id);
  const [finding, setFinding] = useState(false);
  const hold = holdOf(agent, live);
  return (
    <div className={styles.body}>
      <p className={styles.facts}>
        {agent.client} · since <span className={styles.number}>{clockTime(agent.startedAt)}</span> · turn{' '}
        <span className={styles.number}>{agent.turn}</span>
      </p>
      <AgentControls agent={agent} finding={finding} onFind={() => setFinding(!finding)} />
      {hold !== null && (
        <p className={styles.hold} data-yours={hold.yours || undefined}>
          {hold.words}
          {hold.since !== null && (
            <span className={styles.since} title={`Since ${clockTime(hold.since)}`}>
              <Elapsed since={hold.since} />
            </span>
          )}
        </p>
      )}
      <TimelineView agent={agent} finding={finding} />
    </div>
  );
}
