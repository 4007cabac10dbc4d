/** The keys of a command as little caps. */
import type { JSX } from 'react';
import { keyCaps } from '../notebook/keymap.ts';
import styles from './keys.module.css';

export function Keys({ keys, mac }: { keys: string; mac: boolean }): JSX.Element {
  const caps = keyCaps(keys, mac);
  return (
    <span className={styles.keys}>
      {caps.map((cap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same cap may come twice and the list never changes
        <kbd key={index} className={styles.cap}>
          {cap}
        </kbd>
      ))}
    </span>
  );
}
