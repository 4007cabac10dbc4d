/**
 * What Output widgets took in, as an agent is told it: in the place where the cell shows the widget, as in the window; and for a widget that an earlier
 * cell shows, after the cell's own outputs, that part which came during the run. Pure.
 */
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { shownWidget, shownWidgets } from '../execution/widget-view.ts';

type Outputs = readonly Output<RawPayload>[];

/** The widgets of a notebook's kernel; without them nothing is taken in, and all outputs are the cell's own. */
export interface WidgetOutputs {
  /** Resolves when all that the kernel has said so far of its widgets is known. */
  settled(): Promise<void>;
  /** Resolves when the widget has come, or has not come for long enough. */
  model(modelId: string): Promise<unknown>;
  /** The Output widgets in a widget, itself included, in the order in which they are shown. */
  outputModelsIn(modelId: string): string[];
  outputsOf(modelId: string): Outputs;
  /** What each Output widget of the kernel has now. */
  taken(): ReadonlyMap<string, Outputs>;
}

/** What Output widgets had when a cell began and when it was over. */
export interface Taken {
  before: ReadonlyMap<string, Outputs>;
  after: ReadonlyMap<string, Outputs>;
}

/** The outputs of a cell with those of the widgets it shows; the same array where it shows none. */
export function withShown(outputs: Outputs, widgets: WidgetOutputs, has: (modelId: string) => Outputs): Outputs {
  if (shownWidgets(outputs).length === 0) return outputs;
  return outputs.flatMap((output) => [output, ...modelsOf(output, widgets).flatMap(has)]);
}

/** The outputs that a run of a cell gave, wherever they went; the same array where all are its own. */
export function withTaken(outputs: Outputs, widgets: WidgetOutputs, { before, after }: Taken): Outputs {
  const shown = new Set(outputs.flatMap((output) => modelsOf(output, widgets)));
  const elsewhere = [...after].flatMap(([modelId, now]) => (shown.has(modelId) ? [] : since(before.get(modelId) ?? [], now)));
  const own = withShown(outputs, widgets, (modelId) => after.get(modelId) ?? []);
  return elsewhere.length === 0 ? own : [...own, ...elsewhere];
}

/** What came after the outputs that were there before. */
function since(before: Outputs, now: Outputs): Outputs {
  return now.flatMap((output, index) => {
    const earlier = before[index];
    if (output === earlier) return [];
    if (output.type !== 'stream' || earlier?.type !== 'stream' || !output.text.startsWith(earlier.text)) return [output];
    const text = output.text.slice(earlier.text.length);
    return text === '' ? [] : [{ type: 'stream', name: output.name, text }];
  });
}

function modelsOf(output: Output<RawPayload>, widgets: WidgetOutputs): string[] {
  const modelId = shownWidget(output);
  return modelId === null ? [] : widgets.outputModelsIn(modelId);
}
