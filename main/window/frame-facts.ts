/**
 * What is known of a frame. Asking one that is gone throws in some versions of Electron and gives nothing in others; here it is always
 * null, which no rule allows anything.
 */
import type { WebContents, WebFrameMain } from 'electron';
import { originOf } from './permissions.ts';

export function frameUrl(frame: WebFrameMain | null): string | null {
  try {
    return frame?.url ?? null;
  } catch {
    return null;
  }
}

export function isTopFrame(frame: WebFrameMain | null, contents: WebContents): boolean {
  try {
    return frame !== null && frame === contents.mainFrame;
  } catch {
    return false;
  }
}

export function parentOf(frame: WebFrameMain | null): WebFrameMain | null {
  try {
    return frame?.parent ?? null;
  } catch {
    return null;
  }
}

/** Address of the output that a frame is or lies in, or null for the page itself. */
export function outputAround(frame: WebFrameMain | null): string | null {
  try {
    for (let each = frame; each !== null; each = each.parent) if (originOf(each.url)?.startsWith('output:')) return each.url;
  } catch {
    return null;
  }
  return null;
}
