/**
 * An Output widget's place. Outputs that did not change keep their elements: one that holds a player or another widget must not begin anew because
 * a line was printed after it.
 */
import { type DOMWidgetModel, DOMWidgetView } from '@jupyter-widgets/base';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import type { Output } from '../../../preload/output-change.ts';
import { outputElement, WIDGET_VIEW } from './output-elements.ts';
import type { FrameOutputModel } from './output-model.ts';

export class FrameOutputView extends DOMWidgetView {
  #roomKept = 0;
  #shown: { output: Output<unknown>; element: HTMLElement; end: () => void }[] = [];

  override render(): void {
    super.render();
    this.el.classList.add('widget-output');
    this.listenTo(this.model, 'outputs', () => this.#draw());
    this.#draw();
  }

  override remove(): this {
    for (const { end } of this.#shown) end();
    return super.remove();
  }

  #draw(): void {
    const { outputList } = this.model as FrameOutputModel;
    // A plot that gives way to the next one leaves its room until that is there, or the page below would jump with every move of a slider.
    this.#keepRoom();
    const before = this.#shown;
    this.#shown = outputList.map((output, index) => {
      const known = before[index];
      return known?.output === output ? known : this.#shownOutput(output);
    });
    for (const known of before) if (!this.#shown.includes(known)) known.end();
    this.#shown.forEach(({ element }, index) => {
      if (this.el.children[index] !== element) this.el.insertBefore(element, this.el.children[index] ?? null);
    });
  }

  #keepRoom(): void {
    this.el.style.minHeight = `${this.el.offsetHeight}px`;
    this.#roomKept += 1;
    const kept = this.#roomKept;
    requestAnimationFrame(async () => {
      const images = [...this.el.querySelectorAll('img')].filter((image) => !image.complete);
      await Promise.allSettled(images.map((image) => image.decode()));
      if (kept === this.#roomKept) this.el.style.minHeight = '';
    });
  }

  #shownOutput(output: Output<unknown>): { output: Output<unknown>; element: HTMLElement; end: () => void } {
    const modelId = widgetIn(output);
    if (modelId === null) {
      const element = outputElement(output);
      return { output, element, end: () => element.remove() };
    }
    const element = document.createElement('div');
    let view: DOMWidgetView | null = null;
    let isOver = false;
    void this.#childView(modelId).then(
      (made) => {
        if (isOver) return made.remove();
        view = made;
        Widget.attach(made.luminoWidget, element);
        MessageLoop.postMessage(made.luminoWidget, Widget.ResizeMessage.UnknownSize);
        return made;
      },
      () => element.replaceChildren(outputElement(output)),
    );
    const end = (): void => {
      isOver = true;
      view?.remove();
      element.remove();
    };
    return { output, element, end };
  }

  async #childView(modelId: string): Promise<DOMWidgetView> {
    const model = await this.model.widget_manager.get_model(modelId);
    return this.create_child_view(model as DOMWidgetModel);
  }
}

function widgetIn(output: Output<unknown>): string | null {
  if (output.type === 'stream' || output.type === 'error') return null;
  const view = output.data[WIDGET_VIEW];
  const id = typeof view === 'object' && view !== null ? (view as { model_id?: unknown }).model_id : undefined;
  return typeof id === 'string' ? id : null;
}
