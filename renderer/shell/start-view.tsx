/** What the window shows without a notebook: begin, go on, try an example, connect an agent. */

import type { LucideIcon } from 'lucide-react';
import { Copy, FilePlus2, FolderOpen, NotebookText, Sparkles } from 'lucide-react';
import type { JSX } from 'react';
import { useEffect } from 'react';
import type { StartInfo } from '../../preload/contract.ts';
import { sinceTime } from '../cells/time.ts';
import { bindingOf } from '../notebook/keymap.ts';
import { useApp } from './app.ts';
import type { CommandId } from './command-ids.ts';
import { parentFolder, shortPath } from './files.ts';
import { IconButton } from './icon-button.tsx';
import { Keys } from './keys.tsx';
import styles from './start-view.module.css';
import { useStore } from './store.ts';

/** Recent notebooks shown; more would push the rest out of sight. */
const MOST_RECENT = 6;

export function StartView(): JSX.Element | null {
  const app = useApp();
  const start = useStore(app.start);
  const begun = start !== null;
  useEffect(() => {
    if (begun) void app.refreshStart();
  }, [app, begun]);
  if (!start) return null;
  return (
    <div className={styles.view}>
      <div className={styles.column}>
        <header className={styles.head}>
          <h1 className={styles.title}>Cellwright</h1>
          <p className={styles.subtitle}>Notebooks for people and agents</p>
        </header>
        <div className={styles.actions}>
          <Action command="file.new" icon={FilePlus2} label="New notebook" />
          <Action command="file.open" icon={FolderOpen} label="Open a notebook" />
        </div>
        <div className={styles.grid}>
          <Recent start={start} />
          <Examples start={start} />
        </div>
        <Connect command={start.agentCommand} />
      </div>
    </div>
  );
}

function Action({ command, icon: Icon, label }: { command: CommandId; icon: LucideIcon; label: string }): JSX.Element {
  const { commands, mac } = useApp();
  const binding = bindingOf(command);
  return (
    <button type="button" className={styles.action} onClick={() => commands.run(command)}>
      <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
      <span className={styles.grow}>{label}</span>
      {binding && <Keys keys={binding.keys} mac={mac} />}
    </button>
  );
}

function Recent({ start }: { start: StartInfo }): JSX.Element {
  const { workspace } = useApp();
  const recent = start.recent.slice(0, MOST_RECENT);
  return (
    <section aria-labelledby="start-recent">
      <h2 className={styles.heading} id="start-recent">
        Recent
      </h2>
      {recent.length === 0 && <p className={styles.empty}>Notebooks you open appear here.</p>}
      {recent.map(({ path, title, openedAt }) => (
        <button type="button" key={path} className={styles.entry} title={path} onClick={() => void workspace.open(path)}>
          <NotebookText size={16} strokeWidth={1.75} className={styles.icon} aria-hidden="true" />
          <span className={styles.grow}>
            <span className={styles.name}>{title}</span>
            <span className={styles.note}>{shortPath(parentFolder(path) ?? '', start.home)}</span>
          </span>
          <span className={styles.when}>{sinceTime(openedAt, Date.now())}</span>
        </button>
      ))}
    </section>
  );
}

function Examples({ start }: { start: StartInfo }): JSX.Element {
  const { workspace } = useApp();
  return (
    <section aria-labelledby="start-examples">
      <h2 className={styles.heading} id="start-examples">
        Examples
      </h2>
      {start.examples.map(({ name, title, description }) => (
        <button type="button" key={name} className={styles.entry} onClick={() => void workspace.openExample(name)}>
          <Sparkles size={16} strokeWidth={1.75} className={styles.icon} aria-hidden="true" />
          <span className={styles.grow}>
            <span className={styles.name}>{title}</span>
            <span className={styles.note}>{description}</span>
          </span>
        </button>
      ))}
    </section>
  );
}

function Connect({ command }: { command: string }): JSX.Element {
  const app = useApp();
  return (
    <section className={styles.connect} aria-labelledby="start-agent">
      <h2 className={styles.heading} id="start-agent">
        Connect an agent
      </h2>
      <p className={styles.note}>Give your agent this command as an MCP server. It then works in the notebooks that are open here.</p>
      <div className={styles.command}>
        <code className={styles.code}>{command}</code>
        <IconButton icon={Copy} label="Copy" onClick={() => void app.copyText(command)} />
      </div>
      <button type="button" className={styles.more} onClick={() => app.commands.run('agents.connect')}>
        What goes into which client’s settings…
      </button>
    </section>
  );
}
