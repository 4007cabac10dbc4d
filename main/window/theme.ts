/** The theme in Electron: native parts (menus, dialogs, scroll bars) follow the choice, and the choice may follow the system. */
import { nativeTheme } from 'electron';
import type { ThemeChoice } from '../../preload/contract.ts';
import { type ThemeLook, themeLook } from './theme-look.ts';

/** Makes `nativeTheme` emit `updated` when the look of the system's parts changes with it. */
export function applyTheme(choice: ThemeChoice): void {
  nativeTheme.themeSource = choice === 'high-contrast' ? 'dark' : choice;
}

export function lookNow(choice: ThemeChoice): ThemeLook {
  return themeLook(choice, nativeTheme.shouldUseDarkColors);
}
