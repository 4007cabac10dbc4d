/**
 * The theme in main: what a window looks like before its page has painted, and whether the theme that follows the system is dark now.
 */
import { nativeTheme } from 'electron';
import type { ThemeChoice } from '../../preload/contract.ts';

export type ThemeLook = 'light' | 'dark' | 'high-contrast';

/** The page's own background by theme: a window that opens in another colour flashes. A test compares them with the page's tokens. */
export const BACKGROUND: Readonly<Record<ThemeLook, string>> = { light: '#fdfcfb', dark: '#1c1b1a', 'high-contrast': '#000000' };

/** Native parts (menus, dialogs, scroll bars) follow. Tells nobody by itself: `nativeTheme` emits `updated` when the look changed. */
export function applyTheme(choice: ThemeChoice): void {
  nativeTheme.themeSource = choice === 'high-contrast' ? 'dark' : choice;
}

export function themeLook(choice: ThemeChoice): ThemeLook {
  if (choice !== 'system') return choice;
  if (nativeTheme.shouldUseHighContrastColors) return 'high-contrast';
  return nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
}
