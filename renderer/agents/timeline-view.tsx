/** The timeline of the open agent: search, what waits for an answer, the cards, and the scrubber under them. */
import type { JSX } from 'react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { AgentView } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import { TimelineFilterBar } from './timeline-filter.tsx';
import { TimelineList } from './timeline-list.tsx';
import { isFiltered, NO_FILTER, timelineRows } from './timeline-rows.ts';
import { TimelineScrubber } from './timeline-scrubber.tsx';
import styles from './timeline-view.module.css';
import { useCalls } from './use-agents.ts';

export function TimelineView({ agent, finding }: { agent: AgentView; finding: boolean }): JSX.Element {
  const { client } = useApp().agents;
  const calls = useCalls(agent.id);
  const [wanted, setWanted] = useState(NO_FILTER);
  // Typing into the search stays quick while a thousand calls are looked through.
  const filter = useDeferredValue(finding ? wanted : NO_FILTER);
  const [until, setUntil] = useState<number | null>(null);
  const rows = useMemo(() => timelineRows(calls, filter, until), [calls, filter, until]);
  useEffect(() => void client.loadOlder(agent.id), [client, agent.id]);
  const loadAll = () => void client.loadAll(agent.id);
  return (
    <>
      {finding && <TimelineFilterBar calls={calls} filter={wanted} onFilter={setWanted} onOpen={loadAll} />}
      {rows.length === 0 ? (
        <p className={styles.empty}>{emptyWords(calls.length, isFiltered(filter), agent.name)}</p>
      ) : (
        <TimelineList agent={agent} rows={rows} until={until} onNearStart={() => void client.loadOlder(agent.id)} />
      )}
      {calls.length > 1 && <TimelineScrubber agent={agent} calls={calls} until={until} onUntil={setUntil} onBegin={loadAll} />}
    </>
  );
}

function emptyWords(calls: number, filtered: boolean, name: string): string {
  if (calls === 0) return `${name} has called nothing yet.`;
  return filtered ? 'No call matches.' : 'Nothing had happened by then.';
}
