import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameWidths, NOTEBOOK_LEAST } from '../../../renderer/shell/frame-widths.ts';
import { AGENTS_WIDTH, type LayoutState, restoreLayout, SIDE_BAR_WIDTH } from '../../../renderer/shell/layout.ts';

const layout = (change: Partial<LayoutState>): LayoutState => ({ ...restoreLayout(null), ...change });
const watched = layout({ agents: true });
const RAIL = 44;

describe('the frame', () => {
  it.each([
    ['a large window has what was chosen', watched, 1360, { sideBar: 240, agents: 320, over: false }],
    ['the panel gives way first', watched, 1000, { sideBar: 240, agents: 296, over: false }],
    ['then the side bar', watched, 940, { sideBar: 188, agents: 288, over: false }],
    ['where nothing is left the panel lies over the notebook', watched, 900, { sideBar: 240, agents: 320, over: true }],
    ['without the side bar there is room again', layout({ agents: true, files: false, outline: false }), 900, { agents: 320, over: false }],
    ['in the smallest window a part of what is below stays in view', watched, 400, { agents: 308, over: true }],
    ['a hidden panel takes nothing', layout({ width: 480 }), 1000, { sideBar: 480 }],
    ['a wide side bar leaves room for the notebook', layout({ width: 480 }), 800, { sideBar: 336 }],
  ])('%s', (_what, state, window, expected) => {
    expect(frameWidths(state, window)).toMatchObject(expected);
  });

  it('never squeezes the notebook below what can be worked with, unless the window itself is that small', () => {
    const layouts = fc.record({
      files: fc.boolean(),
      agents: fc.boolean(),
      width: fc.integer({ min: SIDE_BAR_WIDTH.least, max: SIDE_BAR_WIDTH.most }),
      agentsWidth: fc.integer({ min: AGENTS_WIDTH.least, max: AGENTS_WIDTH.most }),
    });
    fc.assert(
      fc.property(layouts, fc.integer({ min: 320, max: 4000 }), (change, window) => {
        const state = layout({ ...change, outline: change.files });
        const { sideBar, agents, agentsMost, over } = frameWidths(state, window);
        const beside = state.agents && !over ? agents : 0;
        const least = Math.min(NOTEBOOK_LEAST, window - RAIL - (state.files ? SIDE_BAR_WIDTH.least : 0));
        expect(window - RAIL - sideBar - beside).toBeGreaterThanOrEqual(least);
        expect(agents).toBeLessThanOrEqual(Math.min(state.agentsWidth, agentsMost));
        expect(sideBar).toBeLessThanOrEqual(Math.max(state.width, SIDE_BAR_WIDTH.least));
        if (agentsMost > AGENTS_WIDTH.least)
          expect(frameWidths({ ...state, agentsWidth: AGENTS_WIDTH.most }, window).agents).toBe(agentsMost);
      }),
    );
  });
});
