/** A session with a real kernel whose widgets are followed, as a notebook in a window has it. */
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { silentLog } from '../../../main/log/log.ts';
import { WidgetSession } from '../../../main/widgets/widget-session.ts';
import type { Output } from '../../../preload/output-change.ts';
import type { WidgetEvent, WidgetModel } from '../../../preload/widget-messages.ts';
import { openSession, type SessionFixture, until } from '../execution/session-fixture.ts';

export interface WidgetPlace extends SessionFixture {
  widgets: WidgetSession;
  /** All that frames were told. */
  events: WidgetEvent[];
  /** Runs a new cell and gives its key. */
  run: (source: string) => Promise<string>;
  /** What a cell printed. */
  printed: (key: string) => string;
  /** The model that a cell's last output shows. */
  shown: (key: string) => Promise<WidgetModel>;
  /** The outputs of a widget now. */
  outputsOf: (modelId: string) => Promise<Output<unknown>[]>;
  /** A message of a frame; gives its id. */
  send: (commId: string, data: Record<string, unknown>, buffers?: Uint8Array[]) => string;
  set: (commId: string, state: Record<string, unknown>) => string;
  /** Resolves when the kernel is done with a message. */
  done: (messageId: string) => Promise<void>;
}

export async function openWidgets(options: { spec?: KernelSpec } = {}): Promise<WidgetPlace> {
  const events: WidgetEvent[] = [];
  const widgets = new WidgetSession({
    artifactFolder: null,
    storedWidgets: () => null,
    onEvents: (list) => events.push(...list),
    log: silentLog,
  });
  const fixture = await openSession({ ...options, widgets });
  const { notebook, session } = fixture;
  let messages = 0;
  const send: WidgetPlace['send'] = (commId, data, buffers = []) => {
    messages += 1;
    const messageId = `frame-${messages}`;
    widgets.send({ commId, messageId, data, buffers });
    return messageId;
  };
  return {
    ...fixture,
    widgets,
    events,
    send,
    set: (commId, state) => send(commId, { method: 'update', state, buffer_paths: [] }),
    done: (messageId) =>
      until(() => events.some((event) => event.kind === 'done' && event.messageId === messageId), `the end of ${messageId}`),
    run: async (source) => {
      const key = notebook.code(source);
      await session.runCells([key]);
      return key;
    },
    printed: (key) => textOf(notebook.cell(key)!.outputs),
    shown: async (key) => {
      const output = notebook.cell(key)!.outputs.findLast((each) => each.type === 'display_data' || each.type === 'execute_result');
      const view = output && 'data' in output ? output.data['application/vnd.jupyter.widget-view+json'] : null;
      const model = await widgets.model((view as { model_id: string }).model_id);
      if (!model) throw new Error('There is no model.');
      return model;
    },
    outputsOf: async (modelId) => (await widgets.model(modelId))?.outputs ?? [],
    close: async () => {
      widgets.close();
      await fixture.close();
    },
  };
}

export function textOf(outputs: readonly Output<unknown>[]): string {
  return outputs.map((output) => (output.type === 'stream' ? output.text : '')).join('');
}
