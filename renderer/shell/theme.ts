/**
 * The theme: the person's choice, and the one that is shown. `system` follows the desktop, which may change at any time.
 */
import type { Bridge, ThemeChoice } from '../../preload/contract.ts';
import type { Store } from './store.ts';
import { createStore } from './store.ts';

export type ShownTheme = 'light' | 'dark' | 'high-contrast';

export interface ThemeState {
  choice: ThemeChoice;
  shown: ShownTheme;
}

export function shownTheme(choice: ThemeChoice, systemDark: boolean): ShownTheme {
  return choice === 'system' ? (systemDark ? 'dark' : 'light') : choice;
}

export class Theme {
  readonly state: Store<ThemeState>;
  readonly #bridge: Bridge;
  readonly #systemDark = matchMedia('(prefers-color-scheme: dark)');

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    this.state = createStore<ThemeState>({ choice: 'system', shown: shownTheme('system', this.#systemDark.matches) });
    this.#show();
    this.state.subscribe(() => this.#show());
    this.#systemDark.addEventListener('change', () => this.set(this.state.get().choice));
    bridge.on('theme.changed', ({ theme, dark }) => this.state.set({ choice: theme, shown: shownTheme(theme, dark) }));
  }

  /** Shows a theme without telling main, which already knows. */
  set(choice: ThemeChoice): void {
    this.state.set({ choice, shown: shownTheme(choice, this.#systemDark.matches) });
  }

  choose(choice: ThemeChoice): void {
    this.set(choice);
    void this.#bridge.call('app.setTheme', { theme: choice });
  }

  #show(): void {
    document.documentElement.dataset.theme = this.state.get().shown;
  }
}
