/**
 * How the window's width is shared between side bar, notebook and the panel of agents. What a person chose is kept as it was chosen; a small
 * window only shows less of it: first the panel gives way, then the side bar, and where nothing is left the panel lies over the notebook, so
 * that the notebook is never squeezed to a width nobody can work in. Pure.
 */
import type { LayoutState } from './layout.ts';
import { AGENTS_WIDTH, SIDE_BAR_WIDTH, sideBarOpen } from './layout.ts';

/** As in the tokens. */
const RAIL = 44;
/** Gutter, a line of code that can be read, and the buttons beside it. */
export const NOTEBOOK_LEAST = 420;
/** Of the notebook below it this much stays in view. */
const OVER_REST = 48;

export interface FrameWidths {
  sideBar: number;
  agents: number;
  /** What the panel could have at most now. */
  agentsMost: number;
  /** The panel lies over the notebook instead of beside it. */
  over: boolean;
}

/** All in pixels. */
export function frameWidths(layout: LayoutState, window: number): FrameWidths {
  const room = window - RAIL - NOTEBOOK_LEAST;
  const hasBar = sideBarOpen(layout);
  const leastBar = hasBar ? SIDE_BAR_WIDTH.least : 0;
  const wantedBar = hasBar ? layout.width : 0;
  const over = room - leastBar < AGENTS_WIDTH.least;
  if (!layout.agents || over) {
    const rest = Math.max(AGENTS_WIDTH.least, window - RAIL - OVER_REST);
    const agentsMost = Math.min(AGENTS_WIDTH.most, rest);
    return { sideBar: within(wantedBar, leastBar, room), agents: Math.min(layout.agentsWidth, agentsMost), agentsMost, over };
  }
  const agentsMost = within(room - wantedBar, AGENTS_WIDTH.least, AGENTS_WIDTH.most);
  const agents = Math.min(layout.agentsWidth, agentsMost);
  return { sideBar: within(wantedBar, leastBar, room - agents), agents, agentsMost, over };
}

/** Where the two bounds meet no value, the lower one counts. */
function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
