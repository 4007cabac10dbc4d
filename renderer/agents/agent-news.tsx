/**
 * What a screen reader is told of agents while the person works elsewhere: who came, who left, and what waits for an answer. Not each call:
 * an agent makes a hundred in a minute, and nobody could hear anything else.
 */
import type { JSX } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { AgentCall, AgentView } from '../../preload/agent-sessions.ts';
import styles from './agent-news.module.css';
import { approvalQuestion } from './call-words.ts';
import { useAgents, useLive } from './use-agents.ts';

/** News within this time, in milliseconds, are one sentence after the other in one message. */
const GATHER_MS = 600;

export function AgentNews(): JSX.Element {
  const agents = useAgents();
  const live = useLive();
  const [words, setWords] = useState('');
  const told = useRef<{ agents: readonly AgentView[]; live: readonly AgentCall[] }>({ agents, live });
  const gathered = useRef<string[]>([]);
  useEffect(() => {
    gathered.current.push(...agentNews(told.current, { agents, live }));
    told.current = { agents, live };
    if (gathered.current.length === 0) return;
    const timer = setTimeout(() => setWords(gathered.current.splice(0).join(' ')), GATHER_MS);
    return () => clearTimeout(timer);
  }, [agents, live]);
  return (
    <span className={styles.live} role="status" aria-live="polite">
      {words}
    </span>
  );
}

interface Known {
  agents: readonly AgentView[];
  live: readonly AgentCall[];
}

/** Sentences on what is new. Pure. */
export function agentNews(before: Known, now: Known): string[] {
  const was = new Map(before.agents.map((agent) => [agent.id, agent]));
  const here = new Map(now.agents.map((agent) => [agent.id, agent]));
  const asked = new Set(before.live.filter(({ state }) => state === 'approval').map(({ id }) => id));
  const comings = now.agents.flatMap(({ id, name, connected }) => {
    const known = was.get(id);
    if (connected === (known?.connected ?? false)) return [];
    return [connected ? `Agent ${name} came.` : `Agent ${name} left.`];
  });
  const questions = now.live
    .filter((call) => call.state === 'approval' && !asked.has(call.id))
    .map((call) => {
      const name = here.get(call.agentId)?.name ?? 'An agent';
      return `${name} asks you: ${approvalQuestion(call, name)}`;
    });
  return [...comings, ...questions];
}
