/**
 * The page of one widget: asks for its model, shows a view of it, and keeps that in step. Loaded in trusted notebooks alone; the frame is a
 * stranger to the window all the same.
 */
import type { DOMWidgetModel } from '@jupyter-widgets/base';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { messageOf, outputElement, pageData, showNote, whileDrawing } from '../frame-page.ts';
import { FrameManager } from './frame-manager.ts';
import { onNews } from './parent-link.ts';
import './widgets.css';

async function show(manager: FrameManager): Promise<void> {
  const { modelId } = pageData() as { modelId: string };
  const model = (await manager.get_model(modelId)) as DOMWidgetModel;
  const view = await manager.create_view(model);
  outputElement().replaceChildren();
  Widget.attach(view.luminoWidget, outputElement());
  // Widgets that measure themselves, as some of anywidget's, wait for it.
  addEventListener('resize', () => MessageLoop.postMessage(view.luminoWidget, Widget.ResizeMessage.UnknownSize));
}

const manager = new FrameManager();
onNews((news) => {
  if (news.kind === 'model') manager.answer(news.modelId, news.model);
  else for (const event of news.events) manager.receive(event);
});
void whileDrawing(() => show(manager).catch((error: unknown) => showNote(outputElement(), messageOf(error))));
