/**
 * What of the window's frame is open, and how wide: remembered between starts on this machine.
 */
import type { Store } from './store.ts';
import { createStore } from './store.ts';

export interface LayoutState {
  files: boolean;
  outline: boolean;
  /** The panel of agents at the right. */
  agents: boolean;
  /** It has opened by itself once; from then on it is as the person left it. */
  agentsMet: boolean;
  /** Width of the side bar in pixels. */
  width: number;
  /** Width of the panel of agents in pixels. A small window shows less of it. */
  agentsWidth: number;
  lineNumbers: boolean;
}

/** Narrower than this file names are unreadable; wider and the page has no room. */
export const SIDE_BAR_WIDTH = Object.freeze({ least: 180, usual: 240, most: 480 });
/** Narrower than this the buttons that steer an agent don't fit beside each other. */
export const AGENTS_WIDTH = Object.freeze({ least: 288, usual: 320, most: 720 });

const KEY = 'cellwright.layout';
const USUAL: LayoutState = {
  files: true,
  outline: true,
  agents: false,
  agentsMet: false,
  width: SIDE_BAR_WIDTH.usual,
  agentsWidth: AGENTS_WIDTH.usual,
  lineNumbers: false,
};

export function createLayout(storage: Pick<Storage, 'getItem' | 'setItem'>): Store<LayoutState> {
  const store = createStore<LayoutState>(restoreLayout(storage.getItem(KEY)));
  store.subscribe(() => storage.setItem(KEY, JSON.stringify(store.get())));
  return store;
}

/** The remembered layout; what is missing or out of range is as usual. */
export function restoreLayout(text: string | null): LayoutState {
  let stored: unknown = null;
  try {
    stored = text === null ? null : JSON.parse(text);
  } catch {
    return USUAL;
  }
  const layout = { ...USUAL };
  if (typeof stored !== 'object' || stored === null) return layout;
  const { files, outline, agents, agentsMet, width, agentsWidth, lineNumbers } = stored as Record<string, unknown>;
  if (typeof files === 'boolean') layout.files = files;
  if (typeof outline === 'boolean') layout.outline = outline;
  if (typeof agents === 'boolean') layout.agents = agents;
  if (typeof agentsMet === 'boolean') layout.agentsMet = agentsMet;
  if (typeof lineNumbers === 'boolean') layout.lineNumbers = lineNumbers;
  if (typeof width === 'number') layout.width = clamped(width, SIDE_BAR_WIDTH);
  if (typeof agentsWidth === 'number') layout.agentsWidth = clamped(agentsWidth, AGENTS_WIDTH);
  return layout;
}

function clamped(width: number, { least, most }: { least: number; most: number }): number {
  return Math.round(Math.min(Math.max(width, least), most));
}

export function sideBarOpen(layout: LayoutState): boolean {
  return layout.files || layout.outline;
}
