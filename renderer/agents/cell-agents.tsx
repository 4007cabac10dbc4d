/**
 * Agents on a cell of the notebook: a bar in the hue of each beside the gutter, and its name on a flag at the cell's upper edge, in the room
 * between two cells, where it covers no code. Most cells have none and draw nothing.
 */
import type { JSX } from 'react';
import type { CellRun } from '../../preload/contract.ts';
import { hueStyle } from './agent-mark.tsx';
import styles from './cell-agents.module.css';
import type { CellAgent } from './presence.ts';
import { useCellAgents } from './use-agents.ts';

interface CellAgentsProps {
  docId: string;
  cellKey: string;
  run: CellRun['state'];
}

export function CellAgents({ docId, cellKey, run }: CellAgentsProps): JSX.Element | null {
  const marks = useCellAgents(docId, cellKey).flatMap((agent) => {
    const words = flagWords(agent, run);
    return words === null ? [] : [{ agent, words }];
  });
  if (marks.length === 0) return null;
  return (
    <>
      <div className={styles.bars} aria-hidden="true">
        {marks.map(({ agent }) => (
          <span key={agent.agentId} className={styles.bar} style={hueStyle(agent.hue)} />
        ))}
      </div>
      <div className={styles.flags}>
        {marks.map(({ agent, words }) => (
          <span key={agent.agentId} className={styles.flag} style={hueStyle(agent.hue)}>
            {words}
          </span>
        ))}
      </div>
    </>
  );
}

/** What the flag says; null when the agent has nothing to do with the cell now. Pure. */
export function flagWords({ name, here, runs }: CellAgent, run: CellRun['state']): string | null {
  if (runs && run === 'running') return `run by ${name}`;
  if (runs && run === 'queued') return `queued by ${name}`;
  return here ? name : null;
}
