/** The calls about running and kernels. A run's call is answered when the run is over; everything on the way comes as events. */
import type { KernelSources } from '../kernels/default-kernel.ts';
import { ActionError } from './failure.ts';
import { findChoices } from './find-choices.ts';
import type { CallHandlers } from './ipc-router.ts';
import { type Choice, shownChoice } from './kernel-choices.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';

type KernelCalls = Pick<CallHandlers<PageWindow>, Extract<keyof CallHandlers<PageWindow>, `run.${string}` | `kernel.${string}`>>;

export interface KernelCallsOptions extends KernelSources {
  notebooks: OpenNotebooks;
}

export function kernelCalls({ notebooks, ...sources }: KernelCallsOptions): KernelCalls {
  const session = (docId: string) => notebooks.get(docId).session;
  return {
    'run.cells': async (_window, { docId, keys }) => {
      await notebooks.get(docId).run(keys);
      return null;
    },
    'run.interrupt': async (_window, { docId }) => {
      await notebooks.get(docId).interrupt();
      return null;
    },
    'run.input': async (_window, { docId, key, value }) => {
      await session(docId).provideInput(key, value);
      return null;
    },
    'kernel.choices': async (_window, { docId }) => (await findChoices(notebooks.get(docId).folder, sources)).map(shownChoice),
    'kernel.select': async (_window, { docId, name }) => {
      const notebook = notebooks.get(docId);
      const chosen = (await findChoices(notebook.folder, sources)).find((choice) => choice.name === name);
      const spec = startable(chosen);
      await notebook.selectKernel(spec, { name, displayName: spec.displayName });
      return null;
    },
    'kernel.start': async (_window, { docId }) => {
      await session(docId).ensureKernel();
      return null;
    },
    'kernel.restart': async (_window, { docId }) => {
      await session(docId).restart();
      return null;
    },
    'kernel.shutdown': async (_window, { docId }) => {
      await session(docId).shutdown();
      return null;
    },
    'kernel.complete': (_window, { docId, code, cursor }) => session(docId).complete(code, cursor),
    'kernel.inspect': (_window, { docId, code, cursor }) => session(docId).inspect(code, cursor),
  };
}

function startable(choice: Choice | undefined) {
  if (!choice) throw new ActionError('no-such-kernel', 'This kernel is not there any more.', 'Choose another one.');
  if (!choice.spec && choice.source === 'gateway') throw new ActionError('not-reached', choice.displayName);
  if (!choice.spec) {
    throw new ActionError(
      'needs-ipykernel',
      `${choice.displayName} has no ipykernel, which a kernel needs.`,
      'Install it there, then choose this Python again.',
      `"${choice.path}" -m pip install ipykernel`,
    );
  }
  return choice.spec;
}
