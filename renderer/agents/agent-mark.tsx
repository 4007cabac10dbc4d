/** An agent's hue as a dot, and as a variable for what stands under it. The hue never stands alone: its name is always beside it. */
import type { CSSProperties, JSX } from 'react';
import styles from './agent-mark.module.css';

/** Sets `--hue` for an element and what is in it. */
export function hueStyle(hue: number): CSSProperties {
  return { '--hue': `var(--agent-${hue})` } as CSSProperties;
}

export function AgentDot({ hue, away = false }: { hue: number; away?: boolean }): JSX.Element {
  return <span className={styles.dot} style={hueStyle(hue)} data-away={away || undefined} aria-hidden="true" />;
}
