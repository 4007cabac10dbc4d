/** Selection and modes: what is selected, what has the focus, and what becomes of it when cells go. */
import { describe, expect, it } from 'vitest';
import type { ModeAction, ModeState } from '../../../renderer/notebook/mode.ts';
import { cellMark, initialMode, reduceMode, selectedKeys } from '../../../renderer/notebook/mode.ts';

const keys = ['a', 'b', 'c', 'd', 'e'];
const at = (active: string, mode: ModeState['mode'] = 'command', anchor = active): ModeState => ({ ...initialMode, active, anchor, mode });
const play = (state: ModeState, ...actions: ModeAction[]) => actions.reduce((now, action) => reduceMode(now, action, keys), state);

describe('reduceMode', () => {
  it('steps and stops at the ends', () => {
    expect(play(at('b'), { type: 'step', by: 1, extend: false }).active).toBe('c');
    expect(play(at('e'), { type: 'step', by: 1, extend: false }).active).toBe('e');
    expect(play(at('a'), { type: 'step', by: -1, extend: false }).active).toBe('a');
    expect(play(at('c'), { type: 'step', by: -99, extend: false }).active).toBe('a');
  });

  it('does nothing in an empty notebook', () => {
    expect(reduceMode(initialMode, { type: 'step', by: 1, extend: false }, [])).toBe(initialMode);
    expect(reduceMode(initialMode, { type: 'edit' }, [])).toBe(initialMode);
    expect(reduceMode(initialMode, { type: 'all' }, [])).toBe(initialMode);
  });

  it('extends in both directions from where it began', () => {
    const down = play(at('c'), { type: 'step', by: 1, extend: true });
    expect(selectedKeys(down, keys)).toEqual(['c', 'd']);
    const up = play(down, { type: 'step', by: -1, extend: true }, { type: 'step', by: -1, extend: true });
    expect(selectedKeys(up, keys)).toEqual(['b', 'c']);
    expect(selectedKeys(play(up, { type: 'extend', key: 'e' }), keys)).toEqual(['c', 'd', 'e']);
  });

  it('gives up a selection when one cell is stepped to or edited', () => {
    const several = at('d', 'command', 'b');
    expect(selectedKeys(play(several, { type: 'step', by: 1, extend: false }), keys)).toEqual(['e']);
    expect(selectedKeys(play(several, { type: 'edit' }), keys)).toEqual(['d']);
  });

  it('asks for the focus only when it is meant to', () => {
    expect(play(at('a'), { type: 'select', key: 'b' }).focusRequest).toBe(1);
    expect(play(at('a'), { type: 'select', key: 'b', focus: false }).focusRequest).toBe(0);
    expect(play(at('a'), { type: 'edit', key: 'b', focus: false })).toMatchObject({ mode: 'edit', active: 'b', focusRequest: 0 });
    expect(play(at('a', 'edit'), { type: 'leave' })).toMatchObject({ mode: 'command', focusRequest: 1 });
  });
});

describe('cells that go away', () => {
  const gone = (state: ModeState, left: string[]) => reduceMode(state, { type: 'keys', previous: keys }, left);

  it('leaves a selection alone that is not touched', () => {
    const state = at('c', 'edit');
    expect(gone(state, ['c', 'x'])).toBe(state);
  });

  it('goes to the cell that took the place, else to the one before', () => {
    expect(gone(at('b'), ['a', 'c', 'd', 'e']).active).toBe('c');
    expect(gone(at('e'), ['a', 'b']).active).toBe('b');
    expect(gone(at('c'), ['a', 'e']).active).toBe('e');
    expect(gone(at('c'), ['new'])).toMatchObject({ active: 'new', anchor: 'new' });
    expect(gone(at('c'), [])).toMatchObject({ active: null, anchor: null });
  });

  it('leaves edit mode when the edited cell is deleted elsewhere', () => {
    expect(gone(at('b', 'edit'), ['a', 'c'])).toMatchObject({ mode: 'command', active: 'c' });
  });

  it('shrinks a selection whose other end is gone', () => {
    expect(selectedKeys(gone(at('d', 'command', 'b'), ['a', 'c', 'd']), ['a', 'c', 'd'])).toEqual(['d']);
  });
});

describe('marks', () => {
  it('marks the active cell by mode and the rest of a selection', () => {
    const state = at('d', 'command', 'b');
    expect(keys.map((key) => cellMark(state, key, keys))).toEqual(['none', 'selected', 'selected', 'command', 'none']);
    expect(keys.map((key) => cellMark(at('b', 'edit'), key, keys))).toEqual(['none', 'edit', 'none', 'none', 'none']);
  });

  it('follows document order after a move', () => {
    const moved = ['d', 'a', 'b', 'c', 'e'];
    expect(selectedKeys(at('d', 'command', 'b'), moved)).toEqual(['d', 'a', 'b']);
  });
});
