/** What a person may do with an agent at any time: pause, take over, stop, follow; and in the menu what is needed more rarely. */
import type { LucideIcon } from 'lucide-react';
import { Download, Ellipsis, Eye, FileCode2, Hand, Pause, Play, Search, Shield, Square, Undo2 } from 'lucide-react';
import type { JSX } from 'react';
import { useRef, useState } from 'react';
import type { AgentView } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import { Hint, IconButton } from '../shell/icon-button.tsx';
import { Menu, MenuItem, MenuLine } from '../shell/menu.tsx';
import { useStorePart } from '../shell/store.ts';
import styles from './agent-controls.module.css';
import { PolicyDialog } from './policy-dialog.tsx';
import { lastChangedTurn } from './timeline-rows.ts';
import { useCalls, useLiveOf } from './use-agents.ts';

interface AgentControlsProps {
  agent: AgentView;
  /** The search of the timeline is open. */
  finding: boolean;
  onFind: () => void;
}

export function AgentControls({ agent, finding, onFind }: AgentControlsProps): JSX.Element {
  const { steering, follow } = useApp().agents;
  const followed = useStorePart(follow.agentId, (id) => id === agent.id);
  const goesOn = useLiveOf(agent.id).some(({ state }) => state === 'running' || state === 'waiting');
  const { id, paused, takenOver, connected } = agent;
  return (
    <div className={styles.bar} role="toolbar" aria-label={`Steer ${agent.name}`}>
      <WordButton
        icon={paused ? Play : Pause}
        label={paused ? 'Resume' : 'Pause'}
        hint={paused ? 'Let its calls go on' : 'Its next call waits until you resume'}
        disabled={!connected}
        onClick={() => void steering.act(paused ? 'agents.resume' : 'agents.pause', id)}
      />
      <WordButton
        icon={takenOver ? Play : Hand}
        label={takenOver ? 'Give back' : 'Take over'}
        hint={takenOver ? 'Let it edit and run again' : 'Stop what it runs and refuse all but reading'}
        disabled={!connected}
        onClick={() => void steering.act(takenOver ? 'agents.giveBack' : 'agents.takeOver', id)}
      />
      <span className={styles.space} />
      <IconButton
        icon={Square}
        size={14}
        label="Stop what it runs"
        disabled={!goesOn}
        onClick={() => void steering.act('agents.stop', id)}
      />
      <IconButton
        className={styles.toggle}
        icon={Eye}
        size={15}
        label={followed ? 'Stop following' : 'Follow it in the notebook'}
        pressed={followed}
        onClick={() => follow.toggle(id)}
      />
      <IconButton
        className={styles.toggle}
        icon={Search}
        size={14}
        label={finding ? 'Close the search' : 'Search the timeline'}
        pressed={finding}
        onClick={onFind}
      />
      <More agent={agent} />
    </div>
  );
}

interface WordButtonProps {
  icon: LucideIcon;
  label: string;
  hint: string;
  disabled: boolean;
  onClick: () => void;
}

function WordButton({ icon: Icon, label, hint, disabled, onClick }: WordButtonProps): JSX.Element {
  return (
    <Hint label={hint}>
      <button type="button" className={styles.word} disabled={disabled} onClick={onClick}>
        <Icon size={14} strokeWidth={1.75} aria-hidden="true" />
        {label}
      </button>
    </Hint>
  );
}

function More({ agent }: { agent: AgentView }): JSX.Element {
  const { steering } = useApp().agents;
  const [policy, setPolicy] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const last = lastChangedTurn(useCalls(agent.id));
  return (
    <>
      <Menu
        label={`More for ${agent.name}`}
        trigger={
          <button ref={trigger} type="button" className={styles.more} aria-label={`More for ${agent.name}`}>
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
          </button>
        }
      >
        <MenuItem icon={Shield} label="What it may do…" onSelect={() => setPolicy(true)} />
        <MenuItem
          icon={Undo2}
          label={last === null ? 'Undo its last turn' : `Undo turn ${last}`}
          disabled={last === null}
          onSelect={() => last !== null && void steering.undoTurn(agent.id, last, agent.name)}
        />
        <MenuLine />
        <MenuItem
          icon={Download}
          label="Save the timeline as a web page…"
          onSelect={() => void steering.saveAs('agents.exportTimeline', agent.id)}
        />
        <MenuItem
          icon={FileCode2}
          label="Save its Python cells as a notebook…"
          onSelect={() => void steering.saveAs('agents.exportNotebook', agent.id)}
        />
      </Menu>
      {policy && <PolicyDialog agent={agent} onClose={() => setPolicy(false)} onClosed={() => trigger.current?.focus()} />}
    </>
  );
}
