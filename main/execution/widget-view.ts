/** Outputs that show a widget of the kernel. */
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from './run-protocol.ts';

const WIDGET_VIEW = 'application/vnd.jupyter.widget-view+json';

/** The id of the widget's model; null for an output that shows none. */
export function shownWidget(output: Output<RawPayload>): string | null {
  const view = 'data' in output ? output.data[WIDGET_VIEW] : null;
  const id = typeof view === 'object' && view !== null ? (view as { model_id?: unknown }).model_id : null;
  return typeof id === 'string' ? id : null;
}

/** In their order. */
export function shownWidgets(outputs: readonly Output<RawPayload>[]): string[] {
  return outputs.flatMap((output) => shownWidget(output) ?? []);
}
