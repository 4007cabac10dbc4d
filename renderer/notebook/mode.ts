/**
 * Which cells are selected, and whether keys go to the notebook (command mode) or into a cell (edit mode). Pure: state + action → state.
 * The selection is the run of cells between `anchor` and `active` in document order, so it needs the keys to be spelled out.
 */
export interface ModeState {
  mode: 'command' | 'edit';
  /** The cell that has the focus; null only in an empty notebook. */
  active: string | null;
  /** The other end of the selection; equals `active` when one cell is selected. */
  anchor: string | null;
  /** Counts requests to move the keyboard focus: a cell takes it when this number changes, and never by being drawn again. */
  focusRequest: number;
}

export type ModeAction =
  | { type: 'select'; key: string; focus?: boolean }
  | { type: 'extend'; key: string }
  | { type: 'step'; by: number; extend: boolean }
  | { type: 'edit'; key?: string; focus?: boolean }
  | { type: 'leave' }
  | { type: 'all' }
  | { type: 'range'; from: string; to: string }
  | { type: 'keys'; previous: readonly string[] };

export const initialMode: ModeState = { mode: 'command', active: null, anchor: null, focusRequest: 0 };

/** `keys` is the document order after whatever led to the action. */
export function reduceMode(state: ModeState, action: ModeAction, keys: readonly string[]): ModeState {
  switch (action.type) {
    case 'select':
      return focused({ ...state, mode: 'command', active: action.key, anchor: action.key }, action.focus !== false);
    case 'extend':
      return focused({ ...state, mode: 'command', active: action.key, anchor: state.anchor ?? action.key }, true);
    case 'step': {
      const index = state.active === null ? -1 : keys.indexOf(state.active);
      const next = keys[Math.min(Math.max(index + action.by, 0), keys.length - 1)];
      if (next === undefined) return state;
      return focused({ ...state, mode: 'command', active: next, anchor: action.extend ? (state.anchor ?? next) : next }, true);
    }
    case 'edit': {
      const key = action.key ?? state.active;
      if (key === null) return state;
      return focused({ ...state, mode: 'edit', active: key, anchor: key }, action.focus !== false);
    }
    case 'leave':
      return focused({ ...state, mode: 'command' }, true);
    case 'all':
      return keys.length === 0 ? state : { ...state, mode: 'command', anchor: keys[0]!, active: keys.at(-1)! };
    case 'range':
      return focused({ ...state, mode: 'command', anchor: action.from, active: action.to }, true);
    case 'keys':
      return afterKeysChanged(state, action.previous, keys);
  }
}

function focused(state: ModeState, wanted: boolean): ModeState {
  return wanted ? { ...state, focusRequest: state.focusRequest + 1 } : state;
}

/** Cells came, went or moved elsewhere: a selected cell that is gone gives way to the one that took its place. */
function afterKeysChanged(state: ModeState, previous: readonly string[], keys: readonly string[]): ModeState {
  const present = new Set(keys);
  const gone = (key: string | null) => key === null || !present.has(key);
  if (!gone(state.active) && !gone(state.anchor)) return state;
  const active = gone(state.active) ? successor(state.active, previous, present) : state.active;
  const anchor = gone(state.anchor) || gone(state.active) ? active : state.anchor;
  return {
    ...state,
    mode: gone(state.active) ? 'command' : state.mode,
    active: active ?? keys[0] ?? null,
    anchor: anchor ?? keys[0] ?? null,
  };
}

function successor(key: string | null, previous: readonly string[], present: ReadonlySet<string>): string | null {
  const index = key === null ? 0 : previous.indexOf(key);
  if (index < 0) return null;
  return (
    previous.slice(index).find((candidate) => present.has(candidate)) ??
    previous.slice(0, index).findLast((candidate) => present.has(candidate)) ??
    null
  );
}

/** The selected cells in document order. */
export function selectedKeys(state: ModeState, keys: readonly string[]): string[] {
  if (state.active === null) return [];
  const active = keys.indexOf(state.active);
  const anchor = state.anchor === null ? active : keys.indexOf(state.anchor);
  if (active < 0) return [];
  const from = anchor < 0 ? active : anchor;
  return keys.slice(Math.min(from, active), Math.max(from, active) + 1);
}

/** How one cell is marked. `selected` is part of a selection without having the focus. */
export type CellMark = 'none' | 'selected' | 'command' | 'edit';

export function cellMark(state: ModeState, key: string, keys: readonly string[]): CellMark {
  if (state.active === key) return state.mode;
  if (state.anchor === state.active || state.anchor === null || state.active === null) return 'none';
  const [active, anchor, place] = [keys.indexOf(state.active), keys.indexOf(state.anchor), keys.indexOf(key)];
  return place >= Math.min(active, anchor) && place <= Math.max(active, anchor) ? 'selected' : 'none';
}
