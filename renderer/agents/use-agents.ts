/** React's view of the agents: one hook per topic, each of which draws its component again only when that topic changes. */
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import type { AgentCall, AgentView } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import type { AgentsClient } from './agents-client.ts';
import type { CellAgent } from './presence.ts';

function useTopic<T>(client: AgentsClient, topic: string, read: () => T): T {
  const subscribe = useCallback((listener: () => void) => client.on(topic, listener), [client, topic]);
  return useSyncExternalStore(subscribe, read);
}

export function useAgents(): readonly AgentView[] {
  const { client } = useApp().agents;
  return useTopic(client, 'agents', () => client.agents);
}

/** Calls of all agents that are not over. */
export function useLive(): readonly AgentCall[] {
  const { client } = useApp().agents;
  return useTopic(client, 'live', () => client.live);
}

export function useLiveOf(agentId: string): readonly AgentCall[] {
  const live = useLive();
  return useMemo(() => live.filter((call) => call.agentId === agentId), [live, agentId]);
}

export function useCalls(agentId: string): readonly AgentCall[] {
  const { client } = useApp().agents;
  return useTopic(client, `calls:${agentId}`, () => client.calls(agentId));
}

/** The agents that are at a cell now. */
export function useCellAgents(docId: string, key: string): readonly CellAgent[] {
  const { presence } = useApp().agents;
  const subscribe = useCallback((listener: () => void) => presence.on(docId, key, listener), [presence, docId, key]);
  return useSyncExternalStore(subscribe, () => presence.at(docId, key));
}
