/**
 * What an Output widget has taken in. Its outputs are not an attribute that the kernel sets: main gathers them and tells of each change, so that a
 * thousand prints are a thousand short splices and not a thousand lists.
 */
import { DOMWidgetModel } from '@jupyter-widgets/base';
import { applyOutputChange, type Output, type OutputChange } from '../../../preload/output-change.ts';

export class FrameOutputModel extends DOMWidgetModel {
  outputList: readonly Output<unknown>[] = [];

  override defaults(): Record<string, unknown> {
    return {
      ...super.defaults(),
      _model_name: 'OutputModel',
      _view_name: 'OutputView',
      _model_module: '@jupyter-widgets/output',
      _view_module: '@jupyter-widgets/output',
      _model_module_version: '1.0.0',
      _view_module_version: '1.0.0',
      msg_id: '',
    };
  }

  setOutputs(outputs: readonly Output<unknown>[]): void {
    this.outputList = outputs;
    this.trigger('outputs');
  }

  applyChanges(changes: readonly OutputChange<unknown>[]): void {
    this.setOutputs(changes.reduce<Output<unknown>[]>(applyOutputChange, [...this.outputList]));
  }
}
