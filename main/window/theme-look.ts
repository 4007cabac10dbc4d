/** How each theme looks before its page has painted, and which one a choice means. Pure. */
import type { ThemeChoice } from '../../preload/contract.ts';

export type ThemeLook = 'light' | 'dark' | 'high-contrast';

/** The page's own background by theme: a window that opens in another colour flashes. A test compares them with the page's tokens. */
export const BACKGROUND: Readonly<Record<ThemeLook, string>> = { light: '#fdfcfb', dark: '#1c1b1a', 'high-contrast': '#000000' };

export function themeLook(choice: ThemeChoice, systemDark: boolean): ThemeLook {
  if (choice !== 'system') return choice;
  return systemDark ? 'dark' : 'light';
}
