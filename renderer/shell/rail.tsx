/** The rail at the left edge: what the side bar shows, and the settings. */
import { Files, ListTree, PanelLeftClose, PanelLeftOpen, Settings } from 'lucide-react';
import type { JSX } from 'react';
import type { ThemeChoice } from '../../preload/contract.ts';
import { AgentsButton } from '../agents/agents-button.tsx';
import { useApp } from './app.ts';
import { IconButton } from './icon-button.tsx';
import { sideBarOpen } from './layout.ts';
import { CommandItem, Menu, MenuCheck, MenuChoice, MenuLine } from './menu.tsx';
import styles from './rail.module.css';
import { useStore } from './store.ts';

const THEMES: readonly { value: ThemeChoice; label: string }[] = [
  { value: 'system', label: 'Same as the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'high-contrast', label: 'High contrast' },
];

export function Rail(): JSX.Element {
  const app = useApp();
  const layout = useStore(app.layout);
  const { choice } = useStore(app.theme.state);
  const open = sideBarOpen(layout);
  return (
    <nav className={styles.rail} aria-label="Panels">
      <IconButton
        className={styles.button}
        icon={Files}
        size={18}
        label="Files"
        side="right"
        pressed={layout.files}
        onClick={() => app.commands.run('view.files')}
      />
      <IconButton
        className={styles.button}
        icon={ListTree}
        size={18}
        label="Outline"
        side="right"
        pressed={layout.outline}
        onClick={() => app.commands.run('view.outline')}
      />
      <AgentsButton className={styles.button} />
      <div className={styles.space} />
      <IconButton
        className={styles.button}
        icon={open ? PanelLeftClose : PanelLeftOpen}
        size={18}
        label={open ? 'Hide the side bar' : 'Show the side bar'}
        command="view.sideBar"
        side="right"
        onClick={() => app.commands.run('view.sideBar')}
      />
      <Menu
        label="Settings"
        side="right"
        align="end"
        trigger={
          <button type="button" className={styles.settings} aria-label="Settings">
            <Settings size={18} strokeWidth={1.75} aria-hidden="true" />
          </button>
        }
      >
        <MenuChoice label="Theme" value={choice} options={THEMES} onChange={(theme) => app.theme.choose(theme)} />
        <MenuLine />
        <MenuCheck
          label="Line numbers"
          checked={layout.lineNumbers}
          onChange={(lineNumbers) => app.layout.set((state) => ({ ...state, lineNumbers }))}
        />
        <MenuLine />
        <CommandItem id="agents.connect" />
        <MenuLine />
        <CommandItem id="view.palette" />
        <CommandItem id="view.start" />
      </Menu>
    </nav>
  );
}
