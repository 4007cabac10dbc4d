/**
 * The widgets of a notebook that no window shows. Nobody moves them, but code prints into Output widgets all the same; that is in no cell and would be
 * gone with the kernel, so each save that has any of it writes the widgets' state.
 */
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { Log } from '../log/log.ts';
import { keptWidgets } from './kept-widgets.ts';
import { WidgetSession } from './widget-session.ts';

export function unseenWidgets(document: NotebookDocument, artifactFolder: string, log: Log): WidgetSession {
  const widgets = new WidgetSession({ artifactFolder, storedWidgets: () => document.storedWidgets(), onEvents: () => {}, log });
  document.saveWidgetsOf(() => (widgets.isFilled ? widgets.stateToSave(() => keptWidgets(document)) : null));
  return widgets;
}
