/** The panel of agent sessions at the right: one section per agent, of which one is open and has the room. */
import { ChevronRight, Plus, X } from 'lucide-react';
import type { JSX, ReactNode } from 'react';
import { useState } from 'react';
import type { AgentView } from '../../preload/agent-sessions.ts';
import { countWords } from '../outputs/amounts.ts';
import { useApp } from '../shell/app.ts';
import buttons from '../shell/button.module.css';
import { ErrorBoundary } from '../shell/error-boundary.tsx';
import { IconButton } from '../shell/icon-button.tsx';
import { AGENTS_WIDTH } from '../shell/layout.ts';
import { ResizeEdge } from '../shell/resize-edge.tsx';
import { useStore, useStorePart } from '../shell/store.ts';
import { useFrameWidths } from '../shell/use-frame-widths.ts';
import { AgentNews } from './agent-news.tsx';
import styles from './agent-panel.module.css';
import { AgentSection } from './agent-section.tsx';
import { useAgents } from './use-agents.ts';

export function AgentPanel(): JSX.Element {
  const app = useApp();
  const open = useStorePart(app.layout, (layout) => layout.agents);
  const { agents: width, agentsMost, over } = useFrameWidths();
  return (
    <>
      {open && (
        <aside className={styles.panel} style={{ width }} data-over={over || undefined} aria-label="Agents">
          <ResizeEdge
            label="Width of the panel of agents"
            side="left"
            width={width}
            {...AGENTS_WIDTH}
            most={agentsMost}
            onWidth={(agentsWidth) => app.layout.set((layout) => ({ ...layout, agentsWidth }))}
          />
          <header className={styles.head}>
            <h2 className={styles.title}>Agents</h2>
            <IconButton icon={Plus} size={14} label="Connect an agent" onClick={() => app.commands.run('agents.connect')} />
            <IconButton icon={X} size={14} label="Hide the agents" onClick={() => app.commands.run('view.agents')} />
          </header>
          <ErrorBoundary what="The panel of agents">
            <Sections />
          </ErrorBoundary>
        </aside>
      )}
      <AgentNews />
    </>
  );
}

function Sections(): JSX.Element {
  const { agents: parts, commands } = useApp();
  const agents = useAgents();
  const open = useStore(parts.open);
  if (agents.length === 0) {
    return (
      <div className={styles.empty}>
        <p>No agent is here.</p>
        <button type="button" className={buttons.button} onClick={() => commands.run('agents.connect')}>
          Connect an agent…
        </button>
      </div>
    );
  }
  const here = agents.filter(({ id }) => parts.client.met(id));
  const earlier = agents.filter(({ id }) => !parts.client.met(id));
  const section = (agent: AgentView) => (
    <AgentSection key={agent.id} agent={agent} open={agent.id === open} onToggle={() => parts.toggle(agent.id)} />
  );
  return (
    <div className={styles.sections}>
      {here.map(section)}
      {earlier.length > 0 && <Earlier count={earlier.length}>{earlier.reverse().map(section)}</Earlier>}
    </div>
  );
}

/** Sessions of earlier days: there to be read, out of the way of those that work now. */
function Earlier({ count, children }: { count: number; children: ReactNode }): JSX.Element {
  const [shown, setShown] = useState(false);
  return (
    <>
      <button type="button" className={styles.earlier} aria-expanded={shown} onClick={() => setShown(!shown)}>
        <ChevronRight size={14} className={styles.chevron} aria-hidden="true" />
        {countWords(count, 'earlier session')}
      </button>
      {shown && children}
    </>
  );
}
