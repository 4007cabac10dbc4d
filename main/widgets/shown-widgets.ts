/** Which widgets a notebook's outputs show: a saved notebook must keep the state of these, also of those that no kernel has any more. */
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';

const WIDGET_VIEW = 'application/vnd.jupyter.widget-view+json';

export interface ShowsOutputs {
  keys(): string[];
  outputs(key: string): readonly Output<RawPayload>[];
}

/** Their ids. */
export function shownWidgets(document: ShowsOutputs): Set<string> {
  const shown = new Set<string>();
  for (const output of document.keys().flatMap((key) => document.outputs(key))) {
    const view = 'data' in output ? output.data[WIDGET_VIEW] : null;
    const id = typeof view === 'object' && view !== null ? (view as { model_id?: unknown }).model_id : null;
    if (typeof id === 'string') shown.add(id);
  }
  return shown;
}
