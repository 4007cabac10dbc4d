/** Where a cell's outputs are, from the changes that made them. Pure. */
import type { AreaState, DisplayState, RawOutputChange } from './run-protocol.ts';

export function newAreaState(areaId: string, runId: string): AreaState {
  return { areaId, runId, count: 0, displays: [] };
}

export function nextAreaState(state: AreaState, changes: readonly RawOutputChange[]): AreaState {
  return changes.reduce(afterChange, state);
}

function afterChange(state: AreaState, change: RawOutputChange): AreaState {
  switch (change.op) {
    case 'append': {
      const shown = displayOf(change.output, state.count);
      return { ...state, count: state.count + 1, displays: shown ? [...state.displays, shown] : state.displays };
    }
    case 'clear':
      return newAreaState(state.areaId, state.runId);
    case 'text':
    case 'replace':
      // What takes a display's place is shown under the same id.
      return state;
  }
}

function displayOf(output: Extract<RawOutputChange, { op: 'append' }>['output'], index: number): DisplayState | null {
  if (output.type !== 'display_data' && output.type !== 'execute_result') return null;
  const { displayId: id, type, executionCount } = output;
  return id === undefined ? null : { id, index, type, executionCount };
}
