/** The panel's place in the rail. Questions of agents are counted on it, so that none is missed while the panel is hidden. */
import { Bot } from 'lucide-react';
import type { JSX } from 'react';
import { useApp } from '../shell/app.ts';
import { IconButton } from '../shell/icon-button.tsx';
import { useStorePart } from '../shell/store.ts';
import styles from './agents-button.module.css';
import { useAgents, useLive } from './use-agents.ts';

export function AgentsButton({ className }: { className: string | undefined }): JSX.Element {
  const app = useApp();
  const open = useStorePart(app.layout, (layout) => layout.agents);
  const here = useAgents().filter(({ connected }) => connected).length;
  const asks = useLive().filter(({ state }) => state === 'approval').length;
  const label = asks > 0 ? `Agents: ${asks === 1 ? 'one asks you' : `${asks} questions for you`}` : 'Agents';
  return (
    <span className={styles.place}>
      <IconButton
        className={className}
        icon={Bot}
        size={18}
        label={label}
        side="right"
        pressed={open}
        onClick={() => app.commands.run('view.agents')}
      />
      {asks > 0 ? (
        <span className={styles.count} aria-hidden="true">
          {asks}
        </span>
      ) : (
        here > 0 && <span className={styles.here} aria-hidden="true" />
      )}
    </span>
  );
}
