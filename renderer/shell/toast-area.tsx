/** Where toasts are drawn: at the lower right, read out politely, without taking the focus. */
import { CircleAlert, X } from 'lucide-react';
import type { JSX } from 'react';
import { useApp } from './app.ts';
import buttons from './button.module.css';
import { IconButton } from './icon-button.tsx';
import { useStore } from './store.ts';
import styles from './toast-area.module.css';
import type { Toast } from './toasts.ts';

export function ToastArea(): JSX.Element {
  const { toasts } = useApp();
  const list = useStore(toasts.list);
  return (
    <div className={styles.area} role="status" aria-live="polite">
      {list.map((toast) => (
        <ToastCard key={toast.id} toast={toast} dismiss={() => toasts.dismiss(toast.id)} />
      ))}
    </div>
  );
}

function ToastCard({ toast, dismiss }: { toast: Toast; dismiss: () => void }): JSX.Element {
  const { action } = toast;
  return (
    <div className={styles.toast} data-tone={toast.tone}>
      {toast.tone === 'failed' && <CircleAlert size={16} strokeWidth={1.75} className={styles.icon} aria-hidden="true" />}
      <div className={styles.words}>
        <p className={styles.message}>{toast.message}</p>
        {toast.hint && <p className={styles.hint}>{toast.hint}</p>}
        {toast.detail && (
          <details className={styles.detail}>
            <summary>Details</summary>
            <pre>{toast.detail}</pre>
          </details>
        )}
        {action && (
          <button
            type="button"
            className={`${buttons.button} ${styles.action}`}
            onClick={() => {
              dismiss();
              action.run();
            }}
          >
            {action.label}
          </button>
        )}
      </div>
      <IconButton icon={X} size={14} label="Put away" onClick={dismiss} />
    </div>
  );
}
