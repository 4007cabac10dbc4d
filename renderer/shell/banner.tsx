/** A message over the page that stays until its reason is gone or the person puts it away. */
import type { LucideIcon } from 'lucide-react';
import { X } from 'lucide-react';
import type { JSX } from 'react';
import styles from './banner.module.css';
import buttons from './button.module.css';
import { IconButton } from './icon-button.tsx';

interface BannerProps {
  tone: 'failed' | 'running' | 'quiet';
  icon: LucideIcon;
  message: string;
  detail?: string | null;
  actions?: readonly { label: string; main?: boolean; run: () => void }[];
  onDismiss?: () => void;
}

export function Banner({ tone, icon: Icon, message, detail, actions = [], onDismiss }: BannerProps): JSX.Element {
  return (
    <section className={styles.banner} data-tone={tone} role={tone === 'failed' ? 'alert' : 'status'}>
      <Icon size={16} strokeWidth={1.75} className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <p className={styles.message}>{message}</p>
        {detail && (
          <details className={styles.detail}>
            <summary>What it said</summary>
            <pre>{detail}</pre>
          </details>
        )}
      </div>
      {(actions.length > 0 || onDismiss) && (
        <div className={styles.actions}>
          {actions.map(({ label, main, run }) => (
            <button type="button" key={label} className={[buttons.button, main && buttons.main].filter(Boolean).join(' ')} onClick={run}>
              {label}
            </button>
          ))}
          {onDismiss && <IconButton icon={X} size={14} label="Put away" onClick={onDismiss} />}
        </div>
      )}
    </section>
  );
}
