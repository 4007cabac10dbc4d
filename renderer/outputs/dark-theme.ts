/** Whether the page is dark now. All that ask share one observer of the theme. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let observer: MutationObserver | null = null;

export function useDarkTheme(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

function isDark(): boolean {
  const theme = document.documentElement.dataset.theme;
  return theme === 'dark' || theme === 'high-contrast';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!observer) {
    observer = new MutationObserver(() => {
      for (const each of listeners) each();
    });
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    observer?.disconnect();
    observer = null;
  };
}
