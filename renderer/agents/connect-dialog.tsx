/** Connecting an agent: the usual clients at the left, and what goes into which file of the chosen one, to be copied. */
import { Copy, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { JSX } from 'react';
import { useRef } from 'react';
import type { ClientConfiguration } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import buttons from '../shell/button.module.css';
import dialog from '../shell/dialog.module.css';
import parts from '../shell/dialog-parts.module.css';
import entries from '../shell/entry-list.module.css';
import { IconButton } from '../shell/icon-button.tsx';
import { useReturnFocus } from '../shell/return-focus.ts';
import { useStore } from '../shell/store.ts';
import styles from './connect-dialog.module.css';
import type { ConnectingState } from './connecting.ts';

export function ConnectDialog(): JSX.Element | null {
  const state = useStore(useApp().agents.connecting.state);
  return state && <OpenDialog state={state} />;
}

function OpenDialog({ state }: { state: ConnectingState }): JSX.Element {
  const { agents, workspace } = useApp();
  const { connecting } = agents;
  const current = useRef<HTMLButtonElement>(null);
  const returnFocus = useReturnFocus(() => workspace.active?.refocus());
  const shown = state.clients.find(({ client }) => client === state.shown);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && connecting.close()}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog.scrim} />
        <Dialog.Content
          className={`${dialog.sheet} ${dialog.centred} ${styles.dialog}`}
          onOpenAutoFocus={(event) => {
            // The first button is the one that closes, whose tooltip would take the first Escape.
            event.preventDefault();
            current.current?.focus();
          }}
          onCloseAutoFocus={returnFocus}
        >
          <header className={parts.head}>
            <div className={parts.words}>
              <Dialog.Title className={parts.title}>Connect an agent</Dialog.Title>
              <Dialog.Description className={styles.note}>
                Any MCP client can work here. It joins this window while it is open, and works without a window otherwise.
              </Dialog.Description>
            </div>
            <IconButton icon={X} label="Close" onClick={() => connecting.close()} />
          </header>
          <div className={styles.body}>
            <nav className={`${entries.list} ${styles.list}`} aria-label="Clients">
              {state.clients.map(({ client }) => (
                <button
                  type="button"
                  key={client}
                  ref={client === state.shown ? current : undefined}
                  className={entries.entry}
                  aria-current={client === state.shown}
                  onClick={() => connecting.look(client)}
                >
                  {client}
                </button>
              ))}
            </nav>
            {shown && <Configuration key={shown.client} configuration={shown} />}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Configuration({ configuration: { client, place, text, secret } }: { configuration: ClientConfiguration }): JSX.Element {
  const { connecting } = useApp().agents;
  return (
    <section className={styles.configuration} aria-label={client}>
      <p className={styles.place}>{place === 'terminal' ? 'Run this in a terminal:' : `Put this into ${place}:`}</p>
      <pre className={styles.text}>{text}</pre>
      <div className={styles.foot}>
        <p className={styles.note}>
          {secret
            ? 'The token is left out here and is in what you copy. It gives access to this Cellwright: keep it to yourself.'
            : 'The agent reaches the folder after --folder and what is below it. Name it again for more folders.'}
        </p>
        <button type="button" className={`${buttons.button} ${buttons.main}`} onClick={() => void connecting.copy(client)}>
          <Copy size={14} strokeWidth={1.75} aria-hidden="true" />
          Copy
        </button>
      </div>
    </section>
  );
}
