/**
 * The one way out of the window: the bridge that the preload script put on `window`.
 */
import type { Bridge } from '../../preload/contract.ts';

declare global {
  interface Window {
    readonly cellwright: Bridge;
  }
}

export function windowBridge(): Bridge {
  return window.cellwright;
}
