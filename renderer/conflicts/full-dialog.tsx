/**
 * A dialog as large as the window allows, for work that needs room: a head that says what it is about, a body, and a foot with the way out.
 * Escape closes it and nothing is lost by that.
 */
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { JSX, ReactNode } from 'react';
import { useRef } from 'react';
import dialog from '../shell/dialog.module.css';
import parts from '../shell/dialog-parts.module.css';
import { IconButton } from '../shell/icon-button.tsx';
import styles from './full-dialog.module.css';

interface FullDialogProps {
  title: string;
  body: ReactNode;
  /** Left in the foot: what is left to do, read out when it changes. */
  status: string;
  actions: ReactNode;
  onClose: () => void;
  /** Where the keyboard goes afterwards. */
  onClosed?: () => void;
  children: ReactNode;
}

export function FullDialog({ title, body, status, actions, onClose, onClosed, children }: FullDialogProps): JSX.Element {
  const content = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog.scrim} />
        <Dialog.Content
          className={`${dialog.sheet} ${styles.dialog}`}
          ref={content}
          onOpenAutoFocus={(event) => {
            // The first button is the one that closes, whose tooltip would take the first Escape.
            event.preventDefault();
            content.current?.focus();
          }}
          onCloseAutoFocus={(event) => {
            if (!onClosed) return;
            event.preventDefault();
            onClosed();
          }}
        >
          <header className={parts.head}>
            <div className={parts.words}>
              <Dialog.Title className={parts.title}>{title}</Dialog.Title>
              <Dialog.Description className={styles.description}>{body}</Dialog.Description>
            </div>
            <IconButton icon={X} label="Close" onClick={onClose} />
          </header>
          <div className={styles.content}>{children}</div>
          <footer className={styles.foot}>
            <p className={styles.status} role="status">
              {status}
            </p>
            {actions}
          </footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
