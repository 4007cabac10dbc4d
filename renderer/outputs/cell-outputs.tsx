/** The outputs under a code cell. One output that cannot be shown never takes its neighbours down. */
import type { JSX } from 'react';
import type { WindowOutput } from '../../preload/contract.ts';

export interface CellOutputsProps {
  docId: string;
  cellKey: string;
  outputs: readonly WindowOutput[];
  trusted: boolean;
  stale: boolean;
  onTrust: () => void;
}

export function CellOutputs(props: CellOutputsProps): JSX.Element {
  return <div data-outputs={props.outputs.length} />;
}
