/** Stands where a widget of a module would be that is not built in: a calm line that names it. */
import { DOMWidgetView, type WidgetView } from '@jupyter-widgets/base';

export function missingView(moduleName: string): typeof WidgetView {
  return class extends DOMWidgetView {
    override render(): void {
      this.el.className = 'note';
      this.el.textContent = `This widget is drawn by ${moduleName}, which Cellwright does not have.`;
    }
  };
}
