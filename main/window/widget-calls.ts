/**
 * The calls and posts about widgets. A frame runs the notebook's own scripts and speaks to its kernel, so each of them is refused for a notebook
 * that is not trusted, whatever the window believes.
 */
import { ActionError } from './failure.ts';
import type { CallHandlers, PostHandlers } from './ipc-router.ts';
import type { OpenNotebook } from './open-notebook.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';

type WidgetCalls = Pick<CallHandlers<PageWindow>, Extract<keyof CallHandlers<PageWindow>, `widget.${string}`>>;

export function widgetCalls({ notebooks }: { notebooks: OpenNotebooks }): WidgetCalls {
  return {
    'widget.follow': (window, { docId }) => {
      trusted(notebooks.get(docId)).widgetFeed.add(window);
      return null;
    },
    'widget.leave': (window, { docId }) => {
      notebooks.find(docId)?.widgetFeed.remove(window);
      return null;
    },
    'widget.model': async (_window, { docId, modelId }) => {
      const { widgets, widgetFeed } = trusted(notebooks.get(docId));
      const model = await widgets.model(modelId);
      widgetFeed.settle();
      return model;
    },
  };
}

export function widgetPosts({ notebooks }: { notebooks: OpenNotebooks }): Pick<PostHandlers<PageWindow>, 'widget.send'> {
  return {
    'widget.send': (window, { docId, ...message }) => {
      const notebook = notebooks.find(docId);
      // The last word of a frame may come after its tab was closed, or after the notebook lost its trust.
      if (notebook?.document.trusted && notebook.widgetFeed.has(window)) notebook.widgets.send(message);
    },
  };
}

function trusted(notebook: OpenNotebook): OpenNotebook {
  if (!notebook.document.trusted) throw new ActionError('not-trusted', 'This notebook is not trusted, so its widgets are not shown.');
  return notebook;
}
