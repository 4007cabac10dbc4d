/**
 * The palette over the window: every command that makes sense now, with its keys; or the kernels the notebook can have.
 * A chosen command runs after the palette is gone, so that the focus is where the command expects it.
 */
import { Command as Cmdk } from 'cmdk';
import { Dialog } from 'radix-ui';
import type { JSX } from 'react';
import { useEffect, useRef } from 'react';
import { KernelList } from '../kernel/kernel-list.tsx';
import { bindingOf } from '../notebook/keymap.ts';
import { useApp } from './app.ts';
import type { Command } from './commands.ts';
import dialog from './dialog.module.css';
import { Keys } from './keys.tsx';
import styles from './palette.module.css';
import { useStore } from './store.ts';

export function Palette(): JSX.Element {
  const app = useApp();
  const overlay = useStore(app.overlay);
  const chosen = useRef<(() => void) | null>(null);
  const choose = (run: () => void) => {
    chosen.current = run;
    app.overlay.set('none');
  };
  useEffect(() => {
    if (overlay !== 'none') chosen.current = null;
  }, [overlay]);
  return (
    <Dialog.Root open={overlay !== 'none'} onOpenChange={(open) => !open && app.overlay.set('none')}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog.scrim} />
        <Dialog.Content
          className={`${dialog.sheet} ${dialog.centred} ${styles.palette}`}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            app.workspace.active?.refocus();
            chosen.current?.();
          }}
        >
          <Dialog.Title className={styles.hidden}>{overlay === 'kernels' ? 'Choose a kernel' : 'All commands'}</Dialog.Title>
          {overlay === 'commands' && <CommandList choose={choose} />}
          {overlay === 'kernels' && app.workspace.active && <KernelList controller={app.workspace.active} choose={choose} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CommandList({ choose }: { choose: (run: () => void) => void }): JSX.Element {
  const app = useApp();
  const listed = app.commands.all.filter(({ id, listed }) => listed !== false && app.commands.enabled(id));
  const groups = [...new Set(listed.map(({ group }) => group))];
  return (
    <Cmdk label="Commands" loop>
      <Cmdk.Input className={styles.input} placeholder="Search commands" />
      <Cmdk.List className={styles.list}>
        <Cmdk.Empty className={styles.empty}>No command of that name</Cmdk.Empty>
        {groups.map((group) => (
          <Cmdk.Group key={group} heading={group} className={styles.group}>
            {listed
              .filter((command) => command.group === group)
              .map((command) => (
                <Item key={command.id} command={command} choose={choose} />
              ))}
          </Cmdk.Group>
        ))}
      </Cmdk.List>
    </Cmdk>
  );
}

function Item({ command, choose }: { command: Command; choose: (run: () => void) => void }): JSX.Element {
  const { mac } = useApp();
  const binding = bindingOf(command.id);
  return (
    <Cmdk.Item className={styles.item} value={`${command.title} ${command.group}`} onSelect={() => choose(command.run)}>
      <span className={styles.label}>{command.title}</span>
      {binding && <Keys keys={binding.keys} mac={mac} />}
    </Cmdk.Item>
  );
}
