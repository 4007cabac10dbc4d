/**
 * The widget modules that are built in: Jupyter's own, and anywidget, whose widgets bring their code with their state. Others would have to come
 * from the network, which a notebook that is opened on a train doesn't have; they are named to the person instead.
 */
import * as base from '@jupyter-widgets/base';
import * as controls from '@jupyter-widgets/controls';
import { takeDefined } from './amd-define.ts';
import 'anywidget';
import { FrameOutputModel } from './output-model.ts';
import { FrameOutputView } from './output-view.ts';

type Classes = Record<string, typeof base.WidgetModel | typeof base.WidgetView>;

const MODULES: Readonly<Record<string, () => Classes>> = {
  '@jupyter-widgets/base': () => base as unknown as Classes,
  '@jupyter-widgets/controls': () => controls as unknown as Classes,
  '@jupyter-widgets/output': () => ({ OutputModel: FrameOutputModel, OutputView: FrameOutputView }),
  anywidget: () => anywidget(),
};

let made: Classes | null = null;

function anywidget(): Classes {
  made ??= takeDefined()(base) as Classes;
  return made;
}

export function isKnownModule(moduleName: string): boolean {
  return Object.hasOwn(MODULES, moduleName);
}

/** Rejects for a class that the module doesn't have: it is of a newer version. */
export async function classOf(className: string, moduleName: string): Promise<typeof base.WidgetModel | typeof base.WidgetView> {
  const found = isKnownModule(moduleName) ? MODULES[moduleName]?.()[className] : undefined;
  if (!found) throw new Error(`${moduleName} has no ${className} here. The kernel’s version of it is newer.`);
  return found;
}
