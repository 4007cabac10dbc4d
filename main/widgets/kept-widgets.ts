/** The widgets whose state a saved notebook must keep, though no kernel may have them any more: those that its outputs show. */
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { shownWidgets } from '../execution/widget-view.ts';

export interface ShowsOutputs {
  keys(): string[];
  outputs(key: string): readonly Output<RawPayload>[];
}

/** Their ids. */
export function keptWidgets(document: ShowsOutputs): Set<string> {
  return new Set(document.keys().flatMap((key) => shownWidgets(document.outputs(key))));
}
