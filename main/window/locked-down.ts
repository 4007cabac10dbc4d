/** How every page of ours is isolated: no Node, no rights beside the bridge of its preload. One table, so that no page can be forgotten. */
import type { WebPreferences } from 'electron';

export const LOCKED_DOWN = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  webSecurity: true,
  spellcheck: false,
} as const satisfies WebPreferences;
